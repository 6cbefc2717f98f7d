import { generateKeyPairSync } from 'node:crypto'
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import { startNode, TestNode } from '#test/support/bitcoind.ts'
import { fixture } from '#test/support/fixture.ts'
import { coinstrata, type Outcome, placesIn, temporaryFolder } from '#test/support/program.ts'
import { currentFolder } from '#test/support/published.ts'
import { RegtestChain, regtestChain } from '#test/support/regtest.ts'

const prunedArgs = ['-fastprune', '-prune=1', '-acceptnonstdtxn=1']

const nodeArgs = (node: TestNode): string[] => [
  ...['--network', 'regtest', '--datadir', node.datadir, '--rpc-url', node.endpoint.url],
]

/** Runs a command with a node. */
const run = (command: string, dataDir: string, node: TestNode, ...args: readonly string[]): Promise<Outcome> =>
  coinstrata([command, ...args, '--data-dir', dataDir, ...nodeArgs(node)])

const publishHistory = (dataDir: string, store: string, privateKey: string): Promise<Outcome> =>
  coinstrata(['publish', '--history', '--to', `file://${store}`, '--data-dir', dataDir], {
    environment: { PUBLISH_KEY_FILE: privateKey },
  })

async function expectSuccess(outcome: Promise<Outcome>): Promise<Outcome> {
  const { exitCode, stderr } = await outcome
  expect(exitCode, stderr).toBe(0)
  return outcome
}

/** Gives a node the blocks of the chain that it lacks. */
async function catchUp(node: TestNode, chain: RegtestChain): Promise<void> {
  const height = await node.rpc('getblockcount', [], z.int())
  for (let next = height + 1; next <= chain.height; next++) {
    const block = await chain.node.rpc('getblock', [await chain.hashAt(next), 0], z.string())
    expect(await node.rpc('submitblock', [block])).toBeNull()
  }
}

/** The nodes, the keys, and what the operator of the whole one has published. */
async function makeScene(program: string, folder: string): Promise<void> {
  const { scanned, store, pruned } = placesIn(folder, 'scanned', 'store', 'pruned')
  for (const name of ['', 'other-']) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    writeFileSync(path.join(folder, `${name}private.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(path.join(folder, `${name}public.pem`), publicKey.export({ type: 'spki', format: 'pem' }))
  }
  const chain = await regtestChain(program, 505)
  const node = await startNode(program, { args: prunedArgs })
  try {
    await catchUp(node, chain)
    await node.rpc('pruneblockchain', [200])
    await expectSuccess(run('update', scanned, chain.node))
    const { stdout } = await expectSuccess(publishHistory(scanned, store, path.join(folder, 'private.pem')))
    expect(stdout).toContain(`the history up to block ${chain.height} is there too`)
    await node.halt()
    cpSync(node.datadir, pruned, { recursive: true })
    await chain.save(folder)
  } finally {
    await node.stop()
    await chain.stop()
  }
}

/** A pruned node, and what the operator of a whole one has published of the chain of both. */
export class PrunedScene {
  readonly folder: string
  /** Data folder and store of the other operator. */
  readonly scanned: string
  readonly store: string
  readonly chain: RegtestChain
  readonly pruned: TestNode
  /** Height of the first block that the pruned node has. */
  readonly firstStored: number

  private constructor(folder: string, chain: RegtestChain, pruned: TestNode, firstStored: number) {
    const { scanned, store } = placesIn(folder, 'scanned', 'store')
    this.folder = folder
    this.scanned = scanned
    this.store = store
    this.chain = chain
    this.pruned = pruned
    this.firstStored = firstStored
  }

  /** Starts both nodes on a chain of 505 blocks; call `stop` in the end. */
  static async start(program: string): Promise<PrunedScene> {
    const made = await fixture('pruned-node', (shared) => makeScene(program, shared))
    const folder = temporaryFolder('bootstrap')
    for (const name of ['scanned', 'store', 'private.pem', 'public.pem', 'other-private.pem', 'other-public.pem'])
      cpSync(path.join(made, name), path.join(folder, name), { recursive: true, verbatimSymlinks: true })
    const chain = await RegtestChain.restore(program, made)
    const pruned = new TestNode(program, 'regtest')
    cpSync(path.join(made, 'pruned'), pruned.datadir, { recursive: true })
    await pruned.start(prunedArgs)
    const { pruneheight } = await pruned.rpc('getblockchaininfo', [], z.object({ pruneheight: z.int() }))
    expect(pruneheight).toBeGreaterThan(100)
    return new PrunedScene(folder, chain, pruned, pruneheight)
  }

  async stop(): Promise<void> {
    await this.chain.stop()
    await this.pruned.stop()
    rmSync(this.folder, { recursive: true })
  }

  at(name: string): string {
    return path.join(this.folder, name)
  }

  run(command: string, dataDir: string, node: TestNode, ...args: readonly string[]): Promise<Outcome> {
    return run(command, dataDir, node, ...args)
  }

  /** Publishes the history of a data folder to a store. */
  publish(dataDir: string, store = this.store, privateKey = 'private.pem'): Promise<Outcome> {
    return publishHistory(dataDir, store, this.at(privateKey))
  }

  /** Arguments of `coinstrata` that take the history over for the pruned node. */
  bootstrapArgs(dataDir: string): string[] {
    return ['bootstrap', this.store, '--data-dir', dataDir, ...nodeArgs(this.pruned)]
  }

  bootstrap(dataDir: string, ...args: readonly string[]): Promise<Outcome> {
    return coinstrata([...this.bootstrapArgs(dataDir), ...args])
  }

  async grow(blocks: number): Promise<void> {
    await this.chain.grow(blocks)
    await catchUp(this.pruned, this.chain)
  }

  /** Expects an error with a cure, and that nothing is published. */
  async expectRefusal(outcome: Promise<Outcome>, code: string, message: RegExp, dataDir: string): Promise<void> {
    const { exitCode, stderr } = await outcome
    expect(stderr).toContain(`[${code}]`)
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/\nWhat to do: \w+/)
    expect(exitCode).toBeGreaterThan(1)
    expect(existsSync(currentFolder(dataDir))).toBe(false)
  }
}

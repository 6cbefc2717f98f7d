import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Block } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { CoreFile, fileNames } from '#test/support/core-file.ts'
import {
  coinstrata,
  type Outcome,
  type ProgramOptions,
  startCoinstrata,
  temporaryFolder,
} from '#test/support/program.ts'
import { publishedBytes } from '#test/support/published.ts'
import { type RegtestChain, regtestChain } from '#test/support/regtest.ts'

const bitcoind = findBitcoind()

describe.skipIf(!bitcoind)('a node that cannot be used as it is', () => {
  const folder = temporaryFolder('node')
  const dataDir = path.join(folder, 'data')
  const copy = path.join(folder, 'blocks')
  let chain: RegtestChain
  let published: Record<string, string>

  const fromNode = (node: TestNode): string[] => ['--datadir', node.datadir, '--rpc-url', node.endpoint.url]
  const rpcOnly = (node: TestNode): string[] => ['--source', 'rpc', ...fromNode(node)]
  const run = (args: readonly string[], options?: ProgramOptions): Promise<Outcome> =>
    coinstrata(['update', '--data-dir', dataDir, ...args], options)

  /** Runs into an error that says what, with a cure, and leaves what was published as it was. */
  async function expectFailure(outcome: Promise<Outcome>, code: string, message: RegExp, exit = 4): Promise<void> {
    const { exitCode, stderr } = await outcome
    expect(stderr).toContain(`[${code}]`)
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/\nWhat to do: \w+/)
    expect(exitCode).toBe(exit)
    expect(publishedBytes(dataDir)).toEqual(published)
  }

  /** Copies the node's files, so that the copy can be damaged while the node runs. */
  function copyFiles(): void {
    rmSync(copy, { recursive: true, force: true })
    cpSync(chain.node.blocksFolder, copy, { recursive: true })
  }
  const copied = (): string[] => ['--network', 'regtest', '--blocksdir', copy, ...fromNode(chain.node)]

  beforeAll(async () => {
    chain = await regtestChain(bitcoind!, 150)
    const { exitCode, stderr } = await run(['--network', 'regtest', ...fromNode(chain.node)])
    expect(exitCode, stderr).toBe(0)
    published = publishedBytes(dataDir)
    await chain.grow(40)
  })
  afterAll(async () => {
    await chain?.stop()
    rmSync(folder, { recursive: true })
  })

  it('since its data directory is not there', async () => {
    const gone = path.join(folder, 'gone')
    const message = /no block files of regtest in .*gone/
    await expectFailure(run(['--network', 'regtest', '--datadir', gone]), 'source_not_found', message)
  })

  it('since it is on another network, read by files or by RPC', async () => {
    const message =
      /the node is on chain "regtest" .* not on mainnet \[wrong_network\]\nWhat to do: set BITCOIN_NETWORK/
    for (const source of [
      ['--blocksdir', chain.node.blocksFolder],
      ['--source', 'rpc'],
    ]) {
      const { args, options } = withPassword(chain.node)
      const elsewhere = path.join(folder, 'elsewhere')
      const outcome = await coinstrata(['update', '--data-dir', elsewhere, ...source, ...args], options)
      expect(outcome.stderr).toMatch(message)
      expect(outcome.exitCode).toBe(4)
    }
  })

  it('since its files belong to another network', async () => {
    const elsewhere = path.join(folder, 'elsewhere')
    const args = ['update', '--data-dir', elsewhere, '--blocksdir', chain.node.blocksFolder]
    const { exitCode, stderr } = await coinstrata(args)
    expect(stderr).toMatch(/does not hold the first block of mainnet \[wrong_network\]\nWhat to do: name the network/)
    expect(exitCode).toBe(4)
  })

  it('since its password is another, or its cookie that of another node', async () => {
    const { args } = withPassword(chain.node)
    const wrong = { environment: { BITCOIN_RPC_PASSWORD: 'secret-guess' } }
    const refused = run(['--network', 'regtest', '--source', 'rpc', ...args], wrong)
    await expectFailure(refused, 'rpc_refused', /refused the user "__cookie__" and its password/)
    expect((await refused).stderr).not.toContain('secret-guess')

    const other = await startNode(bitcoind!)
    onTestFinished(() => other.stop())
    const cookieOfOther = ['--network', 'regtest', '--datadir', other.datadir, '--rpc-url', chain.node.endpoint.url]
    await expectFailure(run(cookieOfOther), 'rpc_refused', /refused the cookie in .*regtest\/\.cookie/)
  })

  it('since bitcoin.conf, where it was found, names another password', async () => {
    const found = path.join(folder, 'found')
    mkdirSync(found)
    const { port } = new URL(chain.node.endpoint.url)
    const conf = [
      '[regtest]',
      `blocksdir=${chain.node.blocksFolder}`,
      `rpcport=${port}`,
      'rpcuser=ann',
      'rpcpassword=no',
    ]
    writeFileSync(path.join(found, 'bitcoin.conf'), `${conf.join('\n')}\n`)
    const refused = run(['--network', 'regtest', '--datadir', found])
    await expectFailure(refused, 'rpc_refused', /refused the user "ann" and its password/)
  })

  it('since nothing listens at its address', async () => {
    const other = await startNode(bitcoind!)
    onTestFinished(() => other.stop())
    const { args, options } = withPassword(other)
    await other.halt()
    const message = /no connection to the node at 127\.0\.0\.1:\d+: ECONNREFUSED/
    await expectFailure(run(['--network', 'regtest', '--source', 'rpc', ...args], options), 'rpc_unreachable', message)
    const files = ['--blocksdir', chain.node.blocksFolder]
    await expectFailure(run(['--network', 'regtest', ...files, ...args], options), 'rpc_unreachable', message)
  })

  it('since its files are those of another node', async () => {
    const other = await startNode(bitcoind!)
    onTestFinished(() => other.stop())
    await other.rpc('generatetodescriptor', [5, 'raw(51)'])
    const mixed = ['--network', 'regtest', '--blocksdir', chain.node.blocksFolder, ...fromNode(other)]
    const message = new RegExp(
      `the node is at block 5 \\(\\w+\\), which is not among the files .* best block is ${chain.height} `,
    )
    await expectFailure(run(mixed), 'chain_incomplete', message)
  })

  it('since it is pruned', async () => {
    const pruned = await startNode(bitcoind!, { args: ['-fastprune', '-prune=1'] })
    onTestFinished(() => pruned.stop())
    await pruned.rpc('generatetodescriptor', [1000, 'raw(51)'])
    const ingest = (data: string, args: readonly string[]): Promise<Outcome> =>
      coinstrata(['ingest', '--network', 'regtest', '--data-dir', path.join(folder, data), ...args])
    const sources = { 'pruned-files': fromNode(pruned), 'pruned-rpc': rpcOnly(pruned) }
    for (const [data, args] of Object.entries(sources)) expect((await ingest(data, args)).exitCode).toBe(0)
    await pruned.rpc('pruneblockchain', [700])
    const { pruneheight } = await pruned.rpc('getblockchaininfo', [], z.object({ pruneheight: z.int() }))
    expect(pruneheight).toBeGreaterThan(100)
    const message = new RegExp(
      `the node is pruned: the first block that it still has is ${pruneheight}; block 0, which is not scanned yet`,
    )
    await expectFailure(run(['--network', 'regtest', ...rpcOnly(pruned)]), 'pruned', message)
    const begins = /begins with blk0000[1-9]\.dat.*; block 0, which is not scanned yet, is needed/
    const files = ['--network', 'regtest', '--blocksdir', pruned.blocksFolder]
    for (const args of [files, [...files, ...fromNode(pruned)]]) await expectFailure(run(args), 'pruned', begins)

    // It suffices where all that is gone was scanned before.
    await pruned.rpc('generatetodescriptor', [5, 'raw(51)'])
    for (const [data, args] of Object.entries(sources)) {
      const { exitCode, stdout, stderr } = await ingest(data, args)
      expect(exitCode, stderr).toBe(0)
      expect(stdout).toContain('segments reach block 1005')
    }
  })

  it('since its undo files are gone, read by RPC', async () => {
    const names = fileNames(chain.node.blocksFolder, 'rev').map((name) => path.join(chain.node.blocksFolder, name))
    for (const name of names) renameSync(name, `${name}.away`)
    onTestFinished(() => {
      for (const name of names) renameSync(`${name}.away`, name)
    })
    const message = /the node does not have the outputs that block \d+ \(\w+\) spends/
    await expectFailure(run(['--network', 'regtest', ...rpcOnly(chain.node)]), 'undo_missing', message)
  })

  it('since this user may not read its files', async () => {
    copyFiles()
    const unreadable = path.join(copy, 'blk00000.dat')
    chmodSync(unreadable, 0)
    const { exitCode, stderr } = await startCoinstrata(
      ['update', '--network', 'regtest', '--blocksdir', copy, '--data-dir', path.join(folder, 'own')],
      { isBoundByModes: true },
    ).outcome
    expect(stderr).toMatch(
      /cannot read .*(blk00000|xor)\.dat.*\[source_unreadable\]\nWhat to do: run as the user of the node/,
    )
    expect(exitCode).toBe(4)
  })

  it('but for a damaged block that it hands out whole over RPC', async () => {
    copyFiles()
    const last = new CoreFile(copy, fileNames(copy, 'blk').at(-1)!)
    // A block with a transaction that pays out less than before: the rest looks like a fee that
    // nobody claims.
    const block = last.records.findLast(({ offset }) => last.bytes[offset + 80]! > 3)
    if (!block) throw new Error('no block with transactions')
    const amount = last.bytes.indexOf(
      firstAmount(last.bytes.subarray(block.offset, block.offset + block.size)),
      block.offset,
    )
    last.bytes.writeBigUInt64LE(last.bytes.readBigUInt64LE(amount) - 1000n, amount)
    last.save()
    const where = new RegExp(
      `block \\d+ \\(\\w+\\) in ${last.file} at offset ${block.offset} has other transactions than its merkle root`,
    )
    await expectFailure(run(['--network', 'regtest', '--blocksdir', copy]), 'block_corrupt', where)

    const own = path.join(folder, 'refetched')
    const { exitCode, stdout, stderr } = await coinstrata(['update', '--data-dir', own, ...copied()])
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(where)
    expect(stdout).toContain('; it was read over RPC instead.')
    expect(stdout).toContain('equal to gettxoutsetinfo of the node')
    expect(stdout).toMatch(/proved +(\d+) of \1 blocks against their hashes/)
  })

  it('since its newest undo records are cut off', async () => {
    copyFiles()
    const last = new CoreFile(copy, fileNames(copy, 'rev').at(-1)!)
    truncateSync(last.file, last.record(-2).at)
    const message = new RegExp(`${last.file} has no undo record that fits block ${chain.height - 1}, which is in `)
    await expectFailure(run(copied()), 'undo_missing', message)
  })

  it('since a block before the newest is damaged', async () => {
    copyFiles()
    const last = new CoreFile(copy, fileNames(copy, 'blk').at(-1)!)
    const next = last.record(-1).offset
    last.flipBit(last.record(-2).at)
    last.save()
    const message = new RegExp(
      `a block is missing or damaged: \\w+, the parent of \\w+, which is in ${last.file} at offset ${next} `,
    )
    await expectFailure(run(copied()), 'chain_incomplete', message)
  })

  it('and is read again once nothing is wrong with it', async () => {
    const { exitCode, stderr } = await run(['--network', 'regtest', ...fromNode(chain.node)])
    expect(exitCode, stderr).toBe(0)
  })
})

/** The outputs of the first transaction after the coinbase begin with this amount. */
function firstAmount(block: Buffer): Buffer {
  const amount = Buffer.alloc(8)
  amount.writeBigUInt64LE(Block.fromBuffer(block).transactions?.[1]?.outs[0]?.value ?? 0n)
  return amount
}

/** Logs in by user and password, which for this purpose are those of the cookie. */
function withPassword(node: TestNode): { args: string[]; options: ProgramOptions } {
  const [user = '', password = ''] = readFileSync(path.join(node.datadir, 'regtest/.cookie'), 'utf8').split(':')
  return {
    args: ['--rpc-url', node.endpoint.url, '--rpc-user', user],
    options: { environment: { BITCOIN_RPC_PASSWORD: password } },
  }
}

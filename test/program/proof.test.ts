import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ingest } from '#compute/scan/ingest.ts'
import { update } from '#compute/update.ts'
import type { UpdateSettings } from '#compute/update-settings.ts'
import { healthSchema } from '#contract/health.ts'
import { headerBytes } from '#ingest/chain/block.ts'
import { networks } from '#ingest/chain/networks.ts'
import { readRunJournal } from '#state/run-journal.ts'
import { CoreFile, copyFolder, fileNames, firstHeightIn } from '#test/support/core-file.ts'
import { type MadeBlock, makeChain } from '#test/support/made-chain.ts'
import {
  addressOf,
  coinstrata,
  type Outcome,
  placesIn,
  startCoinstrata,
  temporaryFolder,
} from '#test/support/program.ts'
import { currentFolder, publishedBytes, tableDifferences } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'
import { Random } from '#test/support/random.ts'
import { type RpcServer, results, startRpcServer } from '#test/support/rpc-server.ts'
import { trials } from '#test/support/trials.ts'

const tipHeight = 120

const folder = temporaryFolder('proof')
const { blocks, dataDir } = placesIn(folder, 'blocks', 'dataDir')
const { blocks: whole, dataDir: wholeData } = await publishedChain(tipHeight)
let chain: MadeBlock[]
let node: RpcServer
let unspent: { sats: number; outputs: number }

const generationSchema = z.object({
  tip: z.object({ supply_sats: z.int(), utxo_count: z.int() }),
  proved: z.object({ blocks: z.int(), of: z.int() }),
  notes: z.array(z.string()),
})
const readGeneration = (data: string) =>
  generationSchema.parse(JSON.parse(readFileSync(path.join(currentFolder(data), 'generation.json'), 'utf8')))

const run = (command: string, blocksFolder: string, data: string, args: readonly string[] = []): Promise<Outcome> =>
  coinstrata([command, '--network', 'regtest', '--blocksdir', blocksFolder, '--data-dir', data, ...args])
const rpc = (): string[] => ['--rpc-url', node.url, '--rpc-user', 'any']

/** Stands in for a node with this chain. */
function answer(method: string, params: readonly unknown[]): unknown {
  const blockHash = (height: number): string => chain[height]!.block.getId()
  const tip = { bestblockhash: blockHash(tipHeight), blocks: tipHeight }
  switch (method) {
    case 'getblockchaininfo':
      return { ...tip, chain: 'regtest', headers: tipHeight, initialblockdownload: false, pruned: false }
    case 'getchainstates':
      return { headers: tipHeight, chainstates: [{ ...tip, validated: true }] }
    case 'gettxoutsetinfo':
      return {
        height: tipHeight,
        bestblock: blockHash(tipHeight),
        txouts: unspent.outputs,
        total_amount: unspent.sats / 1e8,
      }
    case 'getblockhash':
      return blockHash(z.int().parse(params[0]))
    case 'getblock':
      return chain.find(({ block }) => block.getId() === params[0])?.block.toHex()
    default:
      throw new Error(`nobody expected ${method}`)
  }
}

beforeAll(async () => {
  chain = makeChain(tipHeight + 1)
  const { tip } = readGeneration(wholeData)
  unspent = { sats: tip.supply_sats, outputs: tip.utxo_count }
  node = await startRpcServer((calls) => results(calls, ({ method, params }) => answer(method, params)))
})
beforeEach(() => {
  copyFolder(whole, blocks)
  rmSync(dataDir, { recursive: true, force: true })
})
afterAll(() => {
  node.stop()
  rmSync(folder, { recursive: true })
})

/**
 * A block of an old file that pays its miner less than it may: nothing but its hash tells that it
 * did not.
 */
function damage(fileNumber: number) {
  const file = new CoreFile(blocks, `blk0000${fileNumber}.dat`)
  const place = file.records.findIndex((_, i) => i > 2 && !hasWitness(firstHeightIn(whole, fileNumber) + i))
  const height = firstHeightIn(whole, fileNumber) + place
  const { offset } = file.record(place)
  // The amount of the first output of a coinbase without witness: 50 BTC is 00 f2 05 2a 01 00 00
  // 00.
  file.bytes[offset + 133 + 4]! ^= 1
  file.save()
  const where = `block ${height} (${chain[height]!.block.getId()}) in ${file.file} at offset ${offset}`
  return { height, fault: `${where} has other transactions than its merkle root commits to` }
}
const hasWitness = (height: number): boolean => chain[height]!.block.transactions![0]!.hasWitnesses()

const silent = { say: () => {}, scanned: () => {} }

/** Scans as the first run of a large chain does: almost nothing is proved. */
function scanUnproved(): Promise<unknown> {
  mkdirSync(path.join(dataDir, 'raw', 'segments'), { recursive: true })
  const source = { kind: 'files' as const, blocksFolder: blocks, endpoint: undefined, isEndpointRequired: false }
  return ingest({ dataDir, network: networks.regtest, source, progress: silent, proveBytes: 1, addresses: 'sample' })
}

const settings = (withNode: boolean): UpdateSettings => ({
  ...{
    dataDir,
    network: 'regtest',
    source: 'auto',
    simulatedSeed: 1,
    pricing: 'hourly',
    memory: '1GB',
    addresses: 'sample',
  },
  datadir: undefined,
  blocksdir: blocks,
  rpcUser: 'any',
  rpcPassword: undefined,
  rpcUrl: withNode ? node.url : undefined,
  defaultDatadir: path.join(folder, 'nowhere'),
})

describe('proof of a chain whose newest blocks alone were proved', () => {
  const published = path.join(folder, 'published')
  beforeAll(async () => {
    copyFolder(whole, blocks)
    await scanUnproved()
    expect((await run('compute', blocks, dataDir)).exitCode).toBe(0)
    copyFolder(dataDir, published)
  })
  beforeEach(() => copyFolder(published, dataDir))

  it('tells how many blocks are proved, and a later run proves the rest at once', async () => {
    const { proved } = readGeneration(dataDir)
    expect(proved.of).toBe(tipHeight + 1)
    expect(proved.blocks).toBeGreaterThan(0)
    expect(proved.blocks).toBeLessThan(tipHeight / 2)
    const { stdout } = await run('update', blocks, dataDir, ['--prove'])
    expect(stdout).toContain(`proved          ${tipHeight + 1} of ${tipHeight + 1} blocks against their hashes`)
    // Nothing but that has changed, so that no other generation was made.
    expect(readGeneration(dataDir).proved).toEqual(proved)
    expect(await tableDifferences(dataDir, wholeData)).toEqual({})
  })

  it('goes on in the background, names every damaged block in one run, and then does what is left', async () => {
    const before = readGeneration(dataDir).proved
    const faults = [0, 1].map((number) => damage(number).fault)
    const failed = await run('prove', blocks, dataDir)
    expect(failed.exitCode).toBe(4)
    expect(failed.stderr).toContain('[block_corrupt]')
    for (const fault of faults) expect(failed.stderr).toContain(fault)
    const status = await coinstrata(['status', '--data-dir', dataDir])
    const [, count] = /proved +(\d+) of 121 blocks/.exec(status.stdout) ?? []
    expect(Number(count)).toBeGreaterThan(before.blocks)
    expect(Number(count)).toBeLessThan(121)
    expect(status.stdout).toMatch(/run +prove .* failed .*: block \d+ \(/)

    copyFolder(whole, blocks)
    const { exitCode, stdout, stderr } = await run('prove', blocks, dataDir)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain(`ok  chain    ${121 - Number(count)} blocks verified`)
    expect(stdout).toContain('proved: 121 of 121 blocks')
    expect((await run('prove', blocks, dataDir)).stdout).toContain('ok  chain    0 blocks verified')
  })

  it('goes on in the background of "start", which remembers what is proved and says so', async () => {
    const settings = { UPDATE_SCHEDULE: 'off', SNAPSHOT_SCHEDULE: 'off' }
    const args = ['start', '--network', 'regtest', '--blocksdir', blocks, '--data-dir', dataDir, '--port', '0']
    /** Starts, and waits until the run of that number has ended; what /health says then. */
    const prove = async (runs: number): Promise<{ blocks: number; of: number }> => {
      const program = startCoinstrata(args, { environment: settings })
      try {
        const url = await addressOf(program)
        const ended = () => readRunJournal(dataDir, (journal) => journal.newest(9))?.filter(({ endedAt }) => endedAt)
        while (ended()?.filter(({ job }) => job === 'prove').length !== runs) await sleep(50)
        return healthSchema.parse(await (await fetch(`${url}/health`)).json()).proved ?? { blocks: 0, of: 0 }
      } finally {
        program.process.kill()
        await program.outcome
      }
    }
    const before = readGeneration(dataDir).proved
    damage(1)
    const some = await prove(1)
    expect(some.of).toBe(121)
    expect(some.blocks).toBeGreaterThan(before.blocks)
    expect(some.blocks).toBeLessThan(121)

    copyFolder(whole, blocks)
    expect(await prove(2)).toEqual({ blocks: 121, of: 121 })
    const { stdout } = await coinstrata(['status', '--data-dir', dataDir])
    expect(stdout).toContain('proved      121 of 121 blocks')
  })

  it('takes damaged blocks from a node, and says that what was published of them is right', async () => {
    const { fault } = damage(1)
    const { exitCode, stdout, stderr } = await run('prove', blocks, dataDir, rpc())
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain(
      `damaged in the files of the node, but published correctly: ${fault}; it was read over RPC instead`,
    )
    expect(stdout).toContain('proved: 121 of 121 blocks')
  })
})

const flippedBits = trials(80, 200)

describe.each([
  ['block', 'blk', headerBytes],
  ['undo', 'rev', 0],
] as const)(`the background proof, of ${flippedBits} flipped bits in old %s files`, (_, kind, firstByte) => {
  const random = new Random(20_160_701)
  const published = path.join(folder, 'published')
  beforeEach(() => copyFolder(published, dataDir))

  /** The block and the undo record that does not fit it, as messages name them. */
  function describePlace(height: number, file: CoreFile, offset: number): string {
    const block = `block ${height} (${chain[height]!.block.getId()})`
    return kind === 'blk'
      ? `${block} in ${file.file} at offset ${offset}`
      : `the undo record in ${file.file} at offset ${offset} does not fit ${block}`
  }

  /**
   * Flips a bit in some records of each file but the newest, which was proved; returns what is to
   * be told of each.
   */
  function flipBits(recordsOf: (file: CoreFile) => readonly number[]): string[] {
    copyFolder(whole, blocks)
    return fileNames(blocks, kind)
      .slice(0, -1)
      .flatMap((name, number) => {
        const file = new CoreFile(blocks, name)
        // The first block has no undo record.
        const first = firstHeightIn(whole, number) + (kind === 'rev' && number === 0 ? 1 : 0)
        const faults = recordsOf(file).map((place) => {
          const { offset, size } = file.record(place)
          file.bytes[offset + random.between(firstByte, size - 1)]! ^= 1 << random.between(0, 7)
          return describePlace(first + place, file, offset)
        })
        file.save()
        return faults
      })
  }

  it('names each in one run where there is a node, from which all blocks can be taken', async () => {
    let flips = 0
    while (flips < flippedBits) {
      copyFolder(published, dataDir)
      const faults = flipBits(({ records }) => [...records.keys()])
      flips += faults.length
      const { exitCode, stdout, stderr } = await run('prove', blocks, dataDir, rpc())
      expect(exitCode, stderr).toBe(0)
      for (const fault of faults) expect(stdout).toContain(`but published correctly: ${fault}`)
      expect(stdout).toContain('proved: 121 of 121 blocks')
    }
  })

  it('names one of each file where no node can be asked, and counts none of their blocks as proved', async () => {
    const before = readGeneration(dataDir).proved.blocks
    const faults = flipBits(({ records }) => [random.between(0, records.length - 1)])
    expect(faults.length).toBeGreaterThan(2)
    const { exitCode, stderr } = await run('prove', blocks, dataDir)
    expect(exitCode).toBe(4)
    for (const fault of faults) expect(stderr).toContain(fault)
    const { stdout } = await coinstrata(['status', '--data-dir', dataDir])
    expect(stdout).toContain(`proved      ${before} of 121 blocks`)
  })
})

describe('an update whose sums are not those of the node', () => {
  const options = { proveBytes: 1 }

  it('finds what was scanned from a file that was damaged then, and goes on', async () => {
    damage(1)
    await scanUnproved()
    copyFolder(whole, blocks)
    await update(settings(true), silent, options)
    expect(readGeneration(dataDir).notes.join()).toContain('1 segments had been scanned from damaged files')
    expect(await tableDifferences(dataDir, wholeData)).toEqual({})
  })

  it('finds the block that is damaged still, takes it from the node, names it and goes on', async () => {
    const { fault } = damage(1)
    await scanUnproved()
    await update(settings(true), silent, options)
    expect(readGeneration(dataDir).notes.join()).toContain(`${fault}; it was read over RPC instead`)
    expect(await tableDifferences(dataDir, wholeData)).toEqual({})
  })

  it('names the block where the node hands out nothing better', async () => {
    copyFolder(wholeData, dataDir)
    rmSync(path.join(dataDir, 'raw', 'segments'), { recursive: true })
    const published = publishedBytes(dataDir)
    const { height, fault } = damage(1)
    await scanUnproved()
    const { block } = chain[height]!
    const intact = block.transactions![0]!.outs[0]!.value
    block.transactions![0]!.outs[0]!.value ^= 1n << 32n
    try {
      await expect(update(settings(true), silent, options)).rejects.toMatchObject({
        code: 'block_corrupt',
        message: `${fault}; the copy that the node returns over RPC has other transactions than its merkle root commits to`,
      })
    } finally {
      block.transactions![0]!.outs[0]!.value = intact
    }
    expect(publishedBytes(dataDir)).toEqual(published)
  })

  it('does not blame the files where every block is proved', async () => {
    const right = unspent
    unspent = { ...right, sats: right.sats - 1 }
    try {
      const { exitCode, stderr } = await run('update', blocks, dataDir, rpc())
      expect(exitCode).toBe(5)
      expect(stderr).toContain(`the node counts ${right.sats - 1} satoshis`)
      expect(stderr).toContain('every block is proved against its hash, so the block files are not the cause')
    } finally {
      unspent = right
    }
  })
})

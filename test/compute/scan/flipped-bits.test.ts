import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Block } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CoinstrataError } from '#base/errors.ts'
import { ingestFiles } from '#compute/scan/ingest-files.ts'
import type { NodePin } from '#compute/scan/node-pin.ts'
import type { ScanResult } from '#compute/scan/scan.ts'
import { scanUnit } from '#compute/scan/scan-task.ts'
import { defaultProveBytes } from '#compute/scan/scan-unit.ts'
import type { ScanUnits } from '#compute/scan/unit-scanner.ts'
import { FileUnitReader } from '#ingest/chain/file-unit-reader.ts'
import { networks } from '#ingest/chain/networks.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import { CoreFile, fileNames } from '#test/support/core-file.ts'
import { commitToWitnesses, type MadeBlock, makeChain, writeChain } from '#test/support/made-chain.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { Random } from '#test/support/random.ts'
import { type RpcServer, results, startRpcServer } from '#test/support/rpc-server.ts'
import { trials } from '#test/support/trials.ts'

const network = networks.regtest
const tipHeight = 90
const flips = trials(40, 200)

const folder = temporaryFolder('flips')
const blocks = path.join(folder, 'blocks')
const files = new FileUnitReader()
let chain: MadeBlock[]
let node: RpcServer

/**
 * The tables that a run with proof would make segments of, one after the other in the order of the
 * files.
 */
interface Scanned {
  readonly tip: number
  readonly tables: readonly ScanResult[]
  readonly refetched: readonly string[]
}

/** Scans as an update does, but in this thread and without storing anything. */
async function scan(blocksFolder: string, pinnedHeight?: number, prove = true): Promise<Scanned> {
  const endpoint = { url: node.url, credentials: { user: 'analyst', password: 'x' } }
  const pin: NodePin | undefined =
    pinnedHeight === undefined
      ? undefined
      : {
          client: new RpcClient(endpoint),
          endpoint,
          firstStored: 0,
          unspent: undefined,
          tip: { height: pinnedHeight, hash: chain[pinnedHeight]!.block.getId() },
        }
  let tables: ScanResult[] = []
  const refetched: string[] = []
  const scanUnits: ScanUnits = async ({ times, days }, units) => {
    tables = []
    const unproved: number[] = []
    for (const unit of units) {
      if (unit.kind === 'stored') continue
      const task = {
        unit,
        network: network.name,
        times: { times, days },
        referee: pin?.endpoint,
        prove,
        addresses: 'sample' as const,
      }
      const outcome = await scanUnit(task, files)
      if (outcome.kind === 'unproved') unproved.push(...outcome.heights)
      else {
        tables.push(outcome.tables)
        refetched.push(...outcome.refetched)
      }
    }
    return {
      keys: [],
      lastHeights: [],
      unproved,
      unclaimedUndo: 0,
      unclaimedAtEnd: 0,
      corrected: 0,
      refetched,
      blocks: 0,
      bytes: 0,
    }
  }
  const dataDir = path.join(folder, 'data')
  const { chain: scanned } = await ingestFiles(blocksFolder, dataDir, network, pin, scanUnits, defaultProveBytes, [])
  return { tip: scanned.tipHeight, tables, refetched }
}

/** By the height of the tip: what the intact files give. */
const truths = new Map<number, readonly ScanResult[]>()
async function truthAt(tip: number): Promise<readonly ScanResult[]> {
  const known = truths.get(tip)
  if (known) return known
  const { tables } = await scan(path.join(folder, 'intact'), tip)
  truths.set(tip, tables)
  return tables
}

beforeAll(async () => {
  chain = makeChain(tipHeight + 1)
  for (const name of ['intact', 'blocks']) await writeChain(path.join(folder, name), chain, tipHeight)
  const raw = new Map(chain.map(({ block }) => [block.getId(), block.toHex()]))
  node = await startRpcServer((calls) => results(calls, ({ params: [hash] }) => raw.get(String(hash))))
  expect(fileNames(blocks, 'blk').length).toBeGreaterThan(2)
})
afterAll(() => {
  node.stop()
  rmSync(folder, { recursive: true })
})

interface Outcomes {
  refused: number
  /** Let through, as the chain to its tip. */
  right: number
  /** Chains that end before the tip. */
  shorter: number
  refetched: number
  readonly codes: Set<string>
  readonly messages: string[]
}

/**
 * Flips one bit after the other in a file, by default the newest of its kind, and looks at what
 * gets through.
 */
async function flipBits(
  kind: 'blk' | 'rev',
  { pinnedHeight, place = -1, prove }: { pinnedHeight?: number | undefined; place?: number; prove?: boolean } = {},
): Promise<Outcomes> {
  const random = new Random(20_140_401)
  const file = path.join(blocks, fileNames(blocks, kind).at(place)!)
  const intact = readFileSync(file)
  const outcomes: Outcomes = { refused: 0, right: 0, shorter: 0, refetched: 0, codes: new Set(), messages: [] }
  for (let i = 0; i < flips; i++) {
    const at = random.between(0, intact.length - 1)
    const damaged = Buffer.from(intact)
    damaged[at]! ^= 1 << random.between(0, 7)
    writeFileSync(file, damaged)
    try {
      const { tip, tables, refetched } = await scan(blocks, pinnedHeight, prove)
      expect(tables, `${file}, offset ${at}`).toEqual(await truthAt(tip))
      outcomes.right++
      if (tip < tipHeight) outcomes.shorter++
      outcomes.refetched += refetched.length
    } catch (error) {
      if (!(error instanceof CoinstrataError)) throw error
      outcomes.refused++
      outcomes.codes.add(error.code)
      outcomes.messages.push(error.message)
    }
  }
  writeFileSync(file, intact)
  return outcomes
}

describe('a flipped bit', () => {
  it('of the newest blocks is never let through where no node can be asked', async () => {
    const { refused, right, shorter, codes } = await flipBits('blk')
    expect(refused + right).toBe(flips)
    expect(refused).toBeGreaterThan(flips / 2)
    // A block that is no longer recognised at the very end leaves a shorter chain, or was not
    // connected anyway.
    expect(right).toBeGreaterThan(0)
    expect(shorter).toBeLessThan(flips / 10)
    expect(codes).toContain('block_corrupt')
  })

  it('of the newest blocks is made good where a node hands out the block, or refused', async () => {
    const { refused, right, shorter, refetched, codes } = await flipBits('blk', { pinnedHeight: tipHeight })
    expect(refused + right).toBe(flips)
    expect(shorter).toBe(0)
    expect(refetched).toBeGreaterThan(flips / 2)
    expect([...codes].filter((code) => code !== 'chain_incomplete')).toEqual([])
  })

  it.each([
    ['without', undefined],
    ['with', tipHeight],
  ])('of the newest undo records is never let through %s a node', async (_, pinnedHeight) => {
    const { refused, right, codes } = await flipBits('rev', { pinnedHeight })
    expect(refused + right).toBe(flips)
    expect(refused).toBeGreaterThan(flips / 2)
    expect([...codes]).toEqual(['undo_missing'])
  })

  it('of old undo records is found by the scan that reads them, though it proves no block, and named', async () => {
    const { refused, right, messages } = await flipBits('rev', { place: 0, prove: false })
    expect(refused + right).toBe(flips)
    expect(refused).toBeGreaterThan(flips * 0.9)
    for (const message of messages) {
      expect(message).toMatch(
        /rev00000\.dat has no undo record that fits block \d+, which is in \S+blk00000\.dat at offset \d+/,
      )
    }
  })

  it('is named with the file, the offset, the height and the hash of the block', async () => {
    const newest = new CoreFile(blocks, fileNames(blocks, 'blk').at(-1)!)
    const { file } = newest
    const intact = readFileSync(file)
    const { offset, size } = newest.record(1)
    // In a lock time.
    newest.flipBit(offset + size - 1)
    newest.save()
    await expect(scan(blocks)).rejects.toMatchObject({
      code: 'block_corrupt',
      message: expect.stringMatching(
        new RegExp(
          `^block \\d+ \\([0-9a-f]{64}\\) in ${file} at offset ${offset} has other transactions than its merkle root`,
        ),
      ),
    })
    writeFileSync(file, intact)
  })
})

it('refuses a block that commits to other witnesses than it has', async () => {
  const height = chain.findLastIndex(({ block }, i) => i < tipHeight && block.transactions?.[0]?.hasWitnesses())
  const forged = Block.fromBuffer(chain[height]!.block.toBuffer())
  const [coinbase, ...others] = forged.transactions ?? []
  coinbase!.outs.pop()
  const [item] = others.find((each) => each.hasWitnesses())!.ins.find(({ witness }) => witness.length > 0)!.witness
  commitToWitnesses(forged.transactions!)
  // The commitment is to this witness, and the next one takes its place.
  item![0]! ^= 1
  forged.merkleRoot = Block.calculateMerkleRoot(forged.transactions!)
  while (!forged.checkProofOfWork()) forged.nonce++
  const made = [...chain.slice(0, height), { ...chain[height]!, block: forged }, chain[height + 1]!]
  const bad = path.join(folder, 'forged')
  await writeChain(bad, made, height)
  await expect(scan(bad)).rejects.toMatchObject({
    code: 'block_corrupt',
    message: expect.stringContaining(`block ${height} (${forged.getId()}) in`),
  })
  await expect(scan(bad)).rejects.toThrow('has other witnesses than its coinbase commits to')
})

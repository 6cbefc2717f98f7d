import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { z } from 'zod'
import { ingest } from '#compute/scan/ingest.ts'
import { type UpdateOptions, update } from '#compute/update.ts'
import { networks } from '#ingest/chain/networks.ts'
import { CoreFile, copyFolder, firstHeightIn } from '#test/support/core-file.ts'
import { fixture } from '#test/support/fixture.ts'
import { type MadeBlock, makeChain } from '#test/support/made-chain.ts'
import { settingsOf } from '#test/support/made-folder.ts'
import { coinstrata, type Outcome, placesIn, temporaryFolder } from '#test/support/program.ts'
import { currentFolder } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'
import { type RpcServer, results, startRpcServer } from '#test/support/rpc-server.ts'

export const tipHeight = 120

const generationSchema = z.object({
  tip: z.object({ supply_sats: z.int(), utxo_count: z.int() }),
  proved: z.object({ blocks: z.int(), of: z.int() }),
  notes: z.array(z.string()),
})
export const readGeneration = (data: string) =>
  generationSchema.parse(JSON.parse(readFileSync(path.join(currentFolder(data), 'generation.json'), 'utf8')))

export const run = (
  command: string,
  blocksFolder: string,
  data: string,
  args: readonly string[] = [],
): Promise<Outcome> =>
  coinstrata([command, '--network', 'regtest', '--blocksdir', blocksFolder, '--data-dir', data, ...args])

const silent = { say: () => {}, scanned: () => {} }

/** Scans as the first run of a large chain does: almost nothing is proved. */
function scanUnproved(blocksFolder: string, dataDir: string): Promise<unknown> {
  mkdirSync(path.join(dataDir, 'raw', 'segments'), { recursive: true })
  const source = { kind: 'files' as const, blocksFolder, endpoint: undefined, isEndpointRequired: false }
  return ingest({ dataDir, network: networks.regtest, source, progress: silent, proveBytes: 1, addresses: 'sample' })
}

/** The data folder of a chain whose newest blocks alone were proved. Copy it before changing it. */
async function publishUnproved(blocks: string): Promise<string> {
  const folder = await fixture('unproved-chain', async (shared) => {
    const dataDir = path.join(shared, 'data')
    await scanUnproved(blocks, dataDir)
    const { exitCode, stderr } = await run('compute', blocks, dataDir)
    if (exitCode !== 0) throw new Error(stderr)
  })
  return path.join(folder, 'data')
}

const hasWitness = ({ block }: MadeBlock): boolean => block.transactions![0]!.hasWitnesses()

/**
 * A published chain, copies of its files that may be damaged, and what answers as its node. Each
 * test begins with intact files and without data.
 */
export async function useProvedChain() {
  const { blocks: whole, dataDir: wholeData } = await publishedChain(tipHeight)
  const unproved = await publishUnproved(whole)
  const folder = temporaryFolder('proof')
  const { blocks, dataDir } = placesIn(folder, 'blocks', 'dataDir')
  const chain = makeChain(tipHeight + 1)
  const { tip } = readGeneration(wholeData)
  /** The sums that the node counts. */
  const unspent = { sats: tip.supply_sats, outputs: tip.utxo_count }
  let node: RpcServer

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
   * Damages a block of an old file so that it pays its miner less than it may: nothing but its hash
   * tells that it did not.
   */
  function damage(fileNumber: number): { height: number; fault: string } {
    const file = new CoreFile(blocks, `blk0000${fileNumber}.dat`)
    const first = firstHeightIn(whole, fileNumber)
    const place = file.records.findIndex((_, i) => i > 2 && !hasWitness(chain[first + i]!))
    const height = first + place
    const { offset } = file.record(place)
    // The amount of the first output of a coinbase without witness: 50 BTC is 00 f2 05 2a 01 00 00
    // 00.
    file.bytes[offset + 133 + 4]! ^= 1
    file.save()
    const where = `block ${height} (${chain[height]!.block.getId()}) in ${file.file} at offset ${offset}`
    return { height, fault: `${where} has other transactions than its merkle root commits to` }
  }

  return {
    ...{ whole, wholeData, unproved, blocks, dataDir, chain, unspent, damage },
    /** Arguments of `coinstrata` that name the node. */
    rpc: (): string[] => ['--rpc-url', node.url, '--rpc-user', 'any'],
    scanUnproved: () => scanUnproved(blocks, dataDir),
    /** Updates with the node, and proves no more than it must. */
    updateUnproved: () => {
      const settings = settingsOf(dataDir, blocks, { source: 'auto', rpcUser: 'any', rpcUrl: node.url })
      const options: UpdateOptions = { proveBytes: 1 }
      return update(settings, silent, options)
    },
  }
}

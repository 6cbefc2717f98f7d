import { secondsPerDay } from '#base/days.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { headerTime } from '#ingest/chain/header-chain.ts'
import { type ChainTip, readHeaders } from '#ingest/chain/node.ts'
import type { RpcClient } from '#ingest/chain/rpc.ts'
import { readRpcBlocks } from '#ingest/chain/rpc-block.ts'
import type { PublishedBase } from './published-base.ts'

/** Chain after the published days. */
export interface OpenBlockChain {
  readonly base: PublishedBase
  readonly blocks: readonly DecodedBlock[]
  /** In display order. */
  readonly hashes: readonly string[]
  /** Monotone times and days of all blocks by height. */
  readonly times: Uint32Array
  readonly days: Int32Array
}

/**
 * Blocks of the open days. Each is read once, checked against its hash, and cached while on the
 * chain.
 */
export class OpenBlocks {
  #blocks = new Map<string, DecodedBlock>()

  /**
   * Reads the blocks after the base up to a tip; `undefined` if a reorganisation has removed
   * published days.
   */
  async readChain(client: RpcClient, base: PublishedBase, tip: ChainTip): Promise<OpenBlockChain | undefined> {
    const { height } = base.tip
    if (tip.height <= height) return undefined
    const { headers, hashes } = await readHeaders(client, tip, height)
    const [parent, ...open] = hashes.map(displayHash)
    const times = new Uint32Array(tip.height + 1)
    times.set(base.times)
    for (let i = 1; i < headers.length; i++) {
      times[height + i] = Math.max(times[height + i - 1]!, headerTime(headers[i]!))
    }
    const days = Int32Array.from(times, (time) => Math.floor(time / secondsPerDay))
    if (parent !== base.tip.hash || days[height + 1]! <= base.lastDay) return undefined
    return { base, hashes: open, times, days, blocks: await this.read(client, height + 1, open) }
  }

  /**
   * After an error, blocks read so far stay cached.
   * @param hashes in display order, at consecutive heights
   */
  async read(client: RpcClient, firstHeight: number, hashes: readonly string[]): Promise<DecodedBlock[]> {
    const wanted = new Set(hashes)
    this.#blocks = new Map([...this.#blocks].filter(([hash]) => wanted.has(hash)))
    // Each block commits to its parent, so no cached block follows a new one.
    const known = this.#blocks.size
    const missing = hashes.slice(known)
    const block = new DecodedBlock()
    const heights = missing.map((_, i) => firstHeight + known + i)
    for await (const height of readRpcBlocks(client, heights, missing, block)) {
      this.#blocks.set(hashes[height - firstHeight]!, cloneBlock(block))
    }
    return hashes.map((hash) => this.#blocks.get(hash)!)
  }
}

function cloneBlock(block: DecodedBlock): DecodedBlock {
  const { transactionCount, spentCount } = block
  return Object.assign(new DecodedBlock(), block, {
    inputCounts: block.inputCounts.slice(0, transactionCount),
    outputCounts: block.outputCounts.slice(0, transactionCount),
    outputSats: block.outputSats.slice(0, transactionCount),
    largestOutputs: block.largestOutputs.slice(0, transactionCount),
    transactionWeights: block.transactionWeights.slice(0, transactionCount),
    marks: block.marks.slice(0, transactionCount),
    createdValues: block.createdValues.slice(0, block.createdCount),
    createdTypes: block.createdTypes.slice(0, block.createdCount),
    createdIdentities: block.createdIdentities.slice(0, 2 * block.createdCount),
    spentSats: block.spentSats.slice(0, spentCount),
    spentHeights: block.spentHeights.slice(0, spentCount),
    spentKinds: block.spentKinds.slice(0, spentCount),
    spentIdentities: block.spentIdentities.slice(0, 2 * spentCount),
    createdSats: block.createdSats.slice(),
    createdCarries: block.createdCarries.slice(),
    createdOutputs: block.createdOutputs.slice(),
  })
}

import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import type { RpcClient } from '#ingest/chain/rpc.ts'
import { readRpcBlocks } from '#ingest/chain/rpc-block.ts'

/** The blocks of the open days. Each is asked for once, proved against its hash, and kept while it is on the chain. */
export class OpenBlocks {
  #blocks = new Map<string, DecodedBlock>()

  /**
   * The blocks of these hashes (in display order, of consecutive heights); others are forgotten. Throws what
   * `readRpcBlocks` throws; what was read until then stays.
   */
  async read(client: RpcClient, firstHeight: number, hashes: readonly string[]): Promise<DecodedBlock[]> {
    const wanted = new Set(hashes)
    this.#blocks = new Map([...this.#blocks].filter(([hash]) => wanted.has(hash)))
    // Each block commits to the one before it, so that behind a new one there are none that are known.
    const known = this.#blocks.size
    const missing = hashes.slice(known)
    const block = new DecodedBlock()
    for await (const height of readRpcBlocks(client, firstHeight + known, missing, block, true)) {
      this.#blocks.set(hashes[height - firstHeight]!, copyOf(block))
    }
    return hashes.map((hash) => this.#blocks.get(hash)!)
  }
}

/** A block of its own, in arrays as long as they need to be. */
function copyOf(block: DecodedBlock): DecodedBlock {
  const { transactionCount, spentCount } = block
  return Object.assign(new DecodedBlock(), block, {
    inputCounts: block.inputCounts.slice(0, transactionCount),
    outputSats: block.outputSats.slice(0, transactionCount),
    spentSats: block.spentSats.slice(0, spentCount),
    spentHeights: block.spentHeights.slice(0, spentCount),
  })
}

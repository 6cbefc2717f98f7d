import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import type { RpcClient } from '#ingest/chain/rpc.ts'
import { readRpcBlocks } from '#ingest/chain/rpc-block.ts'

/** The blocks of the open days. Each is read once, checked against its hash, and cached while it is on the chain. */
export class OpenBlocks {
  #blocks = new Map<string, DecodedBlock>()

  /** `hashes` are in display order, of consecutive heights. After an error the blocks read so far stay cached. */
  async read(client: RpcClient, firstHeight: number, hashes: readonly string[]): Promise<DecodedBlock[]> {
    const wanted = new Set(hashes)
    this.#blocks = new Map([...this.#blocks].filter(([hash]) => wanted.has(hash)))
    // Each block commits to the one before it, so no cached block follows a new one.
    const known = this.#blocks.size
    const missing = hashes.slice(known)
    const block = new DecodedBlock()
    for await (const height of readRpcBlocks(client, firstHeight + known, missing, block, true)) {
      this.#blocks.set(hashes[height - firstHeight]!, cloneBlock(block))
    }
    return hashes.map((hash) => this.#blocks.get(hash)!)
  }
}

function cloneBlock(block: DecodedBlock): DecodedBlock {
  const { transactionCount, spentCount } = block
  return Object.assign(new DecodedBlock(), block, {
    inputCounts: block.inputCounts.slice(0, transactionCount),
    outputSats: block.outputSats.slice(0, transactionCount),
    spentSats: block.spentSats.slice(0, spentCount),
    spentHeights: block.spentHeights.slice(0, spentCount),
  })
}

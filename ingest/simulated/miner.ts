import { headerBytes } from '../chain/block.ts'
import { noHash } from '../chain/merkle.ts'
import { mineHeader } from './block.ts'

export interface MiningTask {
  /** Headers without hash of the parent and nonce, which are added. */
  readonly headers: Uint8Array
  /** Number of each header's parent, counted from the first of the miner; −1 for genesis. */
  readonly parents: Int32Array
}

export interface MinedHeaders {
  readonly headers: Uint8Array
  /** 32 bytes each, in internal byte order. */
  readonly hashes: Uint8Array
}

/** Mines the blocks of a chain, each after its parent. */
export class Miner {
  readonly #hashes: Uint8Array[] = []

  mine({ headers, parents }: MiningTask): MinedHeaders {
    const first = this.#hashes.length
    for (const [i, parent] of parents.entries()) {
      const header = headers.subarray(headerBytes * i, headerBytes * (i + 1))
      this.#hashes.push(mineHeader(header, this.#hashes[parent] ?? noHash))
    }
    return { headers, hashes: Buffer.concat(this.#hashes.slice(first)) }
  }
}

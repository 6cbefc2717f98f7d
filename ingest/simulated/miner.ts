import { headerBytes } from '../chain/block.ts'
import { mineHeader } from './block.ts'

export interface MiningTask {
  /** Headers without nonce, each after its parent. */
  readonly headers: Uint8Array
  /** Place of each header's parent in the task, whose hash is added; −1 if the header names an earlier one. */
  readonly parents: Int32Array
}

export interface MinedHeaders {
  readonly headers: Uint8Array
  /** 32 bytes each, in internal byte order. */
  readonly hashes: Uint8Array
}

/** Mines headers, here or in a thread. */
export default function mineHeaders({ headers, parents }: MiningTask): MinedHeaders {
  const hashes = new Uint8Array(32 * parents.length)
  for (const [i, parent] of parents.entries()) {
    const header = headers.subarray(headerBytes * i, headerBytes * (i + 1))
    if (parent >= 0) header.set(hashes.subarray(32 * parent, 32 * (parent + 1)), 4)
    hashes.set(mineHeader(header), 32 * i)
  }
  return { headers, hashes }
}

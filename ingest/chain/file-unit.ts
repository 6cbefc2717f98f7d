import { CoinstrataError } from '#base/errors.ts'
import { displayHash } from './bytes.ts'

/** The blocks of a chain that stand in one block file, in height order. */
export interface FileUnit {
  readonly kind: 'files'
  /** Why the blocks can no longer be read: a node has pruned them. */
  readonly gone?: string | undefined
  readonly blockFile: string
  readonly undoFile: string
  readonly key: Uint8Array
  readonly magic: number
  readonly heights: Uint32Array
  /** 32 bytes a block, as in the block files. */
  readonly hashes: Uint8Array
  readonly offsets: Uint32Array
  readonly sizes: Uint32Array
}

/** The error for the `i`-th block of a unit; `what` goes on from its place. */
export function corruptBlock(unit: FileUnit, i: number, what: string): CoinstrataError {
  const hash = displayHash(unit.hashes.subarray(32 * i, 32 * i + 32))
  const where = `block ${unit.heights[i]} (${hash}) in ${unit.blockFile} at offset ${unit.offsets[i]}`
  return new CoinstrataError('block_corrupt', `${where} ${what}`, {
    cure: 'make the node check its files (restart it with -reindex), or give the RPC of another node (--rpc-url) that has the block',
  })
}

/** What is wrong with bytes; any other failure goes on as it is. */
export function messageOf(cause: unknown): string {
  if (cause instanceof RangeError) return cause.message
  throw cause
}

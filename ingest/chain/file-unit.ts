import { CoinstrataError } from '#base/errors.ts'
import { type BlockFolder, blockFile, undoFile } from './block-folder.ts'
import type { StoredChain } from './block-tree.ts'
import { displayHash } from './bytes.ts'
import { hashAt, hashesOf } from './header-chain.ts'
import type { Network } from './networks.ts'

/** A chain's blocks in one block file, in height order. */
export interface FileUnit {
  readonly kind: 'files'
  /** Message for blocks that the node has pruned. */
  readonly prunedReason?: string | undefined
  readonly blockFile: string
  readonly undoFile: string
  readonly key: Uint8Array
  readonly magic: number
  readonly heights: Uint32Array
  /** 32 bytes each, in internal byte order. */
  readonly hashes: Uint8Array
  readonly offsets: Uint32Array
  readonly sizes: Uint32Array
}

export const reindexCure = 'make the node check its files: restart it with -reindex'

export const describeBlock = (unit: FileUnit, i: number): string =>
  `block ${unit.heights[i]} (${displayHash(hashAt(unit, i))}) in ${unit.blockFile} at offset ${unit.offsets[i]}`

/** Error for the `i`-th block of a unit; `what` follows the location. */
export const corruptBlock = (unit: FileUnit, i: number, what: string): CoinstrataError =>
  new CoinstrataError('block_corrupt', `${describeBlock(unit, i)} ${what}`, {
    cure: 'make the node check its files (restart it with -reindex), or give the RPC of another node (--rpc-url) that has the block',
  })

/** Rethrows errors that are not about the bytes. */
export function rangeErrorMessage(cause: unknown): string {
  if (cause instanceof RangeError) return cause.message
  throw cause
}

/** Splits a stored chain into units, one per block file (only the `chosen` ones if given). */
export function planFileUnits(
  { folder, key, fileNumbers: present }: BlockFolder,
  network: Network,
  stored: StoredChain,
  chosen?: ReadonlySet<number>,
): FileUnit[] {
  const presentFiles = new Set(present)
  const { fileNumbers, offsets, sizes } = stored.locations
  const files = heightsByFile(fileNumbers).filter(([fileNumber]) => chosen?.has(fileNumber) ?? true)
  return files.map(([fileNumber, heights]) => ({
    kind: 'files',
    prunedReason: presentFiles.has(fileNumber)
      ? undefined
      : `${blockFile(folder, fileNumber)} is gone, as on a pruned node`,
    blockFile: blockFile(folder, fileNumber),
    undoFile: undoFile(folder, fileNumber),
    key,
    magic: network.magic,
    heights,
    hashes: hashesOf(stored.chain, heights),
    offsets: heights.map((height) => offsets[height]!),
    sizes: heights.map((height) => sizes[height]!),
  }))
}

function heightsByFile(fileNumbers: Uint32Array): [fileNumber: number, heights: Uint32Array][] {
  const highest = fileNumbers.reduce((max, fileNumber) => Math.max(max, fileNumber), 0)
  const counts = new Uint32Array(highest + 1)
  for (let height = 0; height < fileNumbers.length; height++) counts[fileNumbers[height]!]!++
  const columns = Array.from(counts, (count) => new Uint32Array(count))
  counts.fill(0)
  for (let height = 0; height < fileNumbers.length; height++) {
    const fileNumber = fileNumbers[height]!
    columns[fileNumber]![counts[fileNumber]!++] = height
  }
  return [...columns.entries()].filter(([, heights]) => heights.length > 0)
}

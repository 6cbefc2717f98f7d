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
  /** Blocks of the chain in this file that are in stored units. */
  readonly storedBlocks?: number
}

/** Blocks that were scanned over RPC: they may be in several files, and cannot be read as one unit. */
export interface StoredUnit extends Pick<FileUnit, 'heights' | 'hashes' | 'prunedReason'> {
  readonly kind: 'stored'
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

const describeGone = (folder: string, fileNumber: number): string =>
  `${blockFile(folder, fileNumber)} is gone, as on a pruned node`

/**
 * Splits a stored chain into units, one per block file (only the `chosen` ones if given), without
 * the heights of stored units.
 */
export function planFileUnits(
  { folder, key, fileNumbers: present }: BlockFolder,
  network: Network,
  stored: StoredChain,
  chosen?: ReadonlySet<number>,
  storedHeights: readonly Uint32Array[] = [],
): FileUnit[] {
  const presentFiles = new Set(present)
  const { fileNumbers, offsets, sizes } = stored.locations
  const isStored = new Uint8Array(fileNumbers.length)
  for (const heights of storedHeights) for (const height of heights) isStored[height] = 1
  return heightsByFile(fileNumbers).flatMap(([fileNumber, all]): FileUnit[] => {
    const heights = all.filter((height) => !isStored[height])
    if (heights.length === 0 || chosen?.has(fileNumber) === false) return []
    return [
      {
        kind: 'files',
        prunedReason: presentFiles.has(fileNumber) ? undefined : describeGone(folder, fileNumber),
        blockFile: blockFile(folder, fileNumber),
        undoFile: undoFile(folder, fileNumber),
        key,
        magic: network.magic,
        heights,
        hashes: hashesOf(stored.chain, heights),
        offsets: heights.map((height) => offsets[height]!),
        sizes: heights.map((height) => sizes[height]!),
        storedBlocks: all.length - heights.length,
      },
    ]
  })
}

/** Units of blocks that were scanned over RPC. */
export function planStoredUnits(
  { folder, fileNumbers: present }: BlockFolder,
  { chain, locations: { fileNumbers } }: StoredChain,
  storedHeights: readonly Uint32Array[],
): StoredUnit[] {
  const presentFiles = new Set(present)
  return storedHeights.map((heights) => {
    const gone = heights.find((height) => !presentFiles.has(fileNumbers[height]!))
    const prunedReason = gone === undefined ? undefined : describeGone(folder, fileNumbers[gone]!)
    return { kind: 'stored', prunedReason, heights, hashes: hashesOf(chain, heights) }
  })
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

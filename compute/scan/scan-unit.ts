import type { FileUnit } from '#ingest/chain/file-unit.ts'
import type { HeaderChain } from '#ingest/chain/header-chain.ts'
import type { RpcUnit } from '#ingest/chain/rpc-unit.ts'

/** Blocks that are read together. */
export type ScanUnit = FileUnit | RpcUnit

/**
 * So many bytes of the newest blocks are proved before anything is published, in the first run as in every other: three
 * days and more of full blocks. To hash a block takes some ten times as long as to scan it, so what is older is proved
 * afterwards.
 */
export const bytesProvedAtOnce = 1e9

/** What a block that comes over RPC counts for; its size is not known before. */
const assumedBlockBytes = 2_000_000

/** The units with the newest blocks, as few as hold so many bytes together, or all. */
export function newestUnits(units: readonly ScanUnit[], bytes: number): ReadonlySet<ScanUnit> {
  const newest = new Set<ScanUnit>()
  let total = 0
  for (const unit of units.toSorted((a, b) => lastHeight(b) - lastHeight(a))) {
    if (total >= bytes) break
    newest.add(unit)
    total += bytesOf(unit)
  }
  return newest
}

export const firstHeight = (unit: ScanUnit): number => (unit.kind === 'files' ? unit.heights[0]! : unit.firstHeight)

export const lastHeight = (unit: ScanUnit): number =>
  unit.kind === 'files' ? unit.heights.at(-1)! : unit.firstHeight + unit.hashes.length - 1

export const bytesOf = (unit: ScanUnit): number =>
  unit.kind === 'files' ? unit.sizes.reduce((sum, size) => sum + size, 0) : unit.hashes.length * assumedBlockBytes

/** The hashes of the blocks of a unit, 32 bytes each, as in the block files. */
export function hashesOf(unit: ScanUnit, chain: HeaderChain): Uint8Array {
  if (unit.kind === 'files') return unit.hashes
  return chain.hashes.subarray(32 * unit.firstHeight, 32 * (unit.firstHeight + unit.hashes.length))
}

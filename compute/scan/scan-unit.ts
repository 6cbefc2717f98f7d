import type { FileUnit, StoredUnit } from '#ingest/chain/file-unit.ts'
import type { RpcUnit } from '#ingest/chain/rpc-unit.ts'

export type ScanUnit = FileUnit | RpcUnit | StoredUnit

/**
 * Over three days of full blocks. Hashing takes ten times as long as scanning, so the rest is
 * proved later.
 */
export const defaultProveBytes = 1e9

/** Assumed, because the size of a block over RPC is not known in advance. */
const assumedRpcBlockBytes = 2_000_000

/** The fewest units with the newest blocks that have `bytes` bytes together, or all. */
export function newestUnits(units: readonly ScanUnit[], bytes: number): ReadonlySet<ScanUnit> {
  const newest = new Set<ScanUnit>()
  let total = 0
  for (const unit of units.toSorted((a, b) => lastHeight(b) - lastHeight(a))) {
    if (total >= bytes) break
    newest.add(unit)
    total += unitBytes(unit)
  }
  return newest
}

export const firstHeight = ({ heights }: ScanUnit): number => heights[0]!
export const lastHeight = ({ heights }: ScanUnit): number => heights.at(-1)!

export const unitBytes = (unit: ScanUnit, rpcBlockBytes = assumedRpcBlockBytes): number =>
  unit.kind === 'files' ? unit.sizes.reduce((sum, size) => sum + size, 0) : unit.heights.length * rpcBlockBytes

import type { FileUnit } from '#ingest/chain/file-unit.ts'
import type { HeaderChain } from '#ingest/chain/header-chain.ts'
import type { RpcUnit } from '#ingest/chain/rpc-unit.ts'

export type ScanUnit = FileUnit | RpcUnit

/** Over three days of full blocks. Hashing takes ten times as long as scanning, so the rest is proved later. */
export const defaultProveBytes = 1e9

/** The size of a block read over RPC is not known in advance. */
const assumedRpcBlockBytes = 2_000_000

/** The fewest units with the newest blocks that together have `bytes` bytes, or all. */
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

export const firstHeight = (unit: ScanUnit): number => (unit.kind === 'files' ? unit.heights[0]! : unit.firstHeight)

export const lastHeight = (unit: ScanUnit): number =>
  unit.kind === 'files' ? unit.heights.at(-1)! : unit.firstHeight + unit.hashes.length - 1

export const unitBytes = (unit: ScanUnit): number =>
  unit.kind === 'files' ? unit.sizes.reduce((sum, size) => sum + size, 0) : unit.hashes.length * assumedRpcBlockBytes

/** Block hashes of a unit, 32 bytes each, in internal byte order. */
export function unitHashes(unit: ScanUnit, chain: HeaderChain): Uint8Array {
  if (unit.kind === 'files') return unit.hashes
  return chain.hashes.subarray(32 * unit.firstHeight, 32 * (unit.firstHeight + unit.hashes.length))
}

import { displayHash } from './bytes.ts'
import { DecodedBlock } from './decoded-block.ts'
import { type HeaderChain, hashAt } from './header-chain.ts'
import { RpcClient } from './rpc.ts'
import { readRpcBlocks } from './rpc-block.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

export interface RpcUnit {
  readonly kind: 'rpc'
  readonly prunedReason?: string | undefined
  readonly endpoint: RpcEndpoint
  readonly firstHeight: number
  /** In display order. */
  readonly hashes: readonly string[]
}

/** About a day, so that a nightly run fetches few blocks again. */
const blocksPerUnit = 144

/** Splits a chain into units that stay the same while it grows. `firstStored` is the node's lowest block. */
export function planRpcUnits(chain: HeaderChain, endpoint: RpcEndpoint, firstStored: number): RpcUnit[] {
  const units: RpcUnit[] = []
  for (let firstHeight = 0; firstHeight <= chain.tipHeight; firstHeight += blocksPerUnit) {
    const count = Math.min(blocksPerUnit, chain.tipHeight - firstHeight + 1)
    const hashes = Array.from({ length: count }, (_, i) => displayHash(hashAt(chain, firstHeight + i)))
    const prunedReason = firstHeight < firstStored ? describePruned(firstStored) : undefined
    units.push({ kind: 'rpc', prunedReason, endpoint, firstHeight, hashes })
  }
  return units
}

export const describePruned = (firstStored: number): string =>
  `the node is pruned: the first block that it still has is ${firstStored}`

/** Returns the size of the blocks in bytes. */
export async function readRpcUnit(
  unit: RpcUnit,
  onBlock: (height: number, block: DecodedBlock) => void,
): Promise<number> {
  const block = new DecodedBlock()
  let bytes = 0
  for await (const height of readRpcBlocks(new RpcClient(unit.endpoint), unit.firstHeight, unit.hashes, block)) {
    onBlock(height, block)
    bytes += block.size
  }
  return bytes
}

import { displayHash } from './bytes.ts'
import { DecodedBlock } from './decoded-block.ts'
import { type HeaderChain, hashAt, hashesOf } from './header-chain.ts'
import { RpcClient } from './rpc.ts'
import { readRpcBlocks } from './rpc-block.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

export interface RpcUnit {
  readonly kind: 'rpc'
  readonly prunedReason?: string | undefined
  readonly endpoint: RpcEndpoint
  /** Ascending. */
  readonly heights: Uint32Array
  /** 32 bytes each, in internal byte order. */
  readonly hashes: Uint8Array
}

/** About a day: a nightly run fetches few blocks again. */
const blocksPerUnit = 144

/**
 * Splits a chain into units that stay the same while it grows: those with `given` heights, and for
 * all others one per 144 heights. `firstStored`: the node's lowest block.
 */
export function planRpcUnits(
  chain: HeaderChain,
  endpoint: RpcEndpoint,
  firstStored: number,
  given: readonly Uint32Array[] = [],
): RpcUnit[] {
  const isGiven = new Uint8Array(chain.tipHeight + 1)
  for (const heights of given) for (const height of heights) isGiven[height] = 1
  const lists = [...given]
  for (let from = 0; from <= chain.tipHeight; from += blocksPerUnit) {
    const end = Math.min(from + blocksPerUnit, chain.tipHeight + 1)
    const heights = Uint32Array.from({ length: end - from }, (_, i) => from + i).filter((height) => !isGiven[height])
    if (heights.length > 0) lists.push(heights)
  }
  return lists.map((heights) => {
    const prunedReason = heights[0]! < firstStored ? describePruned(firstStored) : undefined
    return { kind: 'rpc', prunedReason, endpoint, heights, hashes: hashesOf(chain, heights) }
  })
}

export const displayHashes = (unit: RpcUnit): string[] =>
  Array.from(unit.heights, (_, i) => displayHash(hashAt(unit, i)))

export const describePruned = (firstStored: number): string =>
  `the node is pruned: the first block that it still has is ${firstStored}`

/** Returns the blocks' size in bytes. */
export async function readRpcUnit(
  unit: RpcUnit,
  onBlock: (height: number, block: DecodedBlock) => void,
): Promise<number> {
  const block = new DecodedBlock()
  let bytes = 0
  for await (const height of readRpcBlocks(new RpcClient(unit.endpoint), unit.heights, displayHashes(unit), block)) {
    onBlock(height, block)
    bytes += block.size
  }
  return bytes
}

import type { BlockStorage } from './block-storage.ts'

export interface ChainPlan {
  readonly seed: number
  readonly tipHeight: number
  readonly storage: BlockStorage
  readonly onHeight: (height: number) => void
}

export interface ChainTotals {
  /** In the usual display order. */
  readonly tipHash: string
  /** Value and number of unspent outputs by Bitcoin Core's rules, as `gettxoutsetinfo` would give them. */
  readonly supplySats: number
  readonly utxoCount: number
  /** Of the chain, with the coinbases. */
  readonly transactions: number
  /** Of the chain, without the coinbases. */
  readonly inputs: number
  /** Blocks that are stored but no part of the chain. */
  readonly staleBlocks: number
  /** Second copies of blocks. */
  readonly copies: number
}

/** Arrivals and connections in a block's time are numbered from four times its height on. */
export const eventsPerBlock = 4

/** Which coins leave first: the oldest of those that a transaction spends, or of the whole wallet. */
export const costMethods = ['output', 'fifo'] as const
export type CostMethod = (typeof costMethods)[number]

/** A number of a wallet, and the same of cohorts of the market that have one; null if not known. */
export interface WalletFigure {
  readonly name: string
  readonly unit: 'BTC' | 'USD' | 'USD per BTC' | 'ratio' | 'percent' | 'days' | 'count'
  readonly mine: number | null
  /** All coins, those of long-term holders, those of short-term holders. */
  readonly market: readonly (number | null)[]
}

/** Times in unix seconds. */
export type WalletReceipt = {
  readonly acquired_at: number
  readonly kind: 'received' | 'mined'
  readonly amount_sats: number
  readonly price_usd: number
  readonly cost_usd: number
  readonly txid: string
}

/** Coins acquired at one time that left the wallet in a transaction; a fee brings nothing. */
export type WalletDisposal = Omit<WalletReceipt, 'kind'> & {
  readonly disposed_at: number
  readonly kind: 'sent' | 'fee'
  readonly proceeds_usd: number
}

export type WalletLine = 'value' | 'cost' | 'price' | 'average_cost' | 'realized_price' | 'acquired' | 'sent'

/** A wallet and the market as of its last update; readable only by the operator. */
export interface WalletReport {
  readonly name: string
  /** `unspent`: the node knows only what is unspent. */
  readonly way: 'blocks' | 'unspent'
  readonly method: CostMethod
  readonly tip_height: number
  readonly date: string
  readonly figures: readonly WalletFigure[]
  /** Coins held by when and at what price they were acquired, newest first; none without prices. */
  readonly lots: readonly (readonly [acquired_at: number, price_usd: number, amount_sats: number])[]
  /** Left out of `lots`. */
  readonly older_lots: number
  /**
   * By day up to `date`, in USD: value and cost of the coins; price, and average costs of a coin;
   * prices of the days on which coins were acquired and sent, null on others.
   */
  readonly lines: Readonly<Record<WalletLine, readonly (number | null)[]>>
}

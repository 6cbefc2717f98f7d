import { satsPerCoin } from '#base/bitcoin.ts'
import { secondsPerDay } from '#base/days.ts'
import type { CostMethod, WalletDisposal, WalletReceipt } from '#contract/wallets.ts'
import { inOrder, type WalletTransaction } from './find-transactions.ts'

/** Coins acquired at one time and price. */
export interface Lot {
  readonly sats: number
  /** Unix seconds; moves between own coins keep it. */
  readonly time: number
  /** USD per coin. */
  readonly price: number
}

/** An unspent output with the time and price of its creation, and what it is made of (not by `fifo`). */
export interface OwnCoin extends Lot {
  readonly outpoint: string
  readonly lots: readonly Lot[]
}

export interface LedgerInputs {
  readonly transactions: readonly WalletTransaction[]
  readonly method: CostMethod
  /** USD per coin at an instant in unix seconds. */
  readonly priceAt: (time: number) => number
  /** USD per coin at the end of a unix day. */
  readonly closeOn: (day: number) => number
  /** USD per coin that was paid, by transaction. */
  readonly paid: ReadonlyMap<string, number>
  readonly lastDay: number
}

export interface Ledger {
  readonly receipts: readonly WalletReceipt[]
  readonly disposals: readonly WalletDisposal[]
  readonly coins: readonly OwnCoin[]
  /** Coins held, by the time at which they were acquired. */
  readonly lots: readonly Lot[]
  readonly days: readonly LedgerDay[]
}

/** Prices as whole numbers of 10⁻⁹ USD, so that sums do not depend on their order. */
const pricePrecision = 1e9
const exactValue = ({ sats, price }: Pick<Lot, 'sats' | 'price'>): bigint =>
  BigInt(sats) * BigInt(Math.round(price * pricePrecision))
const toUsd = (exact: bigint): number => Number(exact) / (pricePrecision * satsPerCoin)
const sum = (parts: readonly { readonly sats: number }[]): number => parts.reduce((total, { sats }) => total + sats, 0)

/** Sum, cost and age of a changing set of lots. */
class Holding {
  sats = 0
  #cost = 0n
  #satSeconds = 0n

  add(lot: Lot, sign: 1 | -1 = 1): void {
    this.sats += sign * lot.sats
    this.#cost += BigInt(sign) * exactValue(lot)
    this.#satSeconds += BigInt(sign * lot.sats) * BigInt(lot.time)
  }

  get cost(): number {
    return toUsd(this.#cost)
  }

  /** In days, at an instant in unix seconds. */
  ageAt(time: number): number {
    return Number(BigInt(this.sats) * BigInt(time) - this.#satSeconds) / (this.sats || 1) / secondsPerDay
  }
}

const noFlows = { received_sats: 0, sent_sats: 0, fees_sats: 0, spent_usd: 0, spent_cost_usd: 0 }

/**
 * The wallet after a day, and what moved on it: what was paid for the coins held, the same at the
 * prices at which their outputs were created (`chain_…`), profit realized since the first day, and
 * mean ages in days.
 */
const toDay = (
  day: number,
  price: number,
  held: Holding,
  onChain: Holding,
  realized: bigint,
  flows: typeof noFlows,
) => ({
  ...{ day, balance_sats: held.sats, price_usd: price, value_usd: (held.sats / satsPerCoin) * price },
  ...{ cost_usd: held.cost, chain_cost_usd: onChain.cost, realized_profit_usd: toUsd(realized), ...flows },
  ...{ age_days: held.ageAt((day + 1) * secondsPerDay), chain_age_days: onChain.ageAt((day + 1) * secondsPerDay) },
})
export type LedgerDay = ReturnType<typeof toDay>

const byTime = (one: Lot, other: Lot): number => one.time - other.time

/** Removes `sats` from the front of lots, of which there may be thousands. */
function take(lots: Lot[], sats: number): Lot[] {
  let [count, missing] = [0, sats]
  while (missing > 0) {
    const lot = lots[count++]
    if (!lot) throw new Error('more left the wallet than it had')
    missing -= lot.sats
  }
  const taken = lots.splice(0, count)
  const last = taken.at(-1)
  if (last && missing < 0) {
    taken[count - 1] = { ...last, sats: last.sats + missing }
    lots.unshift({ ...last, sats: -missing })
  }
  return taken
}

/**
 * Replays the transactions of a wallet. Outputs that a transaction creates for the wallet itself
 * keep the dates and costs of what it spends. With inputs of others, what the wallet has less
 * afterwards counts as fee up to the fee of the transaction, the rest as sent.
 */
export function computeLedger(inputs: LedgerInputs): Ledger {
  const { method, priceAt, closeOn, paid, lastDay } = inputs
  const coins = new Map<string, OwnCoin>()
  const queue: Lot[] = []
  const [held, onChain] = [new Holding(), new Holding()]
  const receipts: WalletReceipt[] = []
  const disposals: WalletDisposal[] = []
  const days: LedgerDay[] = []
  let [realized, flows, day, latest] = [0n, noFlows, Number.NaN, 0]

  const endDay = (): void => {
    days.push(toDay(day, closeOn(day), held, onChain, realized, flows))
    flows = noFlows
    day++
  }
  for (const { txid, time, fee_sats, is_coinbase, spent, created } of inSpendingOrder(inputs.transactions)) {
    // Times of blocks may decrease; days do not.
    latest = Math.max(latest, time)
    if (Number.isNaN(day)) day = Math.floor(latest / secondsPerDay)
    while (day < Math.floor(latest / secondsPerDay)) endDay()
    const price = priceAt(time)
    const own = spent.map((outpoint) => {
      const coin = coins.get(outpoint)
      if (!coin) throw new Error('a transaction spends a coin that the wallet never received')
      coins.delete(outpoint)
      onChain.add(coin, -1)
      return coin
    })
    const [before, after] = [sum(own), sum(created)]
    const fees_sats = Math.min(fee_sats, Math.max(0, before - after))
    const sent_sats = Math.max(0, before - after - fees_sats)
    const received_sats = Math.max(0, after - before)
    const ofInputs = own.flatMap(({ lots }) => lots)
    // The lots of one coin are in order already.
    const pool = method === 'fifo' ? queue : own.length > 1 ? ofInputs.sort(byTime) : ofInputs
    for (const [kind, sats] of [['sent', sent_sats] as const, ['fee', fees_sats] as const]) {
      for (const lot of take(pool, sats)) {
        const [proceeds, cost] = [kind === 'sent' ? exactValue({ sats: lot.sats, price }) : 0n, exactValue(lot)]
        realized += proceeds - cost
        held.add(lot, -1)
        disposals.push({
          ...{ disposed_at: time, acquired_at: lot.time, kind, amount_sats: lot.sats, price_usd: price },
          ...{ proceeds_usd: toUsd(proceeds), cost_usd: toUsd(cost), txid },
        })
      }
    }
    if (received_sats > 0) {
      const lot = { sats: received_sats, time, price: paid.get(txid) ?? price }
      const kind = is_coinbase ? 'mined' : 'received'
      const cost_usd = toUsd(exactValue(lot))
      receipts.push({ acquired_at: time, kind, amount_sats: received_sats, price_usd: lot.price, cost_usd, txid })
      held.add(lot)
      pool.push(lot)
      // Times of blocks may decrease.
      if (method === 'output') pool.sort(byTime)
    }
    for (const { vout, sats } of created) {
      const outpoint = `${txid}:${vout}`
      const coin = { outpoint, sats, time, price, lots: method === 'fifo' ? [] : take(pool, sats) }
      coins.set(outpoint, coin)
      onChain.add(coin)
    }
    flows = {
      received_sats: flows.received_sats + received_sats,
      sent_sats: flows.sent_sats + sent_sats,
      fees_sats: flows.fees_sats + fees_sats,
      spent_usd: flows.spent_usd + (before / satsPerCoin) * price,
      spent_cost_usd: flows.spent_cost_usd + own.reduce((cost, coin) => cost + toUsd(exactValue(coin)), 0),
    }
  }
  while (day <= lastDay) endDay()
  const lots = method === 'fifo' ? queue : [...coins.values()].flatMap((coin) => coin.lots)
  return { receipts, disposals, coins: [...coins.values()], lots, days }
}

/** By height; within a block, a transaction after those whose outputs it spends. */
function inSpendingOrder(transactions: readonly WalletTransaction[]): WalletTransaction[] {
  const sorted = inOrder(transactions)
  const waiting = new Map(sorted.map((each) => [each.txid, each]))
  const ordered: WalletTransaction[] = []
  const place = (transaction: WalletTransaction | undefined): void => {
    if (!transaction || !waiting.delete(transaction.txid)) return
    for (const outpoint of transaction.spent) place(waiting.get(outpoint.split(':')[0]!))
    ordered.push(transaction)
  }
  for (const transaction of sorted) place(transaction)
  return ordered
}

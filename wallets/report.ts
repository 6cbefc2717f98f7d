import { extent, flatRollup, min, range, sum } from 'd3-array'
import { satsToBtc } from '#base/bitcoin.ts'
import { isoDate, secondsPerDay } from '#base/days.ts'
import type { CostMethod, WalletFigure, WalletReceipt, WalletReport } from '#contract/wallets.ts'
import type { WalletHistory } from './find-transactions.ts'
import type { Ledger, LedgerDay } from './ledger.ts'
import { type Market, yearDays } from './market.ts'

/** Age of coins of long-term holders. */
const longTermDays = 155
/** A report is read and sent in one turn of the event loop. */
const maxLots = 100

const ratio = (one: number, other: number): number | null => (other > 0 ? one / other : null)
type Unit = WalletFigure['unit']
const toFigure = (name: string, unit: Unit, mine: number | null, market: number[] = []): WalletFigure => {
  return { name, unit, mine, market }
}
const toDay = (time: number): number => Math.floor(time / secondsPerDay)

export function buildReport(
  name: string,
  method: CostMethod,
  { way, tip }: WalletHistory,
  ledger: Ledger,
  market: Market,
): WalletReport {
  const last = ledger.days.at(-1)
  const hasPrices = market.lastDay > 0
  const pricesOn = (times: readonly number[]) => {
    const days = new Set(times.map(toDay))
    return ledger.days.map(({ day, price_usd }) => (days.has(day) && price_usd > 0 ? price_usd : null))
  }
  const sent = ledger.disposals.filter(({ kind }) => kind === 'sent')
  const figures = last ? describeHolding(ledger, last, market) : []
  const lots = flatRollup(
    ledger.lots,
    (parts) => sum(parts, ({ sats }) => sats),
    ({ time }) => time,
    ({ price }) => price,
  ).sort(([one], [other]) => other - one)
  if (last) figures.push(...comparePurchases(ledger.receipts, last, market))
  return {
    ...{ name, way, method, tip_height: tip.height, date: isoDate(last?.day ?? market.lastDay) },
    lines: {
      value: ledger.days.map(({ value_usd }) => value_usd),
      cost: ledger.days.map(({ cost_usd }) => cost_usd),
      price: ledger.days.map(({ price_usd }) => price_usd),
      average_cost: ledger.days.map((day) => ratio(day.cost_usd, satsToBtc(day.balance_sats))),
      realized_price: ledger.days.map((day) => ratio(day.chain_cost_usd, satsToBtc(day.balance_sats))),
      acquired: pricesOn(ledger.receipts.map(({ acquired_at }) => acquired_at)),
      sent: pricesOn(sent.map(({ disposed_at }) => disposed_at)),
    },
    lots: hasPrices ? lots.slice(0, maxLots) : [],
    older_lots: Math.max(0, lots.length - maxLots),
    figures: figures.map((each) => (hasPrices || !each.unit.startsWith('USD') ? each : { ...each, mine: null })),
  }
}

function describeHolding({ days, coins }: Ledger, last: LedgerDay, market: Market): WalletFigure[] {
  const { holders, percentAbove, addressesWith } = market
  const { balance_sats, value_usd, cost_usd, chain_cost_usd } = last
  const balance = satsToBtc(balance_sats)
  const average = ratio(cost_usd, balance)
  const year = days.slice(-yearDays)
  const sopr = ratio(
    sum(year, (day) => day.spent_usd),
    sum(year, (day) => day.spent_cost_usd),
  )
  const young = coins.filter(({ time }) => toDay(time) + longTermDays > last.day)
  const { least, most } = addressesWith(balance_sats)
  const nextTime = min(young, ({ time }) => time)
  return [
    toFigure('Balance', 'BTC', balance),
    toFigure('Value', 'USD', value_usd),
    toFigure('Cost of what is held', 'USD', cost_usd),
    toFigure('Profit on paper', 'USD', value_usd - cost_usd),
    toFigure('Profit realized', 'USD', last.realized_profit_usd),
    toFigure('Fees paid', 'BTC', satsToBtc(sum(days, (day) => day.fees_sats))),
    toFigure('Price', 'USD per BTC', last.price_usd),
    toFigure('Average cost, as paid', 'USD per BTC', average),
    toFigure('Average cost, as the chain shows', 'USD per BTC', ratio(chain_cost_usd, balance), holders.realized_price),
    toFigure('Coins that cost more than yours', 'percent', average === null ? null : percentAbove(average)),
    toFigure('Addresses with as much or more, at least', 'count', least),
    toFigure('Addresses with as much or more, at most', 'count', most),
    toFigure('MVRV', 'ratio', ratio(value_usd, chain_cost_usd), holders.mvrv),
    toFigure('SOPR of a year', 'ratio', sopr, holders.sopr),
    toFigure('Mean age since acquired', 'days', last.age_days),
    toFigure('Mean age since moved', 'days', last.chain_age_days),
    toFigure(
      'Held as long-term holder',
      'percent',
      ratio(100 * (balance_sats - sum(young, ({ sats }) => sats)), balance_sats),
    ),
    toFigure('Next coins are long-term in', 'days', nextTime ? toDay(nextTime) + longTermDays - last.day : null),
  ]
}

/** Coins for the same money each week, or all at once, from the first purchase to the last. */
function comparePurchases(receipts: readonly WalletReceipt[], last: LedgerDay, market: Market): WalletFigure[] {
  const paid = receipts.filter(({ price_usd }) => price_usd > 0)
  const first = paid[0]
  if (!first) return []
  const spent = sum(paid, ({ cost_usd }) => cost_usd)
  const weekly = range(toDay(first.acquired_at), toDay(paid.at(-1)!.acquired_at) + 1, 7).map(market.closeOn)
  const gain = (price: number): number => 100 * (last.price_usd / price - 1)
  const [lowest, highest] = extent(paid, ({ price_usd }) => price_usd)
  const eachWeek = sum(weekly, (price) => ratio(spent / weekly.length, price) ?? 0)
  return [
    toFigure('Acquired', 'BTC', satsToBtc(sum(paid, ({ amount_sats }) => amount_sats))),
    toFigure('The same money each week', 'BTC', eachWeek),
    toFigure('The same money at once', 'BTC', spent / first.price_usd),
    toFigure('Best purchase, gain', 'percent', gain(lowest!)),
    toFigure('Worst purchase, gain', 'percent', gain(highest!)),
  ]
}

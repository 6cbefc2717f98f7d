import { isoDate, parseDay } from '#base/days.ts'
import type { etf } from '#contract/tables/market.ts'
import type { Row } from '#contract/tables/table.ts'
import type { Observation } from './observations.ts'
import type { CloseOn } from './prices.ts'
import { funds } from './reference.ts'
import type { Provenance } from './store.ts'

/** Row of the table `etf` by unix day, without sources. */
type FundDay = Omit<Row<typeof etf>, 'date' | 'source'> & { readonly date: number }
export type AggregateFunds = ReturnType<typeof aggregateFunds>[number]
type Report = Observation<'etf'>

/**
 * Each value comes from the first source that has it: the operator's file, then issuers (21Shares
 * values ARKB, ARK counts its coins).
 */
const precedence = [
  ...['import', 'ishares', 'ark', 'bitwise', 'invesco', 'vaneck', 'franklin', 'morgan-stanley'],
  ...['21shares', 'sosovalue'],
]

/** A fund this far behind the newest report is considered gone; until then totals wait. */
const staleAfterDays = 7

/**
 * Each fund, every day from its first to its last report (`lastDay` at most). Between reports, such
 * as on weekends, holdings stay and flows are 0. Nothing is carried beyond the last report, as the
 * next may differ.
 */
export function fundDays(rows: readonly (Report & Provenance)[], closeOn: CloseOn, lastDay: number): FundDay[] {
  const byFund = Map.groupBy(
    rows.filter(({ date }) => date <= lastDay),
    ({ ticker }) => ticker,
  )
  return [...byFund.keys()].sort().flatMap((ticker) => expandDays(ticker, mergeReports(byFund.get(ticker)!), closeOn))
}

const reportedValues = [
  'holdings_btc',
  'shares_outstanding',
  'nav_usd',
  'market_price_usd',
  'aum_usd',
  'flow_usd',
  'premium',
] as const

function mergeReports(rows: readonly (Report & Provenance)[]): Report[] {
  const rank = ({ source }: Provenance) =>
    (precedence.indexOf(source) + precedence.length + 1) % (precedence.length + 1)
  const ranked = rows.toSorted((a, b) => a.date - b.date || rank(a) - rank(b))
  return [...Map.groupBy(ranked, ({ date }) => date).values()].map((reports) => {
    const merged = { ...reports[0]! }
    for (const name of reportedValues) merged[name] ??= reports.find((report) => report[name] !== null)?.[name] ?? null
    return merged
  })
}

function expandDays(ticker: string, all: readonly Report[], closeOn: CloseOn): FundDay[] {
  // Funds value net assets in the afternoon, our close is at midnight: mixing both would look like
  // flows.
  const estimated = all.every(({ holdings_btc }) => holdings_btc === null)
  const readHoldings = ({ holdings_btc, aum_usd, date }: Report): number | null =>
    estimated ? (aum_usd === null ? null : aum_usd / closeOn(date)) : holdings_btc
  const days: FundDay[] = []
  let before: Report | undefined
  for (const report of all) {
    const holdings = readHoldings(report)
    const close = closeOn(report.date)
    if (holdings === null || Number.isNaN(close)) continue
    const previous = days.at(-1)
    if (!before || !previous) {
      days.push({
        ...computeValues(report, holdings, close),
        ticker,
        estimated,
        realized_cap: holdings * close,
        ...noFlow,
      })
    } else {
      for (let date = before.date + 1; date < report.date; date++) days.push(carryDay(previous, date, closeOn(date)))
      const flow = computeFlow(before, report, holdings - previous.btc_holdings, close, estimated)
      const delta = estimated ? (flow.net_flow_btc ?? 0) : holdings - previous.btc_holdings
      const scale = Math.max(0, 1 + delta / previous.btc_holdings)
      days.push({
        ...computeValues(report, holdings, close),
        ticker,
        estimated,
        ...flow,
        cumulative_flow_btc: previous.cumulative_flow_btc + (flow.net_flow_btc ?? 0),
        realized_cap: delta >= 0 ? previous.realized_cap + delta * close : previous.realized_cap * scale,
      })
    }
    before = report
  }
  return days
}

const noFlow = { net_flow_btc: null, net_flow_usd: null, cumulative_flow_btc: 0 }

const computeValues = (report: Report, btc_holdings: number, close: number) => {
  const { date, aum_usd, market_price_usd, nav_usd } = report
  const premium = market_price_usd === null || nav_usd === null ? report.premium : market_price_usd / nav_usd - 1
  return { date, btc_holdings, aum_usd: aum_usd ?? btc_holdings * close, premium }
}

const carryDay = (previous: FundDay, date: number, close: number): FundDay => ({
  ...previous,
  date,
  net_flow_btc: 0,
  net_flow_usd: 0,
  aum_usd: Number.isNaN(close) ? null : previous.btc_holdings * close,
  premium: null,
})

/**
 * Sponsors take fees in coins, so the change of shares measures flow better than that of holdings.
 */
function computeFlow(before: Report, report: Report, holdingsChange: number, close: number, estimated: boolean) {
  const { shares_outstanding: shares, holdings_btc: holdings, flow_usd, nav_usd } = report
  const newShares = shares === null || before.shares_outstanding === null ? null : shares - before.shares_outstanding
  const byShares = newShares === null || !shares || holdings === null ? null : newShares * (holdings / shares)
  const published = flow_usd === null ? null : flow_usd / close
  const net_flow_btc = estimated ? published : (byShares ?? holdingsChange)
  const byNav = newShares === null || nav_usd === null ? null : newShares * nav_usd
  return { net_flow_btc, net_flow_usd: flow_usd ?? byNav ?? (net_flow_btc === null ? null : net_flow_btc * close) }
}

/**
 * Totals of all funds that hold coins themselves, up to the day that all have reported (see
 * `staleAfterDays`). Totals are null while a traded fund is unknown, because its first report would
 * look like a rise. Cumulative values begin once all funds are known.
 */
export function aggregateFunds(days: readonly FundDay[]) {
  const own = days.filter(({ ticker }) => !feeders.has(ticker))
  const extents = fundExtents(own)
  const newest = Math.max(...extents.map(({ last }) => last))
  const complete = Math.min(...extents.map(({ last }) => last).filter((last) => last >= newest - staleAfterDays))
  const byDay = Map.groupBy(own, ({ date }) => date)
  let [cumulative_flow_btc, cumulative_money_flow] = [0, 0]
  return [...byDay.keys()]
    .filter((date) => date <= complete)
    .sort((a, b) => a - b)
    .map((date) => {
      const all = byDay.get(date)!
      if (extents.some(({ tradedFrom, first }) => tradedFrom <= date && date < first))
        return { date, ...unknown, etf_count: all.length }
      const net_flow_btc = total(all, (fund) => fund.net_flow_btc)
      const net_flow_usd = total(all, (fund) => fund.net_flow_usd)
      cumulative_flow_btc += net_flow_btc
      cumulative_money_flow += net_flow_usd
      const us = all.filter(({ ticker }) => american.has(ticker))
      const priced = all.filter(({ premium }) => premium !== null)
      const pricedAssets = total(priced, (fund) => fund.aum_usd)
      return {
        date,
        total_btc_holdings: total(all, (fund) => fund.btc_holdings),
        total_aum_usd: total(all, (fund) => fund.aum_usd),
        net_flow_btc,
        net_flow_usd,
        cumulative_flow_btc,
        cumulative_money_flow,
        realized_price: realizedPrice(all),
        us_btc_holdings: total(us, (fund) => fund.btc_holdings),
        us_realized_price: realizedPrice(us),
        premium_average:
          pricedAssets === 0 ? null : total(priced, (fund) => (fund.premium ?? 0) * (fund.aum_usd ?? 0)) / pricedAssets,
        etf_count: all.length,
      }
    })
}

const feeders = new Set(funds.filter(({ feeder_of }) => feeder_of !== undefined).map(({ ticker }) => ticker))
const american = new Set(funds.filter(({ country }) => country === 'US').map(({ ticker }) => ticker))

const unknown = {
  total_btc_holdings: null,
  total_aum_usd: null,
  net_flow_btc: null,
  net_flow_usd: null,
  cumulative_flow_btc: null,
  cumulative_money_flow: null,
  realized_price: null,
  us_btc_holdings: null,
  us_realized_price: null,
  premium_average: null,
}

interface FundExtent {
  readonly ticker: string
  readonly first: number
  readonly last: number
  /** Launch, or the first report if it follows within `staleAfterDays`. */
  readonly tradedFrom: number
}

/**
 * First day of United States funds. Totals begin here, so launches of older funds need not be
 * known.
 */
const firstAmericanDay = parseDay('2024-01-11')

function fundExtents(days: readonly FundDay[]): FundExtent[] {
  return [...Map.groupBy(days, ({ ticker }) => ticker)].map(([ticker, own]) => {
    const [first, last] = [own[0]!.date, own.at(-1)!.date]
    const launch = funds.find((fund) => fund.ticker === ticker)?.launch_date
    const launched = launch ? parseDay(launch) : first
    const since = Math.max(launched, firstAmericanDay)
    // A first report soon after the launch misses nothing that counts.
    return { ticker, first, last, tradedFrom: first - since <= staleAfterDays ? first : since }
  })
}

/** Notes which funds totals cover and since when; undefined if all. */
export function describeFundCoverage(days: readonly FundDay[]): string | undefined {
  const extents = fundExtents(days.filter(({ ticker }) => !feeders.has(ticker)))
  if (extents.length === 0) return undefined
  const newest = Math.max(...extents.map(({ last }) => last))
  const current = extents.filter(({ last }) => last >= newest - staleAfterDays)
  const names = current.map(({ ticker }) => ticker).sort()
  const all = funds.length - feeders.size
  const gone = extents.filter((extent) => !current.includes(extent))
  const begin = Math.min(...extents.map(({ first }) => first))
  const late = extents
    .filter(({ first, tradedFrom }) => first > tradedFrom && first > begin)
    .reduce<FundExtent | undefined>((a, b) => (a && a.first >= b.first ? a : b), undefined)
  const since = late ? `; before ${isoDate(late.first)} ${late.ticker} is not known, so they are null` : ''
  const left = gone.map(({ ticker, last }) => `; without ${ticker}, last known on ${isoDate(last)}`).join('')
  if (names.length === all && since === '' && left === '') return undefined
  return `ETF totals are over ${names.length} of ${all} funds: ${names.join(', ')}${since}${left}.`
}

const total = (all: readonly FundDay[], value: (fund: FundDay) => number | null): number =>
  all.reduce((sum, fund) => sum + (value(fund) ?? 0), 0)

function realizedPrice(all: readonly FundDay[]): number | null {
  const holdings = total(all, (fund) => fund.btc_holdings)
  return holdings === 0 ? null : total(all, (fund) => fund.realized_cap) / holdings
}

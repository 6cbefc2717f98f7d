import { z } from 'zod'
import { dayAt, msPerDay } from '#base/days.ts'
import { type HttpClient, undocumented } from './http.ts'
import { type Observation, tables } from './observations.ts'
import { funds } from './reference.ts'
import { createSeries, type Series } from './series.ts'
import { decimal } from './wire.ts'

type Report = Observation<'etf'>

type Values = { readonly [Name in Exclude<keyof Report, 'ticker' | 'date'>]?: number | null | undefined }

export const fundReport = (ticker: string, date: number, values: Values): Report => ({
  ticker,
  date,
  holdings_btc: values.holdings_btc ?? null,
  shares_outstanding: values.shares_outstanding ?? null,
  nav_usd: values.nav_usd ?? null,
  market_price_usd: values.market_price_usd ?? null,
  aum_usd: values.aum_usd ?? null,
  flow_usd: values.flow_usd ?? null,
  premium: values.premium ?? null,
})

/** For issuers that publish only the newest holdings: history grows from the first fetch. */
export const newestReportSeries = (ticker: string, fetch: (http: HttpClient) => Promise<Report>): Series =>
  createSeries({
    table: tables.etf,
    identity: { ticker },
    startsAt: Date.parse(funds.find((fund) => fund.ticker === ticker)?.launch_date ?? '2024-01-11'),
    // Longest stretch without a business day: a holiday next to a weekend.
    intervalMs: 4 * msPerDay,
    fullHistory: true,
    fetch: async (http) => [await fetch(http)],
  })

/** Issuers' notation: `"1,448,200,000.00"`, `"$401,701,703.70"`, `12.5`. */
export const groupedNumber = z.preprocess(
  (text) => (typeof text === 'string' ? text.replaceAll(/[$,\s]/g, '') : text),
  decimal.refine((value) => value >= 0),
)

/** BTC of a fund; above 21 million must be another unit. */
export const btcAmount = groupedNumber.refine((value) => value > 0 && value < 21e6, 'is no amount of bitcoin')

/** Date in the order of `pattern`, as unix day. */
const dayFrom = (pattern: RegExp, iso: string) =>
  z.string().transform((text, context) => {
    const parsed = pattern.test(text) ? Date.parse(`${text.replace(pattern, iso)}T00:00Z`) : Number.NaN
    if (Number.isFinite(parsed)) return dayAt(parsed)
    context.addIssue(`"${text.slice(0, 30)}" is no date of the documented form`)
    return z.NEVER
  })

/** `09/24/2026` as unix day. */
export const americanDay = dayFrom(/^(\d\d)\/(\d\d)\/(\d{4})$/, '$3-$1-$2')

/** `2026-09-24`, with or without time, as unix day. */
export const isoDay = dayFrom(/^(\d{4}-\d\d-\d\d)(?:T[\d:.]+Z?)?$/, '$1')

/** Throws `market_source_failed` for a file of undocumented form. */
export function parseFundFile<T>(source: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const why = cause instanceof z.ZodError ? `: ${cause.issues[0]?.message}` : ''
    throw undocumented(`${source} answered something other than the documented holdings file${why}`, cause)
  }
}

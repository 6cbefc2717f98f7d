import { z } from 'zod'
import { dayAt, millisecondsPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import type { HttpClient } from './http.ts'
import { type Observation, tables } from './observations.ts'
import { funds } from './reference.ts'
import { type Series, series } from './series.ts'
import { decimal } from './wire.ts'

type Report = Observation<'etf'>

type Values = { readonly [Name in Exclude<keyof Report, 'ticker' | 'date'>]?: number | null | undefined }

/** A report of a fund, with null for what its publisher does not say. */
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

/** A fund whose issuer publishes its newest holdings only, so that its history grows from the day of the first fetch. */
export const newestReport = (ticker: string, fetch: (http: HttpClient) => Promise<Report>): Series =>
  series({
    table: tables.etf,
    identity: { ticker },
    startsAt: Date.parse(funds.find((fund) => fund.ticker === ticker)?.launch_date ?? '2024-01-11'),
    // The longest stretches without a business day: a holiday beside a weekend.
    every: 4 * millisecondsPerDay,
    whole: true,
    fetch: async (http) => [await fetch(http)],
  })

/** A number as issuers write it: `"1,448,200,000.00"`, `"$401,701,703.70"`, `12.5`. */
export const grouped = z.preprocess(
  (text) => (typeof text === 'string' ? text.replaceAll(/[$,\s]/g, '') : text),
  decimal.refine((value) => value >= 0),
)

/** BTC that a fund holds; more than can exist is taken for another unit. */
export const bitcoins = grouped.refine((value) => value > 0 && value < 21e6, 'is no amount of bitcoin')

/** A date with year, month and day in whatever order and length the pattern says, as unix day. */
const dayFrom = (pattern: RegExp, iso: string) =>
  z.string().transform((text, context) => {
    const parsed = pattern.test(text) ? Date.parse(`${text.replace(pattern, iso)}T00:00Z`) : Number.NaN
    if (Number.isFinite(parsed)) return dayAt(parsed)
    context.addIssue(`"${text.slice(0, 30)}" is no date of the documented form`)
    return z.NEVER
  })

/** `09/24/2026` as unix day. */
export const americanDay = dayFrom(/^(\d\d)\/(\d\d)\/(\d{4})$/, '$3-$1-$2')

/** `2026-09-24`, with or without a time of day, as unix day. */
export const isoDay = dayFrom(/^(\d{4}-\d\d-\d\d)(?:T[\d:.]+Z?)?$/, '$1')

/** Reads a file of an issuer. Throws `market_source_failed` where it is not of the documented form. */
export function readFundFile<T>(source: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const why = cause instanceof z.ZodError ? `: ${cause.issues[0]?.message}` : ''
    throw new CoinstrataError(
      'market_source_failed',
      `${source} answered something other than the documented holdings file${why}`,
      { cure: 'the source may have changed its interface; its stored data stay as they are', cause },
    )
  }
}

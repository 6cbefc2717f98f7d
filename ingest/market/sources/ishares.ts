import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import { dayAt, isoDate, millisecondsPerDay } from '#base/days.ts'
import { bitcoins, fundReport, grouped, readFundFile } from '../fund-report.ts'
import { type Observation, tables } from '../observations.ts'
import { series } from '../series.ts'
import type { MarketSource } from '../source.ts'

const ticker = 'IBIT'

/** The fund's own holdings file, one per business day since it began to trade, published on the day after. */
export const ishares: MarketSource = {
  id: 'ishares',
  name: 'iShares holdings file of IBIT',
  baseUrl: 'https://www.ishares.com',
  requestsPerMinute: 60,
  series: [
    series({
      table: tables.etf,
      identity: { ticker },
      startsAt: Date.UTC(2024, 0, 11),
      // The longest stretches without a business day: a holiday beside a weekend.
      every: 4 * millisecondsPerDay,
      window: millisecondsPerDay,
      fetch: async (http, from) => {
        const date = new Date(from)
        if (date.getUTCDay() === 0 || date.getUTCDay() === 6) return []
        const form = { fileType: 'csv', fileName: `${ticker}_holdings`, dataType: 'fund' }
        const query = { ...form, asOfDate: isoDate(dayAt(from)).replaceAll('-', '') }
        const file = await http.bytes('/us/products/333011/fund/1467271812596.ajax', query)
        return file ? parseHoldingsFile(file) : []
      },
    }),
    // The newest file also stands at an address of its own, which outlives changes of the one with dates.
    series({
      table: tables.etf,
      identity: { ticker },
      startsAt: Date.UTC(2024, 0, 11),
      whole: true,
      fetch: async (http) => {
        const file = await http.bytes('/us/products/333011/ishares-bitcoin-trust-etf/latest-holdings.csv')
        return file ? parseHoldingsFile(file) : []
      },
    }),
  ],
}

const records = z.array(z.array(z.string()))

/** Reads the holdings file: a preamble of names and values, then a table with one row for the bitcoin. */
export function parseHoldingsFile(file: Buffer): Observation<'etf'>[] {
  return readFundFile('ishares', () => {
    // So the file says that there is none for the day, a holiday. To parse it takes long: its rows differ in length.
    if (/^\uFEFF?"?Fund Holdings as of"?\s*,\s*"?-"?\s*$/m.test(file.toString())) return []
    const rows = records.parse(parse(file, { bom: true, relax_column_count: true, skip_empty_lines: true }))
    const preamble = new Map(rows.map(([name = '', value = '']) => [name.trim(), value.trim()]))
    const headerIndex = rows.findIndex(([first]) => first === 'Ticker')
    const header = rows[headerIndex] ?? []
    const bitcoin = rows.slice(headerIndex + 1).find((row) => row[header.indexOf('Ticker')] === 'BTC')
    return [
      fundReport(ticker, writtenDay.parse(preamble.get('Fund Holdings as of')), {
        holdings_btc: bitcoins.parse(bitcoin?.[header.indexOf('Quantity')]),
        shares_outstanding: grouped.parse(preamble.get('Shares Outstanding')),
        aum_usd: grouped.parse(bitcoin?.[header.indexOf('Market Value')]),
      }),
    ]
  })
}

/** `Jun 27, 2026` as unix day. */
const writtenDay = z
  .string()
  .regex(/^[A-Z][a-z]{2} \d\d, \d{4}$/)
  .transform((text) => Date.parse(`${text} UTC`) / millisecondsPerDay)
  .refine(Number.isInteger)

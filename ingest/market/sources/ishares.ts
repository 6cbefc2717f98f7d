import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { btcAmount, fundReport, groupedNumber, parseFundFile } from '../fund-report.ts'
import { type Observation, tables } from '../observations.ts'
import { createSeries } from '../series.ts'
import type { MarketSource } from '../source.ts'

const ticker = 'IBIT'

/** Holdings files, one per business day since launch, published a day later. */
export const ishares: MarketSource = {
  id: 'ishares',
  name: 'iShares holdings file of IBIT',
  baseUrl: 'https://www.ishares.com',
  requestsPerMinute: 60,
  series: [
    createSeries({
      table: tables.etf,
      identity: { ticker },
      startsAt: Date.UTC(2024, 0, 11),
      // Longest stretch without a business day: a holiday next to a weekend.
      intervalMs: 4 * msPerDay,
      windowMs: msPerDay,
      fetch: async (http, from) => {
        const date = new Date(from)
        if (date.getUTCDay() === 0 || date.getUTCDay() === 6) return []
        const form = { fileType: 'csv', fileName: `${ticker}_holdings`, dataType: 'fund' }
        const query = { ...form, asOfDate: isoDate(dayAt(from)).replaceAll('-', '') }
        const file = await http.bytes('/us/products/333011/fund/1467271812596.ajax', query)
        return file ? parseHoldingsFile(file) : []
      },
    }),
    // The newest file's second address survives changes of the dated one.
    createSeries({
      table: tables.etf,
      identity: { ticker },
      startsAt: Date.UTC(2024, 0, 11),
      fullHistory: true,
      fetch: async (http) => {
        const file = await http.bytes('/us/products/333011/ishares-bitcoin-trust-etf/latest-holdings.csv')
        return file ? parseHoldingsFile(file) : []
      },
    }),
  ],
}

const records = z.array(z.array(z.string()))

/** Preamble of names and values, then a table with one row for bitcoin. */
export function parseHoldingsFile(file: Buffer): Observation<'etf'>[] {
  return parseFundFile('ishares', () => {
    // A date of "-" means a holiday without file. Checked first, because parsing rows of different
    // length is slow.
    if (/^\uFEFF?"?Fund Holdings as of"?\s*,\s*"?-"?\s*$/m.test(file.toString())) return []
    const rows = records.parse(parse(file, { bom: true, relax_column_count: true, skip_empty_lines: true }))
    const preamble = new Map(rows.map(([name = '', value = '']) => [name.trim(), value.trim()]))
    const headerIndex = rows.findIndex(([first]) => first === 'Ticker')
    const header = rows[headerIndex] ?? []
    const bitcoin = rows.slice(headerIndex + 1).find((row) => row[header.indexOf('Ticker')] === 'BTC')
    return [
      fundReport(ticker, writtenDay.parse(preamble.get('Fund Holdings as of')), {
        holdings_btc: btcAmount.parse(bitcoin?.[header.indexOf('Quantity')]),
        shares_outstanding: groupedNumber.parse(preamble.get('Shares Outstanding')),
        aum_usd: groupedNumber.parse(bitcoin?.[header.indexOf('Market Value')]),
      }),
    ]
  })
}

/** `Jun 27, 2026` as unix day. */
const writtenDay = z
  .string()
  .regex(/^[A-Z][a-z]{2} \d\d, \d{4}$/)
  .transform((text) => Date.parse(`${text} UTC`) / msPerDay)
  .refine(Number.isInteger)

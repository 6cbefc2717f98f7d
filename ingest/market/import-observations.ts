import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { dayAt, isoDate } from '#base/days.ts'
import { type CsvRow, dayCell, instantCell, invalidLine, numberCell, readCsv } from './csv.ts'
import { fundReport } from './fund-report.ts'
import { type Cells, type ObservationTable, tables } from './observations.ts'
import { entities, exchanges, funds } from './reference.ts'
import { type Appended, appendObservations } from './store.ts'

export const importKinds = ['etf', 'treasuries', 'funding', 'oi'] as const
export type ImportKind = (typeof importKinds)[number]

const known = (values: readonly (string | number)[], what: string) =>
  z.string().refine((text) => values.some((value) => String(value) === text), `is not ${what}`)

const amount = numberCell.refine((value) => value >= 0, 'is negative')
const exchange = known(
  exchanges.map(({ id }) => id),
  `one of ${exchanges.map(({ id }) => id).join(', ')}`,
)
const fundLine = z.object({
  ticker: known(
    funds.map(({ ticker }) => ticker),
    'a ticker of the registry',
  ),
  date: dayCell,
  holdings_btc: amount.optional(),
  shares_outstanding: amount.optional(),
  nav_usd: amount.optional(),
  market_price_usd: amount.optional(),
  aum_usd: amount.optional(),
  flow_usd: numberCell.optional(),
  premium: numberCell.refine((value) => Math.abs(value) <= 1, 'is more than 1: premiums are fractions').optional(),
})
const treasuryLine = z.object({
  entity_id: known(
    entities.map(({ id }) => id),
    'an entity of the registry',
  ).transform(Number),
  date: dayCell,
  holdings_btc: amount,
  change_btc: numberCell.optional(),
  source_url: z.url().optional(),
})
const fundingLine = z.object({
  exchange,
  instrument: z.string(),
  time: instantCell,
  rate: numberCell.refine((rate) => Math.abs(rate) <= 0.1, 'is more than 0.1: rates are fractions, not percent'),
  interval_hours: numberCell.refine((hours) => hours > 0 && hours <= 24, 'is not between 0 and 24').optional(),
})
const openInterestLine = z.object({
  exchange,
  instrument: z.string(),
  time: instantCell,
  amount,
  unit: z.enum(['btc', 'usd'], 'is neither btc nor usd'),
})

/**
 * Imports a file of one kind: `etf` and `treasuries` by day, `funding` (settled, as fractions per
 * interval) and `oi` (one-sided, in BTC or USD) by instant. Imported values take precedence over
 * fetched ones. Throws `invalid_file` with file, line and problem; then nothing is stored.
 * @param now milliseconds since 1970; days that have not ended and future instants are rejected
 */
export function importObservations(
  connection: DuckDBConnection,
  dataDir: string,
  kind: ImportKind,
  file: string,
  now = Date.now(),
): Promise<Appended> {
  const store = <Row extends Cells>(table: ObservationTable<Row>, lines: readonly CsvRow<Row>[]) => {
    checkLines(file, table, lines, now)
    const rows = lines.map(({ row }) => row)
    return appendObservations<Row>(connection, dataDir, table, 'import', rows, now)
  }
  if (kind === 'etf')
    return store(
      tables.etf,
      readCsv(file, fundLine).map(({ line, row }) => ({ line, row: fundReport(row.ticker, row.date, row) })),
    )
  if (kind === 'treasuries')
    return store(
      tables.treasuries,
      readCsv(file, treasuryLine).map(({ line, row: { change_btc = null, source_url = null, ...row } }) => {
        return { line, row: { ...row, change_btc, source_url } }
      }),
    )
  if (kind === 'funding')
    return store(
      tables.funding,
      readCsv(file, fundingLine).map(({ line, row: { interval_hours = null, ...row } }) => {
        return { line, row: { ...row, interval_hours } }
      }),
    )
  return store(tables.open_interest, readCsv(file, openInterestLine))
}

function checkLines(file: string, { key }: ObservationTable, lines: readonly CsvRow<Cells>[], now: number): void {
  const seen = new Map<string, number>()
  for (const { line, row } of lines) {
    if (typeof row.date === 'number' && row.date >= dayAt(now))
      throw invalidLine(file, line, `${isoDate(row.date)} has not ended (UTC)`, 'leave out today and the days after it')
    if (typeof row.time === 'number' && row.time > now)
      throw invalidLine(file, line, `${new Date(row.time).toISOString()} lies in the future`, 'leave the line out')
    const name = key.map((column) => row[column]).join(' ')
    const before = seen.get(name)
    if (before !== undefined)
      throw invalidLine(file, line, `repeats line ${before}: ${key.join(', ')} must differ`, 'keep one of them')
    seen.set(name, line)
  }
}

import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { dayAt, isoDate } from '#base/days.ts'
import { type CsvRow, type CsvSchema, dayCell, instantCell, invalidLine, numberCell, readCsv } from './csv.ts'
import { type Cells, type ObservationTable, tables } from './observations.ts'
import { entities, exchanges, funds } from './reference.ts'
import { type Appended, appendObservations } from './store.ts'

const known = (values: readonly (string | number)[], what: string) =>
  z.string().refine((text) => values.some((value) => String(value) === text), `is not ${what}`)

/** A cell that may be empty or missing. */
const orNull = <Cell extends z.ZodType>(cell: Cell) => cell.nullable().default(null)

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
  holdings_btc: orNull(amount),
  shares_outstanding: orNull(amount),
  nav_usd: orNull(amount),
  market_price_usd: orNull(amount),
  aum_usd: orNull(amount),
  flow_usd: orNull(numberCell),
  premium: orNull(numberCell.refine((value) => Math.abs(value) <= 1, 'is more than 1: premiums are fractions')),
})
const treasuryLine = z.object({
  entity_id: known(
    entities.map(({ id }) => id),
    'an entity of the registry',
  ).transform(Number),
  date: dayCell,
  holdings_btc: amount,
  change_btc: orNull(numberCell),
  source_url: orNull(z.url()),
})
const fundingLine = z.object({
  exchange,
  instrument: z.string(),
  time: instantCell,
  rate: numberCell.refine((rate) => Math.abs(rate) <= 0.1, 'is more than 0.1: rates are fractions, not percent'),
  interval_hours: orNull(numberCell.refine((hours) => hours > 0 && hours <= 24, 'is not between 0 and 24')),
})
const openInterestLine = z.object({
  exchange,
  instrument: z.string(),
  time: instantCell,
  amount,
  unit: z.enum(['btc', 'usd'], 'is neither btc nor usd'),
})

export const importKinds = ['etf', 'treasuries', 'funding', 'oi'] as const
export type ImportKind = (typeof importKinds)[number]

const forms: Readonly<Record<ImportKind, { readonly table: ObservationTable; readonly line: CsvSchema<Cells> }>> = {
  etf: { table: tables.etf, line: fundLine },
  treasuries: { table: tables.treasuries, line: treasuryLine },
  funding: { table: tables.funding, line: fundingLine },
  oi: { table: tables.open_interest, line: openInterestLine },
}

/**
 * Imports a file: `etf` and `treasuries` by day, `funding` (settled, as fractions per interval) and
 * `oi` (one-sided, in BTC or USD) by instant. Imported values take precedence over fetched ones.
 * Throws `invalid_file` with file, line and problem; then nothing is stored.
 * @param now milliseconds since 1970; unfinished days and future instants are rejected
 */
export function importObservations(
  connection: DuckDBConnection,
  dataDir: string,
  kind: ImportKind,
  file: string,
  now = Date.now(),
): Promise<Appended> {
  const { table, line } = forms[kind]
  const lines = readCsv(file, line)
  checkLines(file, table, lines, now)
  const rows = lines.map(({ row }) => row)
  return appendObservations(connection, dataDir, table, 'import', rows, now)
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

import type { DuckDBConnection } from '@duckdb/node-api'
import { dayAt } from '#base/days.ts'
import { readColumns } from '#sql/columns.ts'
import { type Bar, toDailyBar } from './bars.ts'
import { type CsvRow, refuse, type Table } from './csv.ts'
import { mergeBars } from './merged-bars.ts'
import { tables } from './observations.ts'
import { checkPlausible } from './price-checks.ts'
import { daily, type PriceFile, readPriceFile, type Spacing } from './price-file.ts'
import { readDailyPrices } from './prices.ts'
import { type Appended, appendObservations } from './store.ts'

export interface ImportedPrices extends Appended {
  readonly spacing: Spacing['name']
  readonly firstDay: number
  readonly lastDay: number
  /** Lines with volume 0: stored, but not used as prices. */
  readonly untraded: number
  /** Runs of days or hours without a line, in the file and between it and stored lines. */
  readonly gaps: readonly PriceGap[]
  /** How the file was understood. */
  readonly notes: readonly string[]
}

const genesis = Date.UTC(2009, 0, 3)

export interface PriceGap {
  readonly first: string
  readonly last: string
  readonly length: number
}

export interface ImportPricesOptions {
  /** Milliseconds since 1970; unfinished days and hours are rejected. */
  readonly now?: number
  /** Accepts values that no market had. */
  readonly allowJumps?: boolean
}

/**
 * Imports prices of days or hours in USD from an export or sheet (`readPriceFile`). Lines may be
 * missing. Imported prices take precedence over fetched ones. Throws `invalid_file` with file, line
 * and problem; then nothing is stored.
 */
export async function importPrices(
  connection: DuckDBConnection,
  dataDir: string,
  path: string,
  { now = Date.now(), allowJumps = false }: ImportPricesOptions = {},
): Promise<ImportedPrices> {
  const file = readPriceFile(path)
  const { table, lines, spacing, notes } = file
  checkOrder(file, now)
  for (const line of lines) checkPrices(table, line)
  const known = await readDailyPrices(connection, dataDir)
  if (!allowJumps) checkPlausible(file, known)
  await mergeBars(connection, dataDir, tables.prices_hourly)
  const gaps = findGaps(lines, spacing, await mergedExtent(connection, spacing))

  const rows = lines.map(({ row }) => row)
  const appended =
    spacing === daily
      ? await appendObservations(connection, dataDir, tables.prices, 'import', rows.map(toDailyBar), now)
      : await appendObservations(connection, dataDir, tables.prices_hourly, 'import', rows, now)
  const untraded = rows.filter((row) => row.volume_btc === 0 || row.volume_usd === 0).length
  const [firstDay, lastDay] = [dayAt(rows[0]!.time), dayAt(rows.at(-1)!.time)]
  return { ...appended, spacing: spacing.name, firstDay, lastDay, untraded, gaps, notes }
}

function checkOrder({ table, lines, spacing: { lengthMs, format, name } }: PriceFile, now: number): void {
  const current = name === 'days' ? 'today and the days after it' : 'this hour and those after it'
  lines.forEach(({ line, row: { time } }, i) => {
    const previous = lines[i - 1]?.row.time
    const complain = (what: string, cure: string) => refuse(table, line, what, cure)
    if (time % lengthMs !== 0)
      throw complain(
        `${new Date(time).toISOString()} is not the start of an hour`,
        'give one line for each day or hour',
      )
    if (time + lengthMs > now) throw complain(`${format(time)} has not ended (UTC)`, `leave out ${current}`)
    if (time < genesis) throw complain(`${format(time)} is before the first block`, 'correct the line')
    if (previous === undefined || time > previous) return
    const what = time === previous ? 'appears twice' : `comes after ${format(previous)}`
    throw complain(`${format(time)} ${what}`, `give one line for each of the ${name}, in order`)
  })
}

function checkPrices(table: Table, { line, row }: CsvRow<Bar>): void {
  const { open, high, low, close, volume_btc, volume_usd } = row
  const complain = (what: string) => refuse(table, line, what, 'correct the line; prices are in USD')
  // Prices of 2010 rounded to cents can open at or fall to 0.00, but not close at 0.
  if (open < 0 || low < 0) throw complain(`negative price ${Math.min(open, low)}`)
  if (close <= 0) throw complain(`close ${close} is not above zero`)
  if (high < Math.max(open, low, close)) throw complain(`high ${high} is below open, low or close`)
  if (low > Math.min(open, close)) throw complain(`low ${low} is above open or close`)
  const volume = Math.min(volume_btc ?? 0, volume_usd ?? 0)
  if (volume < 0) throw complain(`negative volume ${volume}`)
}

/** First and last instant of stored prices; undefined without any. */
async function mergedExtent(connection: DuckDBConnection, spacing: Spacing): Promise<[number, number] | undefined> {
  const source =
    spacing === daily ? 'date::TIMESTAMP AS instant FROM prices_merged' : 'time AS instant FROM prices_hourly_merged'
  const { first, last } = await readColumns(
    connection,
    `SELECT epoch_ms(min(instant))::DOUBLE AS first, epoch_ms(max(instant))::DOUBLE AS last FROM (SELECT ${source})`,
  )
  return Number.isNaN(first![0]) ? undefined : [first![0]!, last![0]!]
}

function findGaps(
  lines: PriceFile['lines'],
  { lengthMs, format }: Spacing,
  stored: readonly [first: number, last: number] | undefined,
): PriceGap[] {
  const known = lines.map(({ row: { time } }) => time)
  if (stored && stored[1] < known[0]!) known.unshift(stored[1])
  else if (stored && stored[0] > known.at(-1)!) known.push(stored[0])
  return known.slice(1).flatMap((at, i) => {
    const length = (at - known[i]!) / lengthMs - 1
    return length === 0 ? [] : [{ first: format(known[i]! + lengthMs), last: format(at - lengthMs), length }]
  })
}

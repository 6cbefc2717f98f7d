import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { readColumns } from '#sql/columns.ts'
import { type CsvRow, dayCell, hasColumn, instantCell, invalidLine, numberCell, readCsv } from './csv.ts'
import { mergeBars } from './merged-bars.ts'
import { type Cells, type ObservationTable, tables } from './observations.ts'
import { type DailyPrices, readDailyPrices, toCloseOn } from './prices.ts'
import { type Appended, appendObservations } from './store.ts'
import { hourMs } from './wire.ts'

export interface ImportedPrices extends Appended {
  readonly spacing: Spacing['name']
  readonly firstDay: number
  readonly lastDay: number
  /** Lines with volume 0: stored, but not used as prices. */
  readonly untraded: number
  /** Runs of days or hours without a line, in the file and between it and stored lines. */
  readonly gaps: readonly PriceGap[]
}

export interface PriceGap {
  readonly first: string
  readonly last: string
  readonly length: number
}

export interface ImportPricesOptions {
  /** Milliseconds since 1970; unfinished days and hours are rejected. */
  readonly now?: number
  /** Accepts closes of any distance from previous ones. */
  readonly allowJumps?: boolean
}

const priceCells = {
  open: numberCell,
  high: numberCell,
  low: numberCell,
  close: numberCell,
  volume: numberCell.optional(),
}
const dailyLine = z.object({ date: dayCell, ...priceCells })
const hourlyLine = z.object({ time: instantCell, ...priceCells })

/** `at`: start of day or hour, milliseconds since 1970. */
type PriceLine = Omit<z.infer<typeof hourlyLine>, 'time'> & { readonly at: number }

interface Spacing {
  readonly name: 'days' | 'hours'
  readonly lengthMs: number
  readonly label: (at: number) => string
  readonly table: ObservationTable
  /** Identifies the observation of an instant. */
  readonly key: (at: number) => Cells
}

const daily: Spacing = {
  name: 'days',
  lengthMs: msPerDay,
  label: (at) => isoDate(dayAt(at)),
  table: tables.prices,
  key: (at) => ({ date: dayAt(at) }),
}
const hourly: Spacing = {
  name: 'hours',
  lengthMs: hourMs,
  label: (at) => new Date(at).toISOString().replace(':00.000Z', 'Z'),
  table: tables.prices_hourly,
  key: (at) => ({ time: at }),
}

/**
 * No daily close ever doubled or halved, and none changed more than fivefold within 20 days, so
 * larger jumps are errors: a missing digit, cents, another currency. Longer gaps allow larger ones,
 * but never from dollars to cents.
 */
const maxJump = 5
const maxJumpMs = 20 * msPerDay
const maxJumpAfterGap = 50

/**
 * Imports USD prices from a file with the header `date,open,high,low,close[,volume]` (volume in
 * USD): a line per UTC day, or with `time` instead of `date` per hour, oldest first. Lines may be
 * missing. Imported prices take precedence over fetched ones. Throws `invalid_file` with file, line
 * and problem; then nothing is stored.
 */
export async function importPrices(
  connection: DuckDBConnection,
  dataDir: string,
  file: string,
  { now = Date.now(), allowJumps = false }: ImportPricesOptions = {},
): Promise<ImportedPrices> {
  const spacing = hasColumn(file, 'time') ? hourly : daily
  const lines = spacing === hourly ? hourlyLines(file) : dailyLines(file)
  checkOrder(file, lines, spacing, now)
  for (const line of lines) checkPrices(file, line)
  const known = await readDailyPrices(connection, dataDir)
  if (!allowJumps) checkJumps(file, lines, spacing, known)
  await mergeBars(connection, dataDir, tables.prices_hourly)
  const gaps = findGaps(lines, spacing, await mergedExtent(connection, spacing))

  const rows = lines.map(({ row: { volume = null, at, ...bar } }) => {
    return { ...spacing.key(at), ...bar, volume_btc: null, volume_usd: volume }
  })
  const appended = await appendObservations(connection, dataDir, spacing.table, 'import', rows, now)
  const untraded = lines.filter(({ row }) => row.volume === 0).length
  const [firstDay, lastDay] = [dayAt(lines[0]!.row.at), dayAt(lines.at(-1)!.row.at)]
  return { ...appended, spacing: spacing.name, firstDay, lastDay, untraded, gaps }
}

const dailyLines = (file: string): CsvRow<PriceLine>[] =>
  readCsv(file, dailyLine).map(({ line, row: { date, ...row } }) => {
    return { line, row: { at: date * msPerDay, ...row } }
  })

const hourlyLines = (file: string): CsvRow<PriceLine>[] =>
  readCsv(file, hourlyLine).map(({ line, row: { time, ...row } }) => {
    const instant = new Date(time).toISOString()
    if (time % hourMs !== 0) throw invalidLine(file, line, `${instant} is not the start of an hour`, 'correct the line')
    return { line, row: { at: time, ...row } }
  })

function checkOrder(file: string, lines: readonly CsvRow<PriceLine>[], spacing: Spacing, now: number): void {
  const { lengthMs, label, name } = spacing
  lines.forEach(({ line, row: { at } }, i) => {
    const previous = lines[i - 1]?.row.at
    const current = spacing === daily ? 'today and the days after it' : 'this hour and those after it'
    if (at + lengthMs > now) throw invalidLine(file, line, `${label(at)} has not ended (UTC)`, `leave out ${current}`)
    if (previous === undefined || at > previous) return
    const what = at === previous ? 'appears twice' : `comes after ${label(previous)}`
    throw invalidLine(file, line, `${label(at)} ${what}`, `give one line for each of the ${name}, oldest first`)
  })
}

function checkPrices(file: string, { line, row }: CsvRow<PriceLine>): void {
  const { open, high, low, close, volume } = row
  const complain = (what: string) => invalidLine(file, line, what, 'correct the line; prices are in USD')
  // Prices of 2010 rounded to cents can open at or fall to 0.00, but not close at 0.
  if (open < 0 || low < 0) throw complain(`negative price ${Math.min(open, low)}`)
  if (close <= 0) throw complain(`close ${close} is not above zero`)
  if (high < Math.max(open, low, close)) throw complain(`high ${high} is below open, low or close`)
  if (low > Math.min(open, close)) throw complain(`low ${low} is above open or close`)
  if (volume !== undefined && volume < 0) throw complain(`negative volume ${volume}`)
}

/**
 * Compares each close with the previous line; the first with the stored close of its day, or else
 * the last before.
 */
function checkJumps(
  file: string,
  lines: readonly CsvRow<PriceLine>[],
  spacing: Spacing,
  known: DailyPrices | undefined,
): void {
  const first = dayAt(lines[0]!.row.at)
  let previous: { readonly at: number; readonly close: number; readonly of: string } | undefined
  if (known && first >= known.firstDay) {
    const closeOn = toCloseOn(known)
    const lastDay = known.firstDay + known.close.length - 1
    const day = Number.isNaN(closeOn(first)) ? lastDay : first
    previous = { at: day * msPerDay, close: closeOn(day), of: `${isoDate(day)} in the store` }
  }
  for (const { line, row } of lines) {
    const { at, close, volume } = row
    if (volume === 0) continue
    if (previous) {
      const factor = Math.max(close / previous.close, previous.close / close)
      if (factor > Math.min(maxJumpAfterGap, maxJump ** Math.max(1, (at - previous.at) / maxJumpMs))) {
        const times = close > previous.close ? `${Math.round(factor)} times` : `1/${Math.round(factor)} of`
        const cure = 'correct the line: prices are in USD; if it is right, import the file with --allow-jumps'
        throw invalidLine(file, line, `close ${close} is ${times} that of ${previous.of}, ${previous.close}`, cure)
      }
    }
    previous = { at, close, of: spacing.label(at) }
  }
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
  lines: readonly CsvRow<PriceLine>[],
  { lengthMs, label }: Spacing,
  stored: readonly [first: number, last: number] | undefined,
): PriceGap[] {
  const known = lines.map(({ row: { at } }) => at)
  if (stored && stored[1] < known[0]!) known.unshift(stored[1])
  else if (stored && stored[0] > known.at(-1)!) known.push(stored[0])
  return known.slice(1).flatMap((at, i) => {
    const length = (at - known[i]!) / lengthMs - 1
    return length === 0 ? [] : [{ first: label(known[i]! + lengthMs), last: label(at - lengthMs), length }]
  })
}

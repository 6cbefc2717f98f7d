import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { readColumns } from '#sql/columns.ts'
import { type CsvRow, dayCell, hasColumn, instantCell, invalidLine, numberCell, readCsv } from './csv.ts'
import { mergeBars } from './merged-bars.ts'
import { type Cells, type ObservationTable, tables } from './observations.ts'
import { type CloseOn, readDailyPrices, toCloseOn } from './prices.ts'
import { type Appended, appendObservations } from './store.ts'
import { hourMs } from './wire.ts'

export interface ImportedPrices extends Appended {
  readonly spacing: Spacing['name']
  readonly firstDay: number
  readonly lastDay: number
  /** Lines with a volume of 0: stored, but not used as prices. */
  readonly untraded: number
}

export interface ImportPricesOptions {
  /** Milliseconds since 1970; days and hours not over by then are rejected. */
  readonly now?: number
  /** Accepts closes regardless of their distance from the previous ones. */
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

/** `at`: start of the day or hour, in milliseconds since 1970. */
type PriceLine = Omit<z.infer<typeof hourlyLine>, 'time'> & { readonly at: number }

interface Spacing {
  readonly name: 'days' | 'hours'
  readonly lengthMs: number
  /** Consecutive lines that may be missing: hours without trades exist, days do not. */
  readonly maxMissing: number
  readonly label: (at: number) => string
}

const daily: Spacing = { name: 'days', lengthMs: msPerDay, maxMissing: 0, label: (at) => isoDate(dayAt(at)) }
const hourly: Spacing = {
  name: 'hours',
  lengthMs: hourMs,
  maxMissing: 24,
  label: (at) => new Date(at).toISOString().replace(':00.000Z', 'Z'),
}

/**
 * No daily close ever doubled or halved, so a larger jump is an error in the file: a missing digit, cents, another
 * currency.
 */
const maxJump = 5

/**
 * Imports prices in USD from a file with the header `date,open,high,low,close[,volume]` (volume in USD): one line per
 * UTC day, oldest first, without gaps, adjacent to the stored days. With `time` instead of `date`: one line per hour,
 * with up to 24 missing in a row. Imported prices take precedence over fetched ones. Throws `invalid_file` with file,
 * line and problem; then nothing is stored.
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
  if (!allowJumps) checkJumps(file, lines, spacing, known ? toCloseOn(known) : () => Number.NaN)
  await mergeBars(connection, dataDir, tables.prices_hourly)
  checkJoint(file, lines, spacing, await mergedExtent(connection, spacing))

  const rows = lines.map(({ row: { volume, at, ...row } }) => {
    return { at, ...row, volume_btc: null, volume_usd: volume ?? null }
  })
  const store = <Row extends Cells>(table: ObservationTable<Row>, rows: readonly Row[]) =>
    appendObservations<Row>(connection, dataDir, table, 'import', rows, now)
  const appended = await (spacing === hourly
    ? store(
        tables.prices_hourly,
        rows.map(({ at, ...row }) => ({ time: at, ...row })),
      )
    : store(
        tables.prices,
        rows.map(({ at, ...row }) => ({ date: dayAt(at), ...row })),
      ))
  const untraded = lines.filter(({ row }) => row.volume === 0).length
  const [firstDay, lastDay] = [dayAt(lines[0]!.row.at), dayAt(lines.at(-1)!.row.at)]
  return { ...appended, spacing: spacing.name, firstDay, lastDay, untraded }
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
  const { lengthMs, label, maxMissing, name } = spacing
  lines.forEach(({ line, row: { at } }, i) => {
    const previous = lines[i - 1]?.row.at
    const current = spacing === daily ? 'today and the days after it' : 'this hour and those after it'
    if (at + lengthMs > now) throw invalidLine(file, line, `${label(at)} has not ended (UTC)`, `leave out ${current}`)
    if (previous === undefined) return
    const missing = (at - previous) / lengthMs - 1
    if (missing >= 0 && missing <= maxMissing) return
    const cure =
      spacing === daily
        ? 'give one line per day, oldest first, without gaps'
        : `give one line per hour, oldest first, without more than ${maxMissing} missing in a row`
    if (at === previous) throw invalidLine(file, line, `${label(at)} appears twice`, cure)
    if (at < previous) throw invalidLine(file, line, `${label(at)} comes after ${label(previous)}`, cure)
    const what = missing > 1 ? name : name.slice(0, -1)
    throw invalidLine(file, line, `${missing} ${what} missing between ${label(previous)} and ${label(at)}`, cure)
  })
}

function checkPrices(file: string, { line, row }: CsvRow<PriceLine>): void {
  const { open, high, low, close, volume } = row
  const complain = (what: string) => invalidLine(file, line, what, 'correct the line; prices are in USD')
  // Prices of 2010 rounded to cents can open at or fall to 0.00, but a close of 0 is no price.
  if (open < 0 || low < 0) throw complain(`negative price ${Math.min(open, low)}`)
  if (close <= 0) throw complain(`close ${close} is not above zero`)
  if (high < Math.max(open, low, close)) throw complain(`high ${high} is below open, low or close`)
  if (low > Math.min(open, close)) throw complain(`low ${low} is above open or close`)
  if (volume !== undefined && volume < 0) throw complain(`negative volume ${volume}`)
}

/** Compares each close with the previous line, and the first with the stored close of its day or the day before. */
function checkJumps(file: string, lines: readonly CsvRow<PriceLine>[], spacing: Spacing, closeOn: CloseOn): void {
  const first = dayAt(lines[0]!.row.at)
  const storedDay = Number.isNaN(closeOn(first)) ? first - 1 : first
  let previous = { close: closeOn(storedDay), of: `${isoDate(storedDay)} in the store` }
  for (const { line, row } of lines) {
    const { at, close, volume } = row
    if (volume === 0) continue
    const factor = Math.max(close / previous.close, previous.close / close)
    if (factor > maxJump) {
      const times = close > previous.close ? `${Math.round(factor)} times` : `1/${Math.round(factor)} of`
      const cure = 'correct the line: prices are in USD; if it is right, import the file with --allow-jumps'
      throw invalidLine(file, line, `close ${close} is ${times} that of ${previous.of}, ${previous.close}`, cure)
    }
    previous = { close, of: spacing.label(at) }
  }
}

/** First and last instant of stored prices with this spacing; undefined if there are none. */
async function mergedExtent(connection: DuckDBConnection, spacing: Spacing): Promise<[number, number] | undefined> {
  const source =
    spacing === daily ? 'date::TIMESTAMP AS instant FROM prices_merged' : 'time AS instant FROM prices_hourly_merged'
  const { first, last } = await readColumns(
    connection,
    `SELECT epoch_ms(min(instant))::DOUBLE AS first, epoch_ms(max(instant))::DOUBLE AS last FROM (SELECT ${source})`,
  )
  return Number.isNaN(first![0]) ? undefined : [first![0]!, last![0]!]
}

function checkJoint(
  file: string,
  lines: readonly CsvRow<PriceLine>[],
  { lengthMs, maxMissing, label, name }: Spacing,
  stored: readonly [first: number, last: number] | undefined,
): void {
  if (!stored) return
  const [first, last] = [lines[0]!, lines[lines.length - 1]!]
  const reach = (maxMissing + 1) * lengthMs
  const cure = `import the ${name} between first, or one file with all of them`
  if (first.row.at > stored[1] + reach) {
    const what = `starts on ${label(first.row.at)}, but the stored prices end on ${label(stored[1])}`
    throw invalidLine(file, first.line, what, cure)
  }
  if (last.row.at < stored[0] - reach) {
    const what = `ends on ${label(last.row.at)}, but the stored prices start on ${label(stored[0])}`
    throw invalidLine(file, last.line, what, cure)
  }
}

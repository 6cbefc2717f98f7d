import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { dayAt, isoDate } from '#root/days.ts'
import { type CsvRow, dayCell, invalidLine, numberCell, readCsv } from './csv.ts'
import { tables } from './observations.ts'
import { readDailyPrices } from './prices.ts'
import { type Appended, appendObservations } from './store.ts'

/** The outcome of an import; days are unix days. */
export interface ImportedPrices extends Appended {
  readonly firstDay: number
  readonly lastDay: number
}

const priceLine = z.object({
  date: dayCell,
  open: numberCell,
  high: numberCell,
  low: numberCell,
  close: numberCell,
  volume: numberCell.optional(),
})
type PriceLine = z.infer<typeof priceLine>

/**
 * Imports daily prices in USD from a file with the header `date,open,high,low,close[,volume]` (volume in USD), one line
 * per UTC day, oldest first, without a gap, also none to the days already stored. Imported days win over fetched ones.
 * Throws `invalid_file` with file, line and what is wrong; nothing is stored then.
 * @param now milliseconds since 1970; days that have not ended by then are refused
 */
export async function importPrices(
  connection: DuckDBConnection,
  dataDir: string,
  file: string,
  now = Date.now(),
): Promise<ImportedPrices> {
  const lines = readCsv(file, priceLine)
  checkOrder(file, lines, dayAt(now))
  for (const line of lines) checkPrices(file, line)
  const first = lines[0]!
  const last = lines[lines.length - 1]!
  const stored = await readDailyPrices(connection, dataDir)
  if (stored) {
    const storedEnd = stored.firstDay + stored.close.length
    const cure = 'import the days between first, or one file with all of them'
    if (first.row.date > storedEnd)
      throw invalidLine(
        file,
        first.line,
        `starts on ${isoDate(first.row.date)}, but the stored prices end on ${isoDate(storedEnd - 1)}`,
        cure,
      )
    if (last.row.date < stored.firstDay - 1)
      throw invalidLine(
        file,
        last.line,
        `ends on ${isoDate(last.row.date)}, but the stored prices start on ${isoDate(stored.firstDay)}`,
        cure,
      )
  }
  const rows = lines.map(({ row: { volume, ...row } }) => ({ ...row, volume_btc: null, volume_usd: volume ?? null }))
  const appended = await appendObservations(connection, dataDir, tables.prices, 'import', rows, now)
  return { ...appended, firstDay: first.row.date, lastDay: last.row.date }
}

function checkOrder(file: string, lines: readonly CsvRow<PriceLine>[], today: number): void {
  lines.forEach(({ line, row: { date } }, i) => {
    const previous = lines[i - 1]?.row.date
    if (date >= today)
      throw invalidLine(file, line, `${isoDate(date)} has not ended (UTC)`, 'leave out today and the days after it')
    if (previous === undefined || date === previous + 1) return
    const cure = 'give one line per day, oldest first, without gaps'
    if (date === previous) throw invalidLine(file, line, `${isoDate(date)} stands there twice`, cure)
    if (date < previous) throw invalidLine(file, line, `${isoDate(date)} comes after ${isoDate(previous)}`, cure)
    const missing = date - previous - 1
    throw invalidLine(
      file,
      line,
      `${missing} day${missing > 1 ? 's' : ''} missing between ${isoDate(previous)} and ${isoDate(date)}`,
      cure,
    )
  })
}

function checkPrices(file: string, { line, row }: CsvRow<PriceLine>): void {
  const { open, high, low, close, volume } = row
  const complain = (what: string) => invalidLine(file, line, what, 'correct the line; prices are in USD')
  // Prices of 2010 rounded to cents can open and fall to 0.00; a day that closes at nothing has no price.
  if (open < 0 || low < 0) throw complain(`negative price ${Math.min(open, low)}`)
  if (close <= 0) throw complain(`close ${close} is not above zero`)
  if (high < Math.max(open, low, close)) throw complain(`high ${high} is below open, low or close`)
  if (low > Math.min(open, close)) throw complain(`low ${low} is above open or close`)
  if (volume !== undefined && volume < 0) throw complain(`negative volume ${volume}`)
}

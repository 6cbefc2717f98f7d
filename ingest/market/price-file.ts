import { median } from 'd3-array'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import type { Bar } from './bars.ts'
import { type CsvRow, readTable, refuse, type Table } from './csv.ts'
import { readNumbers, readTimes } from './table-cells.ts'
import { hourMs } from './wire.ts'

export interface PriceFile {
  readonly table: Table
  /** Oldest first, unless they are in disorder. */
  readonly lines: readonly CsvRow<Bar>[]
  readonly spacing: Spacing
  /** How the file was understood. */
  readonly notes: readonly string[]
}

export type Spacing = typeof daily | typeof hourly
export const daily = { name: 'days', lengthMs: msPerDay, format: (time: number) => isoDate(dayAt(time)) } as const
const formatHour = (time: number): string => new Date(time).toISOString().replace(':00.000Z', 'Z')
const hourly = { name: 'hours', lengthMs: hourMs, format: formatHour } as const

const bars = ['open', 'high', 'low', 'close'] as const
const valueColumns = [...bars, 'volume', 'volume_btc', 'volume_usd'] as const
type ValueColumn = (typeof valueColumns)[number]

/**
 * Names of columns in exports and sheets, as `simplify` writes them. The first of several times
 * counts. `volume` is in BTC or USD.
 */
const names: Readonly<Record<ValueColumn | 'time' | 'symbol', string>> = {
  time: 'timeopen|open time|unix|unix timestamp|date|date utc|datum|day|datetime|time|t|timestamp|snapped at',
  open: 'open|o|24h open|opening price|eröffnung|eröffnungskurs|eröffn|erster|ouverture|ouv',
  high: 'high|h|24h high|hoch|höchstkurs|tageshoch|haut|plus haut',
  low: 'low|l|24h low|tief|tiefstkurs|tagestief|bas|plus bas',
  close: 'close|c|price|last|close last|closing price|schluss|schlusskurs|kurs|zuletzt|clôture|dernier|cours',
  volume: 'volume|vol|volumen',
  volume_btc: 'volume btc|volume xbt',
  volume_usd: 'volume usd|volume usdt|volume currency|total volume',
  symbol: 'symbol|pair|ticker|asset|currency',
}
const timeNames = names.time.split('|')
const columnOf = new Map(
  Object.entries(names).flatMap(([column, list]) => list.split('|').map((name) => [name, column])),
)

/** Columns of files without a header by their number: of Kraken, its interface, and Binance. */
const unnamed = {
  7: 'unix,open,high,low,close,volume btc,trades',
  8: 'unix,open,high,low,close,vwap,volume btc,trades',
  12: 'open time,open,high,low,close,volume btc,close time,quote usdt,trades,taker btc,taker usdt,ignored',
}

const otherCurrency = /(^| )(eur|gbp|jpy|chf|cad|aud|krw|cny|brl|inr|rub|try|[€£¥])( |$)/
const dollarPair = /^(.*:)?\W*(X?XBT|BTC|BITCOIN)?\W?(Z?USDT?)?$/i

const recipe =
  'make its first line date,open,high,low,close,volume_usd (or volume_btc, or date,close alone), with days as YYYY-MM-DD in UTC and prices as 43210.5; for hours time in place of date, as YYYY-MM-DDTHH:00Z'

const simplify = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}€£¥]+/gu, ' ')
    .trim()

const findColumn = (name: string): string | undefined =>
  columnOf.get(simplify(name)) ?? columnOf.get(simplify(name).replace(/ ?usdt?$/, ''))

/** Throws `invalid_file` with file, line and problem. */
export function readPriceFile(file: string): PriceFile {
  const isHeader = (row: readonly string[]) => ['time', 'close'].every((name) => row.map(findColumn).includes(name))
  const table = readTable(file, recipe, isHeader, unnamed)
  const { header, rows } = table
  const complain = (line: number, what: string) => refuse(table, line, what, recipe)
  const foreign = header.row.find((name) => otherCurrency.test(simplify(name)))
  if (foreign) throw complain(header.line, `the column "${foreign}" is not in USD`)
  const places = Map.groupBy(header.row.keys(), (place) => findColumn(header.row[place]!))
  const twice = valueColumns.find((column) => places.get(column)?.[1] !== undefined)
  if (twice) throw complain(header.line, `more than one column is the ${twice}`)
  const missing = bars.filter((column) => !places.has(column))
  if (missing.length % 3 > 0) throw complain(header.line, `the column "${missing[0]}" is missing`)
  const symbols = places.get('symbol') ?? []
  const other = rows.find(({ row }) => symbols.some((place) => !dollarPair.test(row[place]!)))
  if (other) throw complain(other.line, `${symbols.map((place) => other.row[place])} is not bitcoin in USD`)

  const times = places.get('time')!.map((place) => simplify(header.row[place]!))
  if (times.length > 1 && times.includes('time')) throw complain(header.line, 'days and times are in two columns')
  const rank = (place: number): number => timeNames.indexOf(simplify(header.row[place]!))
  const place = places.get('time')!.reduce((a, b) => (rank(b) < rank(a) ? b : a))
  const stamps = readTimes(table, place)
  const isOneHour = rank(place) === timeNames.indexOf('time') && new Set(stamps).size === 1
  const spacing = stamps.every((at) => at % msPerDay === 0) && !isOneHour ? daily : hourly
  // CoinGecko gives the price at an instant: at midnight, the close of the day before.
  const shift = rank(place) === timeNames.indexOf('snapped at') ? spacing.lengthMs : 0
  const used = valueColumns.flatMap((column) => places.get(column) ?? [])
  const values = readNumbers(table, used)
  const toLines = (bare?: 'volume_btc' | 'volume_usd'): CsvRow<Bar>[] =>
    rows.flatMap(({ line }, i) => {
      const value = (name: ValueColumn) => values[used.indexOf(places.get(name)?.[0] ?? -1)]?.[i] ?? Number.NaN
      const bar = bars.map((column) => value(missing.length > 0 ? 'close' : column))
      const [open = 0, high = 0, low = 0, close = 0] = bar
      // Yahoo has lines of null for days without data.
      if (bar.every(Number.isNaN)) return []
      if (bar.some(Number.isNaN)) throw complain(line, `${bars[bar.findIndex(Number.isNaN)]} is empty`)
      const volume = (name: 'volume_btc' | 'volume_usd') => {
        const read = value(name === bare ? 'volume' : name)
        return Number.isNaN(read) ? null : read
      }
      const volumes = { volume_btc: volume('volume_btc'), volume_usd: volume('volume_usd') }
      return [{ line, row: { time: stamps[i]! - shift, open, high, low, close, ...volumes } }]
    })
  const isTradedIn = (unit: 'volume_btc' | 'volume_usd') => isTraded(toLines(unit), spacing)
  const unit = isTradedIn('volume_usd') || !isTradedIn('volume_btc') ? 'volume_usd' : 'volume_btc'
  const lines = toLines(places.has('volume') ? unit : undefined)
  if (lines.length === 0) throw complain(header.line, 'no line has a price')
  const isTether = [header, rows[0]!].some(({ row }) => /usdt/i.test(row.join()))
  const notes = [
    ...(places.has('volume') ? [`volume taken for ${unit}`] : []),
    ...(isTether ? ['Tether taken for dollars'] : []),
    ...(places.get(undefined) ?? []).map((place) => `${header.row[place]} not used`),
  ]
  return { table, lines: lines[0]!.row.time > lines.at(-1)!.row.time ? lines.reverse() : lines, spacing, notes }
}

/**
 * True if the traded BTC a day (median) are between those of a small exchange and of all together,
 * or if prices are below 100 USD, where BTC cannot be told from USD.
 */
export function isTraded(lines: PriceFile['lines'], { lengthMs }: Spacing): boolean {
  const traded = median(lines, ({ row }) => (row.close < 100 ? Number.NaN : tradedBtc(row) || Number.NaN)) ?? 1000
  return (traded * msPerDay) / lengthMs >= 10 && (traded * msPerDay) / lengthMs <= 1e7
}

/** NaN if unknown. */
export const tradedBtc = ({ close, volume_btc, volume_usd }: Bar): number =>
  volume_btc ?? (volume_usd ?? Number.NaN) / close

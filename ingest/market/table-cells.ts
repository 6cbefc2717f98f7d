import { utcFormat, utcParse } from 'd3-time-format'
import { refuse, type Table } from './csv.ts'

type Cell = { readonly line: number; readonly place: number; readonly text: string }

const cure =
  'write days as YYYY-MM-DD, times in UTC as YYYY-MM-DDTHH:MM:SSZ or in seconds since 1970, numbers as 43210.5, and nothing for what is unknown'

/**
 * Reads all cells in the one way that fits them. Throws `invalid_file` for a cell that fits none,
 * and for one that two ways give different values.
 * @param ways give NaN for a text that does not fit
 */
function readCells(table: Table, cells: readonly Cell[], ways: readonly ((text: string) => number)[], kind: string) {
  const complain = (at: number, what: string) => {
    const { line, place, text } = cells[at]!
    return refuse(table, line, `${table.header.row[place]} "${text}" ${what}`, cure)
  }
  const read = ways.map((way) => cells.map(({ text }) => way(text)))
  const fitting = read.filter((values) => !values.some(Number.isNaN))
  const [values] = fitting
  if (!values) throw complain(Math.max(...read.map((each) => each.findIndex(Number.isNaN))), `is not ${kind}`)
  const doubtful = values.findIndex((value, i) => fitting.some((other) => other[i] !== value))
  if (doubtful >= 0) throw complain(doubtful, 'can be read in two ways, and no line decides which')
  return values
}

const toCells = ({ rows }: Table, place: number): Cell[] =>
  rows.map(({ line, row }) => ({ line, place, text: row[place]! }))

const clock = /^(.+?)(?:[T ,]+([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]00:?00))?)?$/i

const dayForms = '%Y-%m-%d|%Y/%m/%d|%Y%m%d|%d.%m.%Y|%b %d, %Y|%B %d, %Y|%d %b %Y|%d/%m/%Y|%m/%d/%Y|%d-%m-%Y|%m-%d-%Y'
const dayReaders = dayForms.split('|').map((form) => {
  const [parse, format] = [utcParse(form), utcFormat(form)]
  const withoutZeros = (text: string): string => text.toLowerCase().replaceAll(/\b0/g, '')
  return (text: string): number => {
    const day = parse(text)
    // D3 reads February 30 as March 1.
    return day && withoutZeros(format(day)) === withoutZeros(text) ? day.getTime() : Number.NaN
  }
})

/**
 * Reads dates with or without times in UTC, as milliseconds since 1970; whole numbers are seconds,
 * milli-, micro- or nanoseconds. All lines decide whether the day or the month comes first. Throws
 * `invalid_file`.
 */
export function readTimes(table: Table, place: number): readonly number[] {
  const ways = dayReaders.map((toDay) => (text: string) => {
    const unix = /^(\d{9,19})(?:\.\d+)?$/.exec(text)?.[1] ?? ''
    if (unix) return Math.round((1000 * Number(unix)) / 1000 ** Math.round((unix.length - 10) / 3))
    const [, day = '', hour = 0, minute = 0, second = 0] = clock.exec(text) ?? []
    return toDay(day) + 1000 * (3600 * Number(hour) + 60 * Number(minute) + Number(second))
  })
  return readCells(table, toCells(table, place), ways, 'a date or time in UTC that exists')
}

const numberForm = (mark: string, group: string): RegExp =>
  new RegExp(`^([+-]?(?:\\d{1,3}(?:${group}\\d{3})+|\\d*))(?:${mark}(\\d*))?(e[+-]?\\d+)?([kmbt%]?)$`, 'i')
const suffixes: Readonly<Record<string, number>> = { '': 1, '%': 0.01, K: 1e3, M: 1e6, B: 1e9, T: 1e12 }

/** Number such as `43.5K`, `1 234.5`, `$12` or `12%`; NaN if it is none. */
const toNumber = (form: RegExp) => (text: string) => {
  const plain = text.replace(/^\$/, '').replaceAll(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, '')
  const [, whole = '', fraction = '', exponent = '', suffix = ''] = form.exec(plain) ?? []
  const digits = whole.replaceAll(/[.,]/g, '')
  const value = Number(`${digits}.${fraction}${exponent}`) * suffixes[suffix.toUpperCase()]!
  return /\d/.test(digits + fraction) && Number.isFinite(value) ? value : Number.NaN
}
const withPoint = toNumber(numberForm('\\.', ','))
const withComma = toNumber(numberForm(',', '\\.'))

/**
 * Reads columns of numbers with the decimal mark that fits all of them; NaN for empty cells and
 * words such as null. Throws `invalid_file`.
 */
export function readNumbers(table: Table, places: readonly number[]): number[][] {
  const cells = places.map((place) => toCells(table, place))
  const isFilled = ({ text }: Cell): boolean => !/^(null|none|nan|n\/?a|-+)?$/i.test(text)
  const filled = cells.flat().filter(isFilled)
  // Nobody separates cells and decimals by the same mark without quotes.
  const isPlain = table.separator === ',' && filled.every(({ text }) => !text.includes(','))
  const values = readCells(table, filled, isPlain ? [withPoint] : [withPoint, withComma], 'a number').values()
  return cells.map((column) => column.map((cell) => (isFilled(cell) ? values.next().value! : Number.NaN)))
}

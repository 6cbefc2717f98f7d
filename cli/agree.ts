import { median, range } from 'd3-array'
import { satsToBtc } from '#base/bitcoin.ts'
import { dayAt, isoDate, parseDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { formatCount } from '#base/quantities.ts'
import { ApiError } from '#contract/api-error.ts'
import { readTable, refuse } from '#ingest/market/csv.ts'
import { readNumbers, readTimes } from '#ingest/market/table-cells.ts'
import { formulaSource, metricSource, type Source } from '#query/answers/series.ts'
import { isSeries } from '#query/catalogue.ts'
import { View } from '#query/view.ts'
import { type PublishedPlace, withGenerations } from './published.ts'

export interface AgreeOptions {
  readonly with: string
  /** `THEIRS=OURS`: a column of the file and the metric or formula to compare. */
  readonly column?: readonly string[]
  /** Greatest relative difference that counts as equal. */
  readonly tolerance: number
}

interface Pair {
  readonly date: string
  readonly theirs: number
  readonly ours: number
  /** Relative to theirs; null if only theirs is 0. */
  readonly difference: number | null
}

interface ColumnAgreement {
  readonly column: string
  readonly ours: string
  /** Days with both values. */
  readonly days: number
  readonly equal: number
  /** Median relative difference. */
  readonly median: number | null
  /** Unequal days, worst first. */
  readonly differing: readonly Pair[]
  /** Days of the file with only one of the two values. */
  readonly only: { readonly theirs: number; readonly ours: number }
  /** How ours follows from theirs, if another day or unit explains most of the difference. */
  readonly relation: Relation | null
}

/** Ours of the day `days_later` is `factor` times theirs, but for a median difference. */
interface Relation {
  readonly days_later: number
  readonly factor: number
  readonly median: number
}

export interface Agreement {
  readonly file: string
  readonly generation: string
  readonly network: string
  readonly simulated: boolean
  readonly first_date: string
  readonly last_date: string
  /** Days of the file that are not published. */
  readonly unpublished: number
  readonly columns: readonly ColumnAgreement[]
  /** Columns that are no metric's name and have no `--column`. */
  readonly ignored: readonly string[]
}

const maxRelatedDifference = 1e-3
const dateColumns = ['date', 'day', 'time', 'timestamp', 'datetime', 't']
const cure =
  'the first line names the columns, one of them date, day, time, timestamp, datetime or t; then comes one line for each day'

/** Compares a file of CSV or JSON, day by day, with the current generation. */
export function compareFile(
  place: PublishedPlace,
  { with: file, column: given = [], tolerance }: AgreeOptions,
): Promise<Agreement> {
  const isDate = (name: string): boolean => dateColumns.includes(name.toLowerCase())
  const table = readTable(file, cure, (row) => row.some(isDate))
  const { header, rows } = table
  const columns = header.row
  const repeated = columns.find((name, i) => columns.indexOf(name) !== i)
  if (repeated !== undefined) throw refuse(table, header.line, `repeated column "${repeated}"`, cure)
  const dateAt = columns.findIndex(isDate)
  const days = readTimes(table, dateAt).map(dayAt)
  const seen = new Set<number>()
  days.forEach((day, i) => {
    if (seen.has(day)) throw refuse(table, rows[i]!.line, `${isoDate(day)} appears twice`, cure)
    seen.add(day)
  })
  const asked = new Map(given.map((text) => readPair(text, columns)))

  return withGenerations(place, (generations) =>
    generations.read(async (published) => {
      const view = new View(published, 'enterprise')
      const { id, network, simulated } = view.generation
      const agreements: ColumnAgreement[] = []
      const ignored: string[] = []
      for (const [at, column] of columns.entries()) {
        if (at === dateAt) continue
        const source = findSource(view, column, asked.get(column))
        if (!source) {
          ignored.push(column)
          continue
        }
        const theirs = readNumbers(table, [at])[0]!
        const values = await valuesOf(view, source)
        const oursOn = (day: number): number => values[day - view.firstDay] ?? Number.NaN
        const name = asked.get(column) ?? view.catalogue.find(column)?.id ?? column
        agreements.push({ column, ours: name, ...compare(days, theirs, oursOn, tolerance) })
      }
      if (agreements.length === 0) {
        throw new CoinstrataError('invalid_argument', `no column of ${file} has the name of a metric`, {
          cure: `name one yourself, such as --column '${ignored[0] ?? 'value'}=realized_cap'; docs/metrics/all.md lists the metrics`,
        })
      }
      return {
        file,
        generation: id,
        network,
        simulated,
        columns: agreements,
        ignored,
        first_date: isoDate(Math.min(...days)),
        last_date: isoDate(Math.max(...days)),
        unpublished: days.filter((day) => day < view.firstDay || day > view.lastDay).length,
      }
    }),
  )
}

/** The price from the chain is judged from this day on: by its median difference, and days within a limit. */
const judgedFrom = '2020-01-01'
const maxMedian = 0.003
const maxDifference = 0.02
const minShare = 0.99
const minDays = 365

export interface OnchainAgreement extends ColumnAgreement {
  readonly holds: boolean
}

/** Compares the published price from the chain with the prices of markets. */
export function compareOnchainPrice(place: PublishedPlace): Promise<OnchainAgreement> {
  return withGenerations(place, (generations) =>
    generations.read(async (published) => {
      const view = new View(published, 'enterprise')
      const { firstDay, lastDay, generation } = view
      if (generation.prices?.pricing.source === 'onchain') {
        throw new CoinstrataError('invalid_argument', 'all prices here are from the chain', {
          cure: 'compare where PRICE_SOURCE=markets',
        })
      }
      const theirs = await valuesOf(view, metricSource(view, 'price'))
      const ours = await valuesOf(view, metricSource(view, 'price_onchain'))
      const days = range(Math.max(firstDay, parseDay(judgedFrom)), lastDay + 1)
      const compared = compare(
        days,
        days.map((day) => theirs[day - firstDay]!),
        (day) => ours[day - firstDay] ?? Number.NaN,
        maxDifference,
      )
      const isClose = compared.median !== null && compared.median <= maxMedian
      const holds = isClose && compared.days >= minDays && compared.equal >= minShare * compared.days
      return { column: 'price', ours: 'price_onchain', ...compared, holds }
    }),
  )
}

export const describeOnchainPrice = ({ holds, ...column }: OnchainAgreement): string =>
  [
    ...describeColumn(column, 'of markets'),
    `the price from the chain is ${holds ? '' : 'not '}as good as it must be since ${judgedFrom}: its median difference is` +
      ` ${column.days > 0 ? formatDifference(column.median) : 'unknown'} (${formatDifference(maxMedian)} at most), and ${100 * minShare} % of at least` +
      ` ${minDays} days must be within ${formatDifference(maxDifference)}\n`,
  ].join('\n')

function readPair(text: string, columns: readonly string[]): [column: string, ours: string] {
  const at = text.indexOf('=')
  const [column, ours] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  if (at > 0 && ours !== '' && columns.includes(column)) return [column, ours]
  const problem = at > 0 && ours !== '' ? `the file has no column "${column}"` : 'it is not of the form THEIRS=OURS'
  throw new CoinstrataError('invalid_argument', `--column "${text}": ${problem}`, {
    cure: `its columns are ${columns.join(', ')}; give a metric or formula for one, such as --column '${columns[1] ?? 'value'}=realized_cap'`,
  })
}

/** The requested metric or formula, else the metric of the column's name. */
function findSource(view: View, column: string, asked: string | undefined): Source | undefined {
  try {
    if (asked === undefined) {
      const metric = view.catalogue.find(column)
      return metric && isSeries(metric) ? metricSource(view, metric.id) : undefined
    }
    return view.catalogue.find(asked) ? metricSource(view, asked) : formulaSource(view, asked)
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    const message = `--column "${column}=${asked}": ${cause.message}`
    throw new CoinstrataError('invalid_argument', message, { cause, cure: 'docs/metrics/all.md lists the metrics' })
  }
}

async function valuesOf(view: View, { needs, compute }: Source): Promise<Float64Array> {
  const read = await view.valuesOf(needs)
  const columns = new Map(needs.map(({ id }, i) => [id, read[i]!]))
  return compute((id) => columns.get(id)!, view.dayCount, view.work)
}

function compare(
  days: readonly number[],
  theirs: readonly number[],
  oursOn: (day: number) => number,
  tolerance: number,
): Omit<ColumnAgreement, 'column' | 'ours'> {
  const ours = days.map(oursOn)
  const has = (values: readonly number[], i: number): boolean => !Number.isNaN(values[i])
  const pairs = [...days.keys()]
    .filter((i) => has(theirs, i) && has(ours, i))
    .map((i): Pair => pairOf(days[i]!, theirs[i]!, ours[i]!))
  const off = ({ difference }: Pair): number => difference ?? Number.POSITIVE_INFINITY
  const sorted = pairs.toSorted((a, b) => off(b) - off(a))
  const differing = sorted.filter((pair) => off(pair) > tolerance)
  return {
    days: pairs.length,
    equal: pairs.length - differing.length,
    median: sorted[Math.floor(sorted.length / 2)]?.difference ?? null,
    differing,
    only: {
      theirs: theirs.filter((_, i) => has(theirs, i) && !has(ours, i)).length,
      ours: ours.filter((_, i) => has(ours, i) && !has(theirs, i)).length,
    },
    relation: findRelation(theirs, (i, later) => oursOn(days[i]! + later)),
  }
}

function findRelation(theirs: readonly number[], oursOn: (i: number, days: number) => number): Relation | null {
  const relate = (days_later: number, isScaled: boolean): Relation => {
    const ratios = theirs.map((value, i) => oursOn(i, days_later) / value).filter(Number.isFinite)
    const factor = isScaled ? (median(ratios) ?? 1) : 1
    return { days_later, factor, median: median(ratios, (ratio) => Math.abs(ratio / factor - 1)) ?? 0 }
  }
  const all = [false, true].flatMap((isScaled) => [0, 1, -1].map((days) => relate(days, isScaled)))
  const best = all.reduce((a, b) => (b.median < a.median / 4 ? b : a))
  return best.median <= maxRelatedDifference && best !== all[0] ? best : null
}

function pairOf(day: number, theirs: number, ours: number): Pair {
  const difference = ours === theirs ? 0 : theirs === 0 ? null : Math.abs(ours / theirs - 1)
  return { date: isoDate(day), theirs, ours, difference }
}

const maxListed = 5

export function describeAgreement(agreement: Agreement): string {
  const { file, generation, network, simulated, columns, ignored, first_date, last_date, unpublished } = agreement
  const outside = unpublished > 0 ? `; days that are not published: ${formatCount(unpublished)}` : ''
  const lines = [
    `${file} (${first_date} to ${last_date}${outside})`,
    `beside generation ${generation} of ${network}${simulated ? ', whose chain and prices are simulated' : ''}`,
    ...columns.flatMap((column) => describeColumn(column)),
    ...(ignored.length > 0 ? [`not compared, because no metric has the name: ${ignored.join(', ')}`] : []),
  ]
  return `${lines.join('\n')}\n`
}

function describeColumn(
  { column, ours, days, equal, median, differing, only, relation }: ColumnAgreement,
  place = 'in the file',
): string[] {
  const name = column === ours ? column : `${column} = ${ours}`
  const [worst] = differing
  const lines = [
    `${name}: ${formatCount(equal)} of ${formatCount(days)} days equal` +
      (worst ? `, median difference ${formatDifference(median)}, largest ${formatDifference(worst.difference)}` : ''),
    ...differing.slice(0, maxListed).map(({ date, theirs, ours, difference }) => {
      return `  ${date}  theirs ${theirs}, ours ${ours} (${formatDifference(difference)})`
    }),
    ...(differing.length > maxListed
      ? [`  and ${formatCount(differing.length - maxListed)} more; --json has all`]
      : []),
    ...(relation ? [`  ${describeRelation(relation)}`] : []),
    ...(only.theirs > 0 ? [`  days with a value only ${place}: ${formatCount(only.theirs)}`] : []),
    ...(only.ours > 0 ? [`  days with a value only here: ${formatCount(only.ours)}`] : []),
  ]
  return lines
}

/** By ours over theirs. */
const units = new Map([
  [100, 'a fraction, ours in percent'],
  [0.01, 'in percent'],
  [satsToBtc(1), 'in satoshis'],
])
for (const [power, name] of ['thousands', 'millions', 'billions'].entries())
  units.set(1000 ** (power + 1), `in ${name}`)

function describeRelation({ days_later, factor, median }: Relation): string {
  const day = days_later === 0 ? '' : ` of the day ${days_later > 0 ? 'after' : 'before'}`
  const unit = units.get(Number(factor.toPrecision(4)))
  const times = factor === 1 ? '' : `${Number(factor.toPrecision(6))} times `
  return `ours${day} is ${times}theirs, median difference ${formatDifference(median)}${unit ? `: is theirs ${unit}?` : ''}`
}

function formatDifference(difference: number | null): string {
  if (difference === null) return 'theirs is 0'
  if (difference < 1e-15) return '0'
  return difference < 1e-4 ? difference.toExponential(0) : `${Number((100 * difference).toPrecision(3))} %`
}

import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { isoDate, parseDay } from '#base/days.ts'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { MetricColumns } from '#compute/publish/metric-columns.ts'
import { networks } from '#ingest/chain/networks.ts'
import { evaluateFormula } from '#sql/formula/evaluate.ts'
import { parseFormula } from '#sql/formula/parse.ts'

export const vendors = ['Glassnode', 'Coin Metrics', 'CryptoQuant', 'CheckOnChain', 'Woobull'] as const
export type Vendor = (typeof vendors)[number]

/** An extract of a vendor's published series, and the metrics that are compared with it. */
export interface Reference {
  /** `test/references/<file>.csv`: a column `date`, and a column for each series. */
  readonly file: string
  readonly vendor: Vendor
  /** Inputs of our formulas by metric id: formulas over the vendor's series, in lower case. */
  readonly given: Readonly<Record<string, string>>
  /**
   * By id of our metric: a formula over the vendor's series in our unit, and the reason for
   * differences.
   */
  readonly compared: Readonly<Record<string, string | readonly [theirs: string, reason: string]>>
}

export interface Comparison {
  readonly metric: string
  readonly theirs: string
  readonly reason?: string
}

export interface Agreement extends Comparison {
  readonly vendor: Vendor
  /** Number of days on which both have a value. */
  readonly days: number
  readonly firstDate: string
  readonly lastDate: string
  /** Relative differences. */
  readonly median: number
  readonly greatest: number
}

/** Series by name; days may have gaps. */
export interface Extract {
  readonly days: readonly number[]
  readonly series: ReadonlyMap<string, Float64Array>
}

export function readExtract(file: string): Extract {
  const url = new URL(`../../test/references/${file}.csv`, import.meta.url)
  const [header = [], ...rows] = parse(readFileSync(url, 'utf8'))
  const series = header.slice(1).map((name, i) => {
    const values = Float64Array.from(rows, (row) => (row[i + 1] === '' ? Number.NaN : Number(row[i + 1])))
    return [name.toLowerCase(), values] as const
  })
  return { days: rows.map(([date = '']) => parseDay(date)), series: new Map(series) }
}

/** Evaluates a formula over an extract's series, by row. */
export function evaluateSeries({ days, series }: Extract, formula: string): Float64Array {
  return evaluateFormula(parseFormula(formula), days.length, (name) => {
    const values = series.get(name)
    if (!values) throw new Error(`the extract has no series ${name}, only ${[...series.keys()].join(', ')}`)
    return values
  })
}

const firstBlock = parseDay('2009-01-03')
const { definitions, formulas } = createCatalogue(
  networks.mainnet,
  listCohorts({ days: Int32Array.of(firstBlock) }, networks.mainnet.halvingInterval, firstBlock),
)

/**
 * Evaluates our formula of a metric on given inputs, by row of the extract. Windows count rows as
 * consecutive days.
 */
export function evaluateMetric(
  metric: string,
  { days }: Extract,
  given: ReadonlyMap<string, Float64Array>,
): Float64Array {
  const unknown = new Float64Array(days.length).fill(Number.NaN)
  const base = new Map<string, Float64Array>([
    ...definitions.flatMap(({ id, formula }) => (formula === undefined ? [[id, unknown] as const] : [])),
    ['market_age_days', Float64Array.from(days, (day) => day - firstBlock + 1)],
    ...given,
  ])
  return new MetricColumns(days.length, formulas, base, [metric]).take(metric) ?? unknown
}

/** Compares our formulas, on a vendor's inputs, with the vendor's series. */
export function compareWithVendor({ file, vendor, given, compared }: Reference): Agreement[] {
  const extract = readExtract(file)
  const inputs = new Map(Object.entries(given).map(([id, formula]) => [id, evaluateSeries(extract, formula)]))
  return Object.entries(compared).map(([metric, formula]) => {
    const comparison: Comparison =
      typeof formula === 'string' ? { metric, theirs: formula } : { metric, theirs: formula[0], reason: formula[1] }
    const own = evaluateMetric(metric, extract, inputs)
    const theirs = evaluateSeries(extract, comparison.theirs)
    const compared = extract.days
      .map((day, row) => ({ day, off: relativeDifference(own[row]!, theirs[row]!) }))
      .filter(({ off }) => !Number.isNaN(off))
    if (compared.length === 0) throw new Error(`${file} has nothing to compare ${metric} with`)
    const sorted = compared.map(({ off }) => off).sort((a, b) => a - b)
    return {
      ...comparison,
      vendor,
      days: compared.length,
      firstDate: isoDate(compared[0]!.day),
      lastDate: isoDate(compared.at(-1)!.day),
      median: sorted[Math.floor(sorted.length / 2)]!,
      greatest: sorted.at(-1)!,
    }
  })
}

/** Relative to theirs; 0 if both are 0. */
const relativeDifference = (own: number, theirs: number): number => (own === theirs ? 0 : Math.abs(own / theirs - 1))

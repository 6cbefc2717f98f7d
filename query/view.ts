import type { DuckDBValue } from '@duckdb/node-api'
import { isoDate, parseDay } from '#base/days.ts'
import { ApiError } from '#contract/api-error.ts'
import { defaultInterval } from '#contract/intervals.ts'
import { isAscending, type Range, rowLimit } from '#contract/parameters.ts'
import type { metricTables } from '#contract/tables/metrics.ts'
import { type TableName, tables } from '#contract/tables/tables.ts'
import { type Tier, tierForGrade, tiers } from '#contract/tiers.ts'
import { type CallerWork, ownWork } from '#limits/admission.ts'
import type { ReadColumn } from '#sql/columns.ts'
import type { Generation } from '#sql/generation.ts'
import type { KeptRows } from '#sql/kept-rows.ts'
import { quotedString } from '#sql/quote.ts'
import type { Catalogue } from './catalogue.ts'
import type { MetricColumn, PeriodicColumn, Published } from './published.ts'
import type { Column } from './table/columns.ts'

interface Graded {
  readonly grade: number
}

/**
 * Grades of tables without metrics. A table without a column `date` or `time` is not cut to the
 * caller's history.
 */
export const grades = {
  blocks: 0,
  pools: 0,
  pool_days: 0,
  day_hashes: 0,
  address_days: 0,
  address_balances: 0,
  label_days: 0,
  days: 0,
  prices_hourly: 0,
  cost_basis: 2,
  funding: 1,
  open_interest: 1,
  etf: 0,
  treasuries: 0,
  cycles: 0,
  exchanges: 0,
  etf_registry: 0,
  treasury_registry: 0,
} as const satisfies Partial<Record<TableName, number>>

export type ViewedTable = keyof typeof grades

/** By day, and open to every tier. */
const priceTables: ReadonlySet<TableName> = new Set(['prices', 'price_sources', 'price_onchain'])

const isViewed = (name: TableName): name is ViewedTable => name in grades

/**
 * The part of a generation that a tier may see: days of its history, metrics and tables of its
 * grade. Answers read nothing else, so they cannot show more by mistake.
 */
export class View {
  readonly tier: Tier
  /** Visible unix days. */
  readonly firstDay: number
  readonly lastDay: number
  /** Earlier days are published. */
  readonly isCut: boolean
  readonly catalogue: Catalogue
  readonly generation: Generation
  readonly work: CallerWork
  /** From a start date on. */
  readonly maxRows: number
  readonly #published: Published

  constructor(published: Published, tier: Tier, work = ownWork, maxRows = rowLimit) {
    const { firstDay, lastDay, newestDay, catalogue, generation } = published
    this.tier = tier
    // If a generation ends before the caller's history begins, no day is visible.
    this.firstDay = Math.min(lastDay + 1, Math.max(firstDay, newestDay - tiers[tier].historyDays + 1))
    this.lastDay = lastDay
    this.isCut = this.firstDay > firstDay
    this.catalogue = catalogue
    this.generation = generation
    this.work = work
    this.maxRows = maxRows
    this.#published = published
  }

  get dayCount(): number {
    return this.lastDay - this.firstDay + 1
  }

  has(table: ViewedTable): boolean {
    return this.#published.has(table)
  }

  /** SQL of visible rows for a FROM clause; `what` names the table in messages. */
  table(name: ViewedTable, what: string): string {
    this.requireGrades([{ grade: grades[name] }], what)
    const table = this.#published.table(name)
    const { columns } = tables[name]
    const day = 'date' in columns ? 'date' : 'time' in columns ? 'time' : undefined
    return day ? `(SELECT * FROM ${table} WHERE ${day} >= DATE '${isoDate(this.firstDay)}')` : table
  }

  /** Query of the rows and columns of a table that the tier may see; undefined if there are none. */
  part(name: TableName): string | undefined {
    const table = this.#published.table(name)
    if (includesTier(this.tier, tableTier(name, this.catalogue))) return `FROM ${table}`
    if (priceTables.has(name)) return `FROM ${table} WHERE date >= DATE '${isoDate(this.firstDay)}'`
    if (isViewed(name)) return this.maySee({ grade: grades[name] }) ? `FROM ${this.table(name, name)}` : undefined
    const metrics = this.catalogue.metrics.filter((metric) => metric.table_name === name && this.maySee(metric))
    if (tables[name].columnPer !== 'metric' || metrics.length === 0) return undefined
    const columns = ['date', ...metrics.map(({ column_name }) => column_name)].map(quotedString)
    return `SELECT COLUMNS(lambda name: name IN (${columns.join()})) FROM ${table} WHERE date >= DATE '${isoDate(this.firstDay)}'`
  }

  /** SQL for a FROM clause: the day after the visible ones, for every tier. */
  get today(): string | undefined {
    return this.#published.today
  }

  /** Kept rows after blocks of the visible days and of later ones. */
  get keptRows(): readonly KeptRows[] {
    return this.#published.keptRows.filter(({ date }) => parseDay(date) >= this.firstDay)
  }

  keptTable(days: readonly KeptRows[]): Promise<{ readonly files: string; readonly rows: string }> {
    this.work.beforeReading()
    return this.#published.keptTable(days)
  }

  query(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Column[]> {
    this.work.beforeReading()
    return this.#published.query(sql, parameters)
  }

  /** Caches the result for the generation. */
  queryOnce(sql: string): Promise<readonly Column[]> {
    this.work.beforeReading()
    return this.#published.queryOnce(sql)
  }

  /** As `Published.columns`. */
  columns(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Record<string, ReadColumn>> {
    this.work.beforeReading()
    return this.#published.columns(sql, parameters)
  }

  /**
   * From `firstDay` to `lastDay`, NaN if unknown; with an interval, as `Published.periodValuesOf`.
   */
  async valuesOf(places: readonly (PeriodicColumn & Graded)[], interval = defaultInterval): Promise<Float64Array[]> {
    this.#requireColumns(places)
    this.work.beforeReading()
    const from = this.firstDay - this.#published.firstDay
    const values = await this.#published.periodValuesOf(places, interval)
    return values.map((column) => column.subarray(from))
  }

  /** As `valuesOf` for measures of cohorts on one visible day. */
  valuesOn(day: number, places: readonly (MetricColumn & Graded)[]): Promise<Float64Array> {
    this.#requireColumns(places)
    this.requireDays(day, 'end_date')
    this.work.beforeReading()
    return this.#published.valuesOn(day, places)
  }

  /** Throws `insufficient_tier` if the last requested unix day is before the caller's history. */
  requireDays(last: number | undefined, parameter: string): void {
    if (last === undefined || last >= this.firstDay || !this.isCut) return
    const first_date = isoDate(this.firstDay)
    const message = `the requested days are before your history, which begins on ${first_date}: request later days, or use an API key of tier pro or higher`
    throw new ApiError('insufficient_tier', message, { parameter, first_date, needed: 'pro' })
  }

  /** Splits fields into visible and withheld ones; throws if none is visible. */
  split<Field extends Graded>(fields: readonly Field[], what: string) {
    const visible: readonly Field[] = fields.filter((field) => this.maySee(field))
    const withheld: readonly Field[] = fields.filter((field) => !this.maySee(field))
    if (visible.length === 0 && withheld.length > 0) {
      throw insufficientTier(what, this.tier, tierForGrade(Math.min(...withheld.map(({ grade }) => grade))))
    }
    return { visible, withheld }
  }

  /** Errors name the tier that may see all fields. */
  requireGrades(fields: readonly Graded[], what: string): void {
    const above = fields.filter((field) => !this.maySee(field)).map(({ grade }) => grade)
    if (above.length > 0) throw insufficientTier(what, this.tier, tierForGrade(Math.max(...above)))
  }

  #requireColumns(places: readonly (MetricColumn & Graded)[]): void {
    const withheld = places.filter((place) => !this.maySee(place))
    this.requireGrades(withheld, joinNames(withheld.map(({ column_name }) => column_name)))
  }

  /** Unix days that are requested and visible, and the maximum number of rows. */
  visibleDays({ start_date, end_date, limit }: Range, maxRows = this.maxRows) {
    return {
      first: Math.max(start_date ?? this.firstDay, this.firstDay),
      last: Math.min(end_date ?? this.lastDay, this.lastDay),
      rows: start_date === undefined ? limit : maxRows,
    }
  }

  /**
   * The days of a page, and the number of `rows` to query: the sum of the limit, the rows of the
   * cursor's day that earlier pages had, and one that shows whether another page follows. Pass all
   * of them to `selectPage`, which cuts them and makes `next_cursor`.
   */
  page(range: Range) {
    const { first, last, rows } = this.visibleDays(range)
    const { day, skip = 0 } = range.cursor ?? {}
    const ascending = isAscending(range)
    return {
      first: ascending ? Math.max(first, day ?? first) : first,
      last: ascending ? last : Math.min(last, day ?? last),
      rows: rows + skip + 1,
      ascending,
    }
  }

  maySee({ grade }: Graded): boolean {
    return grade <= tiers[this.tier].grade
  }
}

/** For endpoints that declare why they need days before the caller's history. */
export class UnrestrictedView extends View {
  /** All days: callers must cut what they read to what the endpoint declares. */
  readonly all: Published

  constructor(published: Published, tier: Tier, work?: CallerWork, maxRows?: number) {
    super(published, tier, work, maxRows)
    this.all = published
  }
}

const maxNamed = 3

/** As the subject of a sentence. */
function joinNames(names: readonly string[]): string {
  const [only = ''] = names
  if (names.length <= 1) return only
  const named = names.slice(0, maxNamed).join(', ')
  return `each of ${named}${names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''}`
}

/** Callers of tier demo sent no key. */
export function insufficientTier(what: string, tier: Tier, needed: Tier): ApiError {
  const orHigher = needed === 'pro' ? ' or higher' : ''
  if (tier === 'demo') {
    const message = `${what} needs an API key of tier ${needed}${orHigher}: send it as 'Authorization: Bearer <key>'`
    return new ApiError('missing_api_key', message, { needed })
  }
  const message = `${what} needs tier ${needed}${orHigher}; this request has tier ${tier}`
  return new ApiError('insufficient_tier', message, { tier, needed })
}

/** All tables except those graded by the catalogue. */
const tableGrades: Readonly<Record<Exclude<TableName, 'cohorts' | 'own_metrics' | keyof typeof metricTables>, number>> =
  {
    ...grades,
    overwritten: 0,
    // Every measure follows from the flows, distributions included.
    flows: 2,
    young_spends: 2,
    fine_flows: 2,
    kind_flows: 2,
    created_kinds: 0,
    kinds: 0,
    catalogue: 0,
    metric_history: 0,
    cycle_performance: 0,
    prices: 0,
    price_sources: 0,
    price_onchain: 0,
  }

const hasGrade = (name: TableName): name is keyof typeof tableGrades => name in tableGrades

/** Without history: lists of names, publicly known dates, and hashes, which reveal no value. */
const undatedTables: ReadonlySet<TableName> = new Set([
  'catalogue',
  'metric_history',
  'cycles',
  'pools',
  'exchanges',
  'etf_registry',
  'treasury_registry',
  'kinds',
  'day_hashes',
])

const ascending = ['demo', 'free', 'pro', 'enterprise'] as const satisfies readonly Tier[]

/** The lowest tier that may see all columns and days. */
export function tableTier(name: TableName, { metrics }: Pick<Catalogue, 'metrics'>): Tier {
  const own = metrics.filter(({ table_name }) => table_name === name).map(({ grade }) => grade)
  const grade = hasGrade(name) ? tableGrades[name] : own.length === 0 ? tiers.enterprise.grade : Math.max(...own)
  const needsAllDays = !undatedTables.has(name)
  const lowest = ascending.find(
    (tier) => tiers[tier].grade >= grade && (!needsAllDays || tiers[tier].historyDays === Number.POSITIVE_INFINITY),
  )
  return lowest ?? 'enterprise'
}

/** `tier` sees everything that `needed` sees. */
export const includesTier = (tier: Tier, needed: Tier): boolean => ascending.indexOf(tier) >= ascending.indexOf(needed)

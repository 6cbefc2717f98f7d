import { setImmediate } from 'node:timers/promises'
import type { DuckDBValue } from '@duckdb/node-api'
import { isoDate } from '#base/days.ts'
import { ApiError } from '#contract/api-error.ts'
import { isAscending, type Range, rowLimit } from '#contract/parameters.ts'
import { type TableName, tables } from '#contract/tables/tables.ts'
import { type Tier, tierForGrade, tiers } from '#contract/tiers.ts'
import type { Pauses } from '#limits/work.ts'
import type { ReadColumn } from '#sql/columns.ts'
import type { Generation } from '#sql/generation.ts'
import type { Catalogue } from './catalogue.ts'
import type { MetricColumn, Published } from './published.ts'
import type { Column } from './table/columns.ts'

/** For work that counts for no caller. */
const defaultPauses: Pauses = { pause: setImmediate, pauseComputing: setImmediate }

interface Graded {
  readonly grade: number
}

/**
 * Grades of the tables that contain no metrics. Those without a column `date` list names and are visible to everybody.
 */
export const grades = {
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

/**
 * The part of a generation that a caller's tier may see: the days of its history, and metrics and tables of its grade.
 * Answers are made from nothing else, so that they cannot show more by mistake.
 */
export class View {
  readonly tier: Tier
  /** First and last visible unix day. */
  readonly firstDay: number
  readonly lastDay: number
  /** Whether earlier days are published. */
  readonly isCut: boolean
  readonly catalogue: Catalogue
  readonly generation: Generation
  readonly pauses: Pauses
  readonly #published: Published

  constructor(published: Published, tier: Tier, pauses: Pauses = defaultPauses) {
    const { firstDay, lastDay, newestDay, catalogue, generation } = published
    this.tier = tier
    // If a generation ends before the caller's history begins, no day is visible.
    this.firstDay = Math.min(lastDay + 1, Math.max(firstDay, newestDay - tiers[tier].historyDays + 1))
    this.lastDay = lastDay
    this.isCut = this.firstDay > firstDay
    this.catalogue = catalogue
    this.generation = generation
    this.pauses = pauses
    this.#published = published
  }

  get dayCount(): number {
    return this.lastDay - this.firstDay + 1
  }

  has(table: ViewedTable): boolean {
    return this.#published.has(table)
  }

  /**
   * The visible rows of a table as SQL for a FROM clause; `what` names the table in messages. Throws `missing_api_key`,
   * `insufficient_tier`.
   */
  table(name: ViewedTable, what: string): string {
    this.requireGrades([{ grade: grades[name] }], what)
    const table = this.#published.table(name)
    return 'date' in tables[name].columns
      ? `(SELECT * FROM ${table} WHERE date >= DATE '${isoDate(this.firstDay)}')`
      : table
  }

  /** The table `today` as SQL for a FROM clause: the day after the visible ones, for every tier. */
  get today(): string | undefined {
    return this.#published.today
  }

  query(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Column[]> {
    return this.#published.query(sql, parameters)
  }

  /** Caches the result for the generation. */
  queryOnce(sql: string): Promise<readonly Column[]> {
    return this.#published.queryOnce(sql)
  }

  /** For long results of dates and numbers: INTEGER, DATE (unix days) and DOUBLE columns by name. */
  columns(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Record<string, ReadColumn>> {
    return this.#published.columns(sql, parameters)
  }

  /**
   * Values of daily columns from `firstDay` to `lastDay`, NaN if unknown. Throws `missing_api_key`,
   * `insufficient_tier`.
   */
  async valuesOf(places: readonly (MetricColumn & Graded)[]): Promise<Float64Array[]> {
    const withheld = places.filter((place) => !this.maySee(place)).map(({ column_name }) => column_name)
    this.requireGrades(places, joinNames(withheld))
    const from = this.firstDay - this.#published.firstDay
    const values = await this.#published.valuesOf(places)
    return values.map((column) => column.subarray(from))
  }

  /** Splits fields into visible and withheld ones. Throws `missing_api_key`, `insufficient_tier` if none is visible. */
  split<Field extends Graded>(fields: readonly Field[], what: string): Split<Field> {
    const visible = fields.filter((field) => this.maySee(field))
    const withheld = fields.filter((field) => !this.maySee(field))
    if (visible.length === 0 && withheld.length > 0) {
      throw insufficientTier(what, this.tier, tierForGrade(Math.min(...withheld.map(({ grade }) => grade))))
    }
    return { visible, withheld }
  }

  /** Throws `missing_api_key` or `insufficient_tier` with the tier that may see all fields. */
  requireGrades(fields: readonly Graded[], what: string): void {
    const above = fields.filter((field) => !this.maySee(field)).map(({ grade }) => grade)
    if (above.length > 0) throw insufficientTier(what, this.tier, tierForGrade(Math.max(...above)))
  }

  /** The days (unix days) and the number of rows of a request, within the visible ones. */
  visibleDays(
    { start_date, end_date, limit }: Range,
    maxRows = rowLimit,
  ): { first: number; last: number; rows: number } {
    return {
      first: Math.max(start_date ?? this.firstDay, this.firstDay),
      last: Math.min(end_date ?? this.lastDay, this.lastDay),
      rows: start_date === undefined ? limit : maxRows,
    }
  }

  /**
   * The same from a cursor on, plus one row that shows whether more follow; ascending from the first day, otherwise
   * descending from the last.
   */
  page(range: Range): { first: number; last: number; rows: number; ascending: boolean } {
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

interface Split<Field> {
  readonly visible: readonly Field[]
  readonly withheld: readonly Field[]
}

/** A view for endpoints that declare why they need days before the caller's history. */
export class UnrestrictedView extends View {
  /** All days: the caller must cut what it reads to what the endpoint declares. */
  readonly all: Published

  constructor(published: Published, tier: Tier, pauses?: Pauses) {
    super(published, tier, pauses)
    this.all = published
  }
}

const maxNamed = 3

/** Names joined as the subject of a sentence. */
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

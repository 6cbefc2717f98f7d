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
import type { Place, Published } from './published.ts'
import type { Column } from './table/columns.ts'

/** Where nobody's work is counted. */
const usualPauses: Pauses = { pause: setImmediate, pauseComputing: setImmediate }

interface Graded {
  readonly grade: number
}

/**
 * The tables besides those of metrics, with the grade of what they tell. Those without a column `date` name things, and
 * everybody sees all of them.
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
 * What the tier of a caller may see of a generation: the days of its history, and metrics and tables of its grade. An
 * answer is made from nothing else, so that it cannot show more by mistake.
 */
export class View {
  readonly tier: Tier
  /** First and last unix day that the caller may see. */
  readonly firstDay: number
  readonly lastDay: number
  /** Days before the first one are published, too. */
  readonly isCut: boolean
  readonly catalogue: Catalogue
  readonly generation: Generation
  readonly pauses: Pauses
  readonly #published: Published

  constructor(published: Published, tier: Tier, pauses: Pauses = usualPauses) {
    const { firstDay, lastDay, newestDay, catalogue, generation } = published
    this.tier = tier
    // Of a generation that ends before the caller's history begins, no day is seen.
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
   * The visible rows of a table as text for a FROM clause; `what` names what is asked in messages. Throws
   * `missing_api_key`, `insufficient_tier`.
   */
  table(name: ViewedTable, what: string): string {
    this.requireGrades([{ grade: grades[name] }], what)
    const table = this.#published.table(name)
    return 'date' in tables[name].columns
      ? `(SELECT * FROM ${table} WHERE date >= DATE '${isoDate(this.firstDay)}')`
      : table
  }

  /** The table `today` as text for a FROM clause: the day after the visible ones, for every tier. */
  get today(): string | undefined {
    return this.#published.today
  }

  query(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Column[]> {
    return this.#published.query(sql, parameters)
  }

  /** The same for what many requests ask alike: read once of a generation, and kept. */
  queryOnce(sql: string): Promise<readonly Column[]> {
    return this.#published.queryOnce(sql)
  }

  /** Like `query`, for long results of dates and numbers: INTEGER, DATE (unix days) and DOUBLE columns by name. */
  columns(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Record<string, ReadColumn>> {
    return this.#published.columns(sql, parameters)
  }

  /** Values of daily columns from `firstDay` to `lastDay`, NaN where unknown. Throws `missing_api_key` or `insufficient_tier`. */
  async valuesOf(places: readonly (Place & Graded)[]): Promise<Float64Array[]> {
    const withheld = places.filter((place) => !this.maySee(place)).map(({ column_name }) => column_name)
    this.requireGrades(places, eachOf(withheld))
    const from = this.firstDay - this.#published.firstDay
    const values = await this.#published.valuesOf(places)
    return values.map((column) => column.subarray(from))
  }

  /** Fields that may be seen and that may not. Throws `missing_api_key` or `insufficient_tier` where nothing is left of them. */
  split<Field extends Graded>(fields: readonly Field[], what: string): Split<Field> {
    const visible = fields.filter((field) => this.maySee(field))
    const withheld = fields.filter((field) => !this.maySee(field))
    if (visible.length === 0 && withheld.length > 0) {
      throw insufficientTier(what, this.tier, tierForGrade(Math.min(...withheld.map(({ grade }) => grade))))
    }
    return { visible, withheld }
  }

  /** Throws `missing_api_key` or `insufficient_tier`, naming the tier that may see all of them. */
  requireGrades(fields: readonly Graded[], what: string): void {
    const above = fields.filter((field) => !this.maySee(field)).map(({ grade }) => grade)
    if (above.length > 0) throw insufficientTier(what, this.tier, tierForGrade(Math.max(...above)))
  }

  /** The days (unix days) and the number of rows of a request, within what may be seen. */
  within({ start_date, end_date, limit }: Range, most = rowLimit): { first: number; last: number; rows: number } {
    return {
      first: Math.max(start_date ?? this.firstDay, this.firstDay),
      last: Math.min(end_date ?? this.lastDay, this.lastDay),
      rows: start_date === undefined ? limit : most,
    }
  }

  /**
   * The same from a cursor on, with a row more by which one can tell that there are others; from the first day on where
   * `ascending`, else from the last one back.
   */
  page(range: Range): { first: number; last: number; rows: number; ascending: boolean } {
    const { first, last, rows } = this.within(range)
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
export class ViewOfAll extends View {
  /** Everything: what is read from it must be cut to what the declaration says. */
  readonly all: Published

  constructor(published: Published, tier: Tier, pauses?: Pauses) {
    super(published, tier, pauses)
    this.all = published
  }
}

const mostNamed = 3

/** Names as one subject of a sentence. */
function eachOf(names: readonly string[]): string {
  const [only = ''] = names
  if (names.length <= 1) return only
  const named = names.slice(0, mostNamed).join(', ')
  return `each of ${named}${names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''}`
}

/** Of tier demo are those who send no key. */
export function insufficientTier(what: string, tier: Tier, needed: Tier): ApiError {
  const orHigher = needed === 'pro' ? ' or higher' : ''
  if (tier === 'demo') {
    const message = `${what} needs an API key of tier ${needed}${orHigher}: send it as 'Authorization: Bearer <key>'`
    return new ApiError('missing_api_key', message, { needed })
  }
  const message = `${what} needs tier ${needed}${orHigher}; this request has tier ${tier}`
  return new ApiError('insufficient_tier', message, { tier, needed })
}

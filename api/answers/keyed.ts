import { DuckDBDateValue, type DuckDBValue } from '@duckdb/node-api'
import { type Range, rowLimit } from '#contract/parameters.ts'
import type { ColumnName } from '#contract/tables/table.ts'
import type { TableName, tables } from '#contract/tables/tables.ts'
import type { Tier } from '#contract/tiers.ts'
import { ApiError } from '../api-error.ts'
import type { Published } from '../published/published.ts'
import { tableOf } from '../table/columns.ts'
import { type Answer, firstVisibleDay, noData } from './answer.ts'
import { historyMeta } from './days.ts'

/** A table with a date and a key: the rows of one exchange, fund or entity are served at a time. */
export interface KeyedTable {
  readonly table: TableName
  readonly key: string
  /** The table of all keys that there are, also of those without rows, and the column in which they stand. */
  readonly registry: { readonly table: TableName; readonly key: string }
  /** What a key is called in messages, and the endpoint that lists them. */
  readonly what: string
  readonly listedAt: string
  readonly columns: readonly string[]
  /** Further condition on the rows. */
  readonly where?: string
}

type ColumnOf<Name extends TableName> = ColumnName<(typeof tables)[Name]>

/** Holds the names of columns against the declarations of their tables. */
export const keyedTable = <const Name extends TableName, const Registry extends TableName>(
  keyed: KeyedTable & {
    readonly table: Name
    readonly key: ColumnOf<Name>
    readonly registry: { readonly table: Registry; readonly key: ColumnOf<Registry> }
    readonly columns: readonly ColumnOf<Name>[]
  },
): KeyedTable => keyed

/** The rows of one key within the dates asked for, newest first. Throws `not_found` for an unknown key. */
export async function keyedAnswer(
  published: Published,
  tier: Tier,
  range: Range,
  keyed: KeyedTable,
  wanted: string | number,
): Promise<Answer> {
  const { table, key, columns, where = 'true' } = keyed
  if (!published.has(table)) return noData
  await requireKey(published, keyed, String(wanted))
  const from = published.table(table)
  const [known] = await published.query(`SELECT count(*) FROM ${from} WHERE ${key} = $wanted`, { wanted })
  if (known?.values[0] === 0) return noData
  const read = await published.query(
    `SELECT ${columns.join(', ')} FROM ${from}
     WHERE ${key} = $wanted AND date BETWEEN $first AND $last AND ${where}
     ORDER BY date DESC LIMIT $rows`,
    { wanted, ...visibleDates(published, tier, range), rows: range.start_date === undefined ? range.limit : rowLimit },
  )
  const answer = tableOf(read)
  return { table: answer, meta: historyMeta(published, tier, range, answer.rows) }
}

async function requireKey(published: Published, keyed: KeyedTable, wanted: string): Promise<void> {
  const { registry, key, what, listedAt } = keyed
  if (!published.has(registry.table)) return
  const [keys] = await published.query(
    `SELECT ${registry.key}::VARCHAR FROM ${published.table(registry.table)} ORDER BY ${registry.key}`,
  )
  const allowed = [...(keys?.values ?? [])].map(String)
  if (allowed.includes(wanted)) return
  const list = allowed.length <= 20 ? `; there are ${allowed.join(', ')}` : ''
  throw new ApiError('not_found', `there is no ${what} '${wanted}'${list}; ${listedAt} lists those with data`, {
    parameter: key,
    ...(list && { allowed }),
  })
}

/** First and last date of a range that a tier may see, as query parameters. */
function visibleDates(published: Published, tier: Tier, { start_date, end_date }: Range): Record<string, DuckDBValue> {
  const first = Math.max(start_date ?? Number.NEGATIVE_INFINITY, firstVisibleDay(published, tier))
  return { first: new DuckDBDateValue(first), last: new DuckDBDateValue(end_date ?? published.lastDay) }
}

/** A whole table without dates: at most `limit` rows. */
export async function listAnswer(
  published: Published,
  table: TableName,
  query: string,
  limit: number,
): Promise<Answer> {
  if (!published.has(table)) return noData
  const list = tableOf(await published.query(`${query} LIMIT $limit`, { limit }))
  return list.rows === 0 ? noData : { table: list }
}

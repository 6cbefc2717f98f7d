import { DuckDBDateValue } from '@duckdb/node-api'
import type { Range } from '#contract/parameters.ts'
import type { ColumnName } from '#contract/tables/table.ts'
import type { tables } from '#contract/tables/tables.ts'
import { isoDate } from '#root/days.ts'
import { ApiError } from '../api-error.ts'
import type { View, ViewedTable } from '../published/view.ts'
import { emptyTable, tableOf } from '../table/columns.ts'
import { type Answer, noData } from './answer.ts'
import { historyMeta } from './days.ts'

/** A table with a date and a key: the rows of one exchange, fund or entity are served at a time. */
export interface KeyedTable {
  readonly table: ViewedTable
  readonly key: string
  /** The table of all keys that there are, also of those without rows, and the column in which they stand. */
  readonly registry: { readonly table: ViewedTable; readonly key: string }
  /** What a key is called in messages, and the endpoint that lists them. */
  readonly what: string
  readonly listedAt: string
  /** Those of its answers. */
  readonly columns: readonly string[]
  /** Further condition on the rows. */
  readonly where?: string
}

type ColumnOf<Name extends ViewedTable> = ColumnName<(typeof tables)[Name]>

/** Holds the names of columns against the declarations of their tables. */
export const keyedTable = <const Name extends ViewedTable, const Registry extends ViewedTable>(
  keyed: KeyedTable & {
    readonly table: Name
    readonly key: ColumnOf<Name>
    readonly registry: { readonly table: Registry; readonly key: ColumnOf<Registry> }
    readonly columns: readonly ColumnOf<Name>[]
  },
): KeyedTable => keyed

/**
 * The rows of one key within the dates asked for, newest first. Throws `not_found` for an unknown key,
 * `insufficient_tier`.
 */
export async function keyedAnswer(
  view: View,
  range: Range,
  keyed: KeyedTable,
  wanted: string | number,
): Promise<Answer> {
  const { table, key, what, columns, where = 'true' } = keyed
  if (!view.has(table)) return noData
  await requireKey(view, keyed, String(wanted))
  const from = view.table(table, `a single ${what}`)
  const [known] = await view.query(`SELECT count(*) FROM ${from} WHERE ${key} = $wanted`, { wanted })
  if (known?.values[0] === 0) {
    return view.isCut ? { table: emptyTable, meta: { history_limited_to: isoDate(view.firstDay) } } : noData
  }
  const { first, last, rows } = view.within(range)
  const read = await view.query(
    `SELECT ${columns.join(', ')} FROM ${from}
     WHERE ${key} = $wanted AND date BETWEEN $first AND $last AND ${where}
     ORDER BY date DESC LIMIT $rows`,
    { wanted, first: new DuckDBDateValue(first), last: new DuckDBDateValue(last), rows },
  )
  const answer = tableOf(read)
  return { table: answer, meta: historyMeta(view, range, answer.rows) }
}

async function requireKey(view: View, keyed: KeyedTable, wanted: string): Promise<void> {
  const { registry, key, what, listedAt } = keyed
  if (!view.has(registry.table)) return
  const [keys] = await view.query(
    `SELECT ${registry.key}::VARCHAR FROM ${view.table(registry.table, listedAt)} ORDER BY ${registry.key}`,
  )
  const allowed = [...(keys?.values ?? [])].map(String)
  if (allowed.includes(wanted)) return
  const list = allowed.length <= 20 ? `; there are ${allowed.join(', ')}` : ''
  throw new ApiError('not_found', `there is no ${what} '${wanted}'${list}; ${listedAt} lists those with data`, {
    parameter: key,
    ...(list && { allowed }),
  })
}

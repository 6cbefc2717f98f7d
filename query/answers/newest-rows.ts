import { DuckDBDateValue, type DuckDBValue } from '@duckdb/node-api'
import type { Column } from '../table/columns.ts'
import type { View } from '../view.ts'

/** Days as values of a statement. */
export const dateValues = ({ first, last }: { readonly first: number; readonly last: number }) => ({
  first: new DuckDBDateValue(first),
  last: new DuckDBDateValue(last),
})

interface RowQuery {
  /** SQL for a FROM clause. */
  readonly from: string
  /** Expressions. */
  readonly columns: readonly string[]
  /** Further condition, and its values. */
  readonly where?: string
  readonly values?: Readonly<Record<string, DuckDBValue>>
  /** Column that orders the rows in time. */
  readonly by?: string
  /** Orders rows of the same time; names selected columns. */
  readonly thenBy?: string
}

/** Rows of a page, newest first. */
export function newestRows(
  view: View,
  { first, last, rows, ascending }: ReturnType<View['page']>,
  { from, columns, where = 'true', values, by = 'date', thenBy = '' }: RowQuery,
): Promise<Column[]> {
  const others = thenBy && `, ${thenBy}`
  return view.query(
    `FROM (
       SELECT ${columns.join(', ')} FROM ${from} WHERE date BETWEEN $first AND $last AND ${where}
       ORDER BY ${by} ${ascending ? 'ASC' : 'DESC'}${others} LIMIT $rows
     ) ORDER BY ${by} DESC${others}`,
    { ...dateValues({ first, last }), rows, ...values },
  )
}

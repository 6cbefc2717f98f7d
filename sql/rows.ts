import type { Column, Value } from '#contract/tables/column.ts'
import { quotedString } from './quote.ts'
import type { Relation } from './relation.ts'

/** Ordered columns, with their declarations or DuckDB types. */
export type RowColumns = Readonly<Record<string, string | Column>>

/** Rows may have further properties. */
export type RowsOf<Columns extends RowColumns> = readonly {
  readonly [Name in keyof Columns]: Columns[Name] extends Column ? Value<Columns[Name]> : unknown
}[]

/**
 * Up to some ten thousand rows as part of the text of each statement that reads them. Ignores
 * properties without a column. Dates are `YYYY-MM-DD`; NaN becomes NULL.
 */
export function rowsRelation<const Name extends string, const Columns extends RowColumns>(
  name: Name,
  columns: Columns,
  rows: RowsOf<NoInfer<Columns>>,
): Relation<Name> {
  const types = Object.entries(columns).map(([name, type]) => [name, typeof type === 'string' ? type : type.type])
  const [json, structure] = [rows, [Object.fromEntries(types)]].map((value) => quotedString(JSON.stringify(value)))
  // The JSON comes from a VALUES row: DuckDB would convert a constant while planning, which takes
  // five times as long.
  const from = `(SELECT unnest(from_json(document, ${structure}), max_depth := 2) FROM (VALUES (${json})) AS texts(document))`
  return { name, from }
}

import type { DuckDBConnection } from '@duckdb/node-api'
import type { Column, Value } from '#contract/tables/column.ts'
import { quotedIdentifier, quotedString } from './quote.ts'
import type { Relation } from './relation.ts'

const rowsPerInsert = 5_000

/** Ordered columns, with their declarations or DuckDB types. */
export type RowColumns = Readonly<Record<string, string | Column>>

/** Rows may have further properties. */
export type RowsOf<Columns extends RowColumns> = readonly {
  readonly [Name in keyof Columns]: Columns[Name] extends Column ? Value<Columns[Name]> : unknown
}[]

/**
 * Creates or replaces a temporary table from row objects, up to some hundred thousand (else use
 * `createTable`). Ignores properties without a column. Dates are `YYYY-MM-DD`; NaN becomes NULL.
 */
export async function createTableOfRows<const Columns extends RowColumns>(
  connection: DuckDBConnection,
  table: string,
  columns: Columns,
  rows: RowsOf<NoInfer<Columns>>,
): Promise<void> {
  const name = quotedIdentifier(table)
  const types = columnTypes(columns)
  const declared = types.map(([column, type]) => `${quotedIdentifier(column)} ${type}`)
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${name} (${declared.join(', ')})`)
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    // The JSON comes from a VALUES row: DuckDB would convert a constant while planning, which takes
    // five times as long.
    await connection.run(
      `INSERT INTO ${name} SELECT unnest(from_json(document, $types), max_depth := 2) FROM (VALUES ($rows::JSON)) AS texts(document)`,
      {
        rows: JSON.stringify(rows.slice(start, start + rowsPerInsert)),
        types: JSON.stringify([Object.fromEntries(types)]),
      },
    )
  }
}

/** A few rows as part of the text of each statement that reads them; see `createTableOfRows`. */
export function rowsRelation<const Name extends string, const Columns extends RowColumns>(
  name: Name,
  columns: Columns,
  rows: RowsOf<NoInfer<Columns>>,
): Relation<Name> {
  const [json, structure] = [rows, [Object.fromEntries(columnTypes(columns))]].map((value) => JSON.stringify(value))
  return {
    name,
    from: `(SELECT unnest(from_json(${quotedString(json!)}, ${quotedString(structure!)}), max_depth := 2))`,
  }
}

const columnTypes = (columns: RowColumns): [name: string, type: string][] =>
  Object.entries(columns).map(([name, type]) => [name, typeof type === 'string' ? type : type.type])

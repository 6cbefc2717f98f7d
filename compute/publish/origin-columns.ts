import type { DuckDBConnection } from '@duckdb/node-api'
import { readColumns } from '#sql/columns.ts'
import { quotedIdentifier } from '#sql/quote.ts'
import type { Relation } from '#sql/relation.ts'
import type { MetricDefinition } from '../catalogue/definition.ts'
import type { Origin, OriginColumn, OriginTable } from '../catalogue/origin.ts'

/** Columns that were computed in memory: by table, then by column. */
export type ComputedTables = ReadonlyMap<OriginTable, ReadonlyMap<string, Float64Array>>

/** The column that tells the series of a long table apart. */
const keyColumns: { readonly [Name in OriginTable]?: OriginColumn<Name> } = {
  cycle_performance: 'family',
  funding: 'exchange',
  open_interest: 'exchange',
  etf: 'ticker',
  treasuries: 'id',
}

/** Where the metrics without a formula are read from. */
export interface Origins {
  readonly computed: ComputedTables
  readonly days: Relation<'days'>
  /** All other tables. */
  readonly stored: readonly Relation<OriginTable>[]
}

/** The columns of all metrics without a formula, by metric id, on the closed days of `days`. */
export async function originColumns(
  connection: DuckDBConnection,
  definitions: readonly MetricDefinition[],
  { computed, days, stored }: Origins,
): Promise<Map<string, Float64Array>> {
  const columns = new Map<string, Float64Array>()
  const relations = new Map([days, ...stored].map((relation) => [relation.name, relation]))
  const read: { id: string; from: Origin }[] = []
  for (const { id, from } of definitions) {
    if (!from) continue
    const table = computed.get(from.table)
    if (!table) read.push({ id, from })
    else columns.set(id, computedColumn(table, from))
  }
  await connection.run(`CREATE OR REPLACE TEMP TABLE calendar AS SELECT date FROM ${days.from}`)
  for (const [table, own] of Map.groupBy(read, ({ from }) => from.table)) {
    const relation = relations.get(table)
    if (!relation) throw new Error(`there is no table ${table} to read ${own[0]!.id} from`)
    // Once from its file, and not for each of up to a hundred keys.
    await connection.run(`CREATE OR REPLACE TEMP TABLE origin AS FROM ${relation.from}`)
    for (const series of Map.groupBy(own, ({ from }) => from.key).values()) {
      for (const [id, values] of await readSeries(connection, series)) columns.set(id, values)
    }
  }
  await connection.run('DROP TABLE calendar')
  await connection.run('DROP TABLE IF EXISTS origin')
  return columns
}

function computedColumn(table: ReadonlyMap<string, Float64Array>, { column, key, ...from }: Origin): Float64Array {
  const values = table.get(key === undefined ? column : `${column} ${key}`)
  if (!values) throw new Error(`${from.table} has no column ${column} ${key ?? ''}`)
  return values
}

/** Columns of one series of the table `origin` on the days of `calendar`, by metric id. */
async function readSeries(
  connection: DuckDBConnection,
  series: readonly { id: string; from: Origin }[],
): Promise<Map<string, Float64Array>> {
  const { table, key } = series[0]!.from
  const selected = series.map(
    ({ id, from }) => `series.${quotedIdentifier(from.column)}::DOUBLE AS ${quotedIdentifier(id)}`,
  )
  const where = key === undefined ? '' : `WHERE ${keyColumns[table]}::VARCHAR = $key`
  const columns = await readColumns(
    connection,
    `SELECT ${selected.join(', ')}
     FROM calendar LEFT JOIN (FROM origin ${where}) AS series USING (date) ORDER BY calendar.date`,
    key === undefined ? {} : { key },
  )
  return new Map(
    Object.entries(columns).map(([id, values]) => [
      id,
      values instanceof Float64Array ? values : Float64Array.from(values),
    ]),
  )
}

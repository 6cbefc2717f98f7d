import type { DuckDBConnection } from '@duckdb/node-api'
import { readColumns } from '#sql/columns.ts'
import { quotedIdentifier } from '#sql/quote.ts'
import type { Relation } from '#sql/relation.ts'
import type { CategoryMetric } from '../catalogue/definition.ts'
import type { Origin, OriginColumn, OriginTable } from '../catalogue/origin.ts'

/** Columns computed in memory, by table and column. */
export type ComputedTables = ReadonlyMap<OriginTable, ReadonlyMap<string, Float64Array>>

const keyColumns: { readonly [Name in OriginTable]?: OriginColumn<Name> } = {
  cycle_performance: 'family',
  funding: 'exchange',
  open_interest: 'exchange',
  etf: 'ticker',
  treasuries: 'id',
  pool_days: 'pool',
  address_balances: 'measure',
}

/** Rows of a table in memory, with unix days. */
export interface OriginRows {
  readonly name: OriginTable
  readonly rows: readonly { readonly date: number }[]
}

export interface Origins {
  readonly computed: ComputedTables
  readonly stored: readonly (Relation<OriginTable> | OriginRows)[]
  /** Unix day of a column's first value, and the number of values. */
  readonly firstDay: number
  readonly days: number
}

interface Read {
  readonly id: string
  readonly from: Origin
}

export async function originColumns(
  connection: DuckDBConnection,
  definitions: readonly CategoryMetric[],
  { computed, stored, ...span }: Origins,
): Promise<Map<string, Float64Array>> {
  const columns = new Map<string, Float64Array>()
  const tables = new Map(stored.map((origin) => [origin.name, origin]))
  const read: Read[] = []
  for (const { id, from } of definitions) {
    if (!from) continue
    const table = computed.get(from.table)
    if (!table) read.push({ id, from })
    else columns.set(id, computedColumn(table, from))
  }
  for (const [table, own] of Map.groupBy(read, ({ from }) => from.table)) {
    const origin = tables.get(table)
    if (!origin) throw new Error(`there is no table ${table} to read ${own[0]!.id} from`)
    const values = 'rows' in origin ? selectRows(origin, own, span) : await readTable(connection, origin, own, span)
    for (const [id, column] of values) columns.set(id, column)
  }
  return columns
}

function computedColumn(table: ReadonlyMap<string, Float64Array>, { column, key, ...from }: Origin): Float64Array {
  const values = table.get(key === undefined ? column : `${column} ${key}`)
  if (!values) throw new Error(`${from.table} has no column ${column} ${key ?? ''}`)
  return values
}

function selectRows(
  { name, rows }: OriginRows,
  own: readonly Read[],
  { firstDay, days }: Pick<Origins, 'firstDay' | 'days'>,
): Map<string, Float64Array> {
  const keyColumn = keyColumns[name]
  const columns = new Map(own.map(({ id }) => [id, new Float64Array(days).fill(Number.NaN)]))
  const byKey = Map.groupBy(own, (read) => read.from.key ?? '')
  for (const row of rows) {
    const day = row.date - firstDay
    if (day < 0 || day >= days) continue
    const key = keyColumn ? String(Reflect.get(row, keyColumn)) : ''
    for (const { id, from } of byKey.get(key) ?? []) {
      columns.get(id)![day] = Number(Reflect.get(row, from.column) ?? Number.NaN)
    }
  }
  return columns
}

async function readTable(
  connection: DuckDBConnection,
  { name, from }: Relation<OriginTable>,
  own: readonly Read[],
  { firstDay, days }: Pick<Origins, 'firstDay' | 'days'>,
): Promise<Map<string, Float64Array>> {
  const keyColumn = keyColumns[name]
  const keys = [...new Set(own.map((read) => read.from.key ?? ''))]
  const series = keyColumn ? `list_position($keys::JSON::VARCHAR[], ${keyColumn}::VARCHAR)` : '1'
  const names = [...new Set(own.map((read) => quotedIdentifier(read.from.column)))]
  const found = await readColumns(
    connection,
    `SELECT * FROM (
       SELECT date, ${series}::INTEGER AS series, ${names.map((name) => `${name}::DOUBLE AS ${name}`).join(', ')}
       FROM ${from}
     ) WHERE series > 0 AND date BETWEEN DATE '1970-01-01' + ${firstDay} AND DATE '1970-01-01' + ${firstDay + days - 1}`,
    keyColumn ? { keys: JSON.stringify(keys) } : {},
  )
  const columns = new Map(own.map(({ id }) => [id, new Float64Array(days).fill(Number.NaN)]))
  const bySeries = Map.groupBy(own, (read) => keys.indexOf(read.from.key ?? '') + 1)
  found.date!.forEach((day, row) => {
    for (const { id, from } of bySeries.get(found.series![row]!) ?? []) {
      columns.get(id)![day - firstDay] = found[from.column]![row]!
    }
  })
  return columns
}

import { type DuckDBConnection, DuckDBTypeId, type DuckDBValue, type JS } from '@duckdb/node-api'
import { msPerDay } from '#base/days.ts'
import type { Column } from './columns.ts'

/**
 * Reads the result of a query with columns of type DATE, TIMESTAMP (as ISO 8601), BOOLEAN, numbers below 2^53, VARCHAR
 * or VARCHAR[].
 */
export async function readTable(
  connection: DuckDBConnection,
  sql: string,
  parameters?: Record<string, DuckDBValue>,
): Promise<Column[]> {
  const reader = await connection.runAndReadAll(sql, parameters)
  const names = reader.columnNames()
  return reader.getColumnsJS().map((values, i) => columnOf(names[i]!, reader.columnTypeId(i), values))
}

function columnOf(name: string, type: DuckDBTypeId, values: readonly JS[]): Column {
  switch (type) {
    case DuckDBTypeId.VARCHAR:
      return { name, kind: 'text', values: values.map((value) => (value === null ? null : String(value))) }
    case DuckDBTypeId.LIST:
      return { name, kind: 'list', values: values.map((value) => (Array.isArray(value) ? value.map(String) : [])) }
    case DuckDBTypeId.BOOLEAN:
      return { name, kind: 'flag', values: values.map((value) => value === true) }
    case DuckDBTypeId.TIMESTAMP:
      return { name, kind: 'text', values: values.map((value) => (value instanceof Date ? value.toISOString() : null)) }
    case DuckDBTypeId.DATE:
      return { name, kind: 'date', values: Float64Array.from(values, dayNumber) }
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.BIGINT:
      return { name, kind: 'integer', values: Float64Array.from(values, numberOf) }
    case DuckDBTypeId.DOUBLE:
      return { name, kind: 'number', values: Float64Array.from(values, numberOf) }
    default:
      throw new Error(`column ${name} is of a type that answers do not have: cast it in the query`)
  }
}

const numberOf = (value: JS): number => (value === null ? Number.NaN : Number(value))
const dayNumber = (value: JS): number => (value instanceof Date ? value.getTime() / msPerDay : Number.NaN)

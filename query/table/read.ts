import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBTypeId,
  type DuckDBValue,
  type JS,
  JSDuckDBValueConverter,
} from '@duckdb/node-api'
import { pacedTurns } from '#base/own-turn.ts'
import { readNumbers } from '#sql/columns.ts'
import type { Column } from './columns.ts'

/**
 * Reads columns of type DATE, TIMESTAMP (as ISO 8601), BOOLEAN, VARCHAR, VARCHAR[] and numbers
 * below 2^53.
 */
export async function readTable(
  connection: DuckDBConnection,
  sql: string,
  parameters?: Record<string, DuckDBValue>,
): Promise<Column[]> {
  const result = await connection.run(sql, parameters)
  const columns = result.columnNames().map((name, i) => createColumn(name, result.columnTypeId(i), result.rowCount))
  const turn = pacedTurns()
  for (let i = 0, start = 0; i < result.chunkCount; i++) {
    const chunk = result.getChunk(i)
    for (const [place, { add }] of columns.entries()) {
      add(chunk, place, start)
      await turn()
    }
    start += chunk.rowCount
  }
  return columns.map(({ column }) => column)
}

interface GrowingColumn {
  readonly column: Column
  /** Appends a chunk's column, whose first row is `start`. */
  readonly add: (chunk: DuckDBDataChunk, place: number, start: number) => void
}

function createColumn(name: string, type: DuckDBTypeId, rows: number): GrowingColumn {
  const others = <Value>(of: (value: JS) => Value) => {
    const values: Value[] = []
    const add = (chunk: DuckDBDataChunk, place: number): void => {
      for (const value of chunk.convertColumnValues(place, JSDuckDBValueConverter)) values.push(of(value))
    }
    return { values, add }
  }
  switch (type) {
    case DuckDBTypeId.VARCHAR: {
      const { values, add } = others((value) => (value === null ? null : String(value)))
      return { column: { name, kind: 'text', values }, add }
    }
    case DuckDBTypeId.LIST: {
      const { values, add } = others((value) => (Array.isArray(value) ? value.map(String) : []))
      return { column: { name, kind: 'list', values }, add }
    }
    case DuckDBTypeId.BOOLEAN: {
      const { values, add } = others((value) => value === true)
      return { column: { name, kind: 'flag', values }, add }
    }
    case DuckDBTypeId.TIMESTAMP: {
      const { values, add } = others((value) => (value instanceof Date ? value.toISOString() : null))
      return { column: { name, kind: 'text', values }, add }
    }
    case DuckDBTypeId.DATE:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.DOUBLE: {
      const values = new Float64Array(rows)
      const kind = numberKinds[type]
      return {
        column: { name, kind, values },
        add: (chunk, place, start) => values.set(readNumbers(chunk, place, type), start),
      }
    }
    default:
      throw new Error(`column ${name} is of a type that answers do not have: cast it in the query`)
  }
}

const numberKinds = {
  [DuckDBTypeId.DATE]: 'date',
  [DuckDBTypeId.INTEGER]: 'integer',
  [DuckDBTypeId.BIGINT]: 'integer',
  [DuckDBTypeId.DOUBLE]: 'number',
} as const

import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import { pacedTurns } from '#base/own-turn.ts'

/** DATE (unix days) and INTEGER are read as integers, other numbers as doubles, NaN for NULL. */
export type ReadColumn = Int32Array | Float64Array

/**
 * Streams a query's result as columns by name, some thousand rows at a time. Arrays are views,
 * valid until the next step. Result columns must be DATE, INTEGER or DOUBLE: cast others in the
 * query.
 */
export async function* streamColumns(
  connection: DuckDBConnection,
  sql: string,
  parameters?: Record<string, DuckDBValue>,
): AsyncGenerator<{ rows: number; columns: Record<string, ReadColumn> }> {
  const result = await connection.stream(sql, parameters)
  const names = result.columnNames()
  const types = result.columnTypes()
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const rows = chunk.rowCount
    const columns = names.map((name, i) => [name, readColumn(chunk, i, types[i]!, name)])
    yield { rows, columns: Object.fromEntries(columns) }
  }
}

/** Reads a whole result as columns by name, of the types of `streamColumns`. */
export async function readColumns(
  connection: DuckDBConnection,
  sql: string,
  parameters?: Record<string, DuckDBValue>,
): Promise<Record<string, ReadColumn>> {
  const result = await connection.run(sql, parameters)
  const names = result.columnNames()
  const types = result.columnTypes()
  const rows = result.rowCount
  const columns = types.map((type) => (isInteger(type) ? new Int32Array(rows) : new Float64Array(rows)))
  const turn = pacedTurns()
  for (let i = 0, start = 0; i < result.chunkCount; i++) {
    const chunk = result.getChunk(i)
    for (const [column, type] of types.entries()) {
      columns[column]!.set(readColumn(chunk, column, type, names[column]!), start)
      await turn()
    }
    start += chunk.rowCount
  }
  return Object.fromEntries(names.map((name, i) => [name, columns[i]!]))
}

type NumberTypeId = DuckDBTypeId.DATE | DuckDBTypeId.INTEGER | DuckDBTypeId.BIGINT | DuckDBTypeId.DOUBLE

/**
 * Column of a chunk as numbers: DATE as unix days, NaN for NULL. BIGINT values must be below 2^53.
 * May be a view, valid as long as the chunk.
 */
export function readNumbers(chunk: DuckDBDataChunk, column: number, type: NumberTypeId): Float64Array {
  const rows = chunk.rowCount
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, column)
  const isLong = type === DuckDBTypeId.BIGINT || type === DuckDBTypeId.DOUBLE
  const { buffer, byteOffset } = duckdb.vector_get_data(vector, rows * (isLong ? 8 : 4))
  const validity = validityBits(vector, rows)
  if (type === DuckDBTypeId.DOUBLE) return withNaN(new Float64Array(buffer, byteOffset, rows), validity)
  if (type !== DuckDBTypeId.BIGINT) return withNaN(new Float64Array(new Int32Array(buffer, byteOffset, rows)), validity)
  const values = new Float64Array(rows)
  // Much faster than BigInt arithmetic.
  const words = new Int32Array(buffer, byteOffset, 2 * rows)
  for (let row = 0; row < rows; row++) values[row] = (words[2 * row]! >>> 0) + words[2 * row + 1]! * 2 ** 32
  return withNaN(values, validity)
}

const isInteger = ({ typeId }: DuckDBType): boolean => typeId === DuckDBTypeId.DATE || typeId === DuckDBTypeId.INTEGER

function readColumn(chunk: DuckDBDataChunk, column: number, type: DuckDBType, name: string): ReadColumn {
  if (type.typeId === DuckDBTypeId.DOUBLE) return readNumbers(chunk, column, type.typeId)
  if (!isInteger(type)) throw new Error(`column ${name} is ${type}: cast it to DOUBLE or INTEGER`)
  const rows = chunk.rowCount
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, column)
  const { buffer, byteOffset } = duckdb.vector_get_data(vector, rows * 4)
  if (firstNull(validityBits(vector, rows), rows) >= 0) throw new Error(`column ${name} holds NULL`)
  return new Int32Array(buffer, byteOffset, rows)
}

/** Copies the values only if NULLs must become NaN. */
function withNaN(values: Float64Array, validity: Uint8Array | null): Float64Array {
  if (!validity) return values
  const rows = values.length
  let copy: Float64Array | undefined
  for (let start = 0; start < rows; start += 8) {
    if (validity[start >> 3] === 0xff) continue
    for (let row = start; row < Math.min(start + 8, rows); row++) {
      if (isValid(validity, row)) continue
      copy ??= values.slice()
      copy[row] = Number.NaN
    }
  }
  return copy ?? values
}

const validityBytes = (rows: number): number => Math.ceil(rows / 64) * 8

/** One bit per row, 0 for NULL; `null` if every row is valid. */
const validityBits = (vector: duckdb.Vector, rows: number): Uint8Array | null =>
  duckdb.vector_get_validity(vector, validityBytes(rows))

/** Calling DuckDB for each row takes ten times as long. */
const isValid = (validity: Uint8Array, row: number): boolean => (validity[row >> 3]! & (1 << (row & 7))) !== 0

function firstNull(validity: Uint8Array | null, rows: number): number {
  if (!validity) return -1
  for (let row = 0; row < rows; row++) if (!isValid(validity, row)) return row
  return -1
}

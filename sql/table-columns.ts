import { parseDay } from '#base/days.ts'
import type { Column, ColumnType, Value } from '#contract/tables/column.ts'
import type { Table } from '#contract/tables/table.ts'
import type { LazyNumbers, NumberCells, NumberType, WrittenColumn } from './column-chunk.ts'
import { describeNulls, findMissing, findUndeclared, refuse } from './write-table.ts'

type Cell = Value<Column>

type RowCells = Readonly<Record<string, Cell | undefined>>

/** Dates are `YYYY-MM-DD` in lists, else unix days; NaN is NULL. */
export type Cells = NumberCells | LazyNumbers | readonly Cell[]

/**
 * Columns of a table in declared order. Throws `schema_mismatch` if one is missing or not declared,
 * or has NULL where a value is declared.
 */
export function toColumns(table: Table, cells: Readonly<Record<string, Cells>>): WrittenColumn[] {
  const names = Object.keys(cells)
  refuse(table, [...findMissing(table, names), ...findUndeclared(table, names)])
  const columns = Object.entries(table.columns).map(([name, { type }]) => toColumn(name, type, cells[name]!))
  const withNulls = columns.flatMap(({ name, values }) => {
    const nulls = table.columns[name]!.nullable ? 0 : countNulls(values)
    return nulls > 0 ? [describeNulls(name, nulls, values.length)] : []
  })
  refuse(table, withNulls)
  return columns
}

/** Texts by their UTF-16 code units. */
export const sortRows = <Row extends RowCells>({ sortedBy }: Table, rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((one, other) => sortedBy.reduce((order, name) => order || compare(one[name]!, other[name]!), 0))

const compare = (one: Cell, other: Cell): number => Number(one! > other!) - Number(one! < other!)

/** Columns of row objects, whose further properties are left out. */
export const toCells = ({ columns }: Table, rows: readonly RowCells[]): Record<string, Cells> =>
  Object.fromEntries(Object.keys(columns).map((name) => [name, rows.map((row) => row[name] ?? null)]))

function toColumn(name: string, type: ColumnType, cells: Cells): WrittenColumn {
  if (isNumberType(type))
    return {
      name,
      type,
      values: isList(cells) ? Float64Array.from(cells, (cell) => toNumber(name, type, cell)) : cells,
    }
  if (type === 'BOOLEAN' && isListOf(cells, isFlag)) return { name, type, values: cells }
  if (type === 'VARCHAR' && isListOf(cells, isText)) return { name, type, values: cells }
  if (type === 'VARCHAR[]' && isListOf(cells, isTexts)) return { name, type, values: cells }
  throw new Error(`column ${name} has values that are not ${type}`)
}

const isList = (cells: Cells): cells is readonly Cell[] => Array.isArray(cells)
const isListOf = <Of extends Cell>(cells: Cells, isOf: (cell: Cell) => cell is Of): cells is readonly (Of | null)[] =>
  isList(cells) && cells.every((cell) => cell === null || isOf(cell))
const isFlag = (cell: Cell) => typeof cell === 'boolean'
const isText = (cell: Cell) => typeof cell === 'string'
const isTexts = (cell: Cell) => cell !== null && typeof cell === 'object'

const isNumberType = (type: ColumnType): type is Extract<ColumnType, NumberType> =>
  ['INTEGER', 'BIGINT', 'DOUBLE', 'DATE'].includes(type)

function toNumber(name: string, type: ColumnType, cell: Cell): number {
  if (cell === null) return Number.NaN
  const number = type === 'DATE' ? parseDay(String(cell)) : cell
  if (typeof number !== 'number' || (type === 'DATE' && !Number.isInteger(number)))
    throw new Error(`column ${name} has ${JSON.stringify(cell)}, which is not ${type}`)
  return number
}

/** Lazy numbers of a whole column would take much memory. */
const rowsPerStep = 100_000

function countNulls(values: WrittenColumn['values']): number {
  if (ArrayBuffer.isView(values) && !(values instanceof Float64Array)) return 0
  let nulls = 0
  for (let first = 0; first < values.length; first += rowsPerStep) {
    const cells = values.slice(first, Math.min(first + rowsPerStep, values.length))
    if (!cells) return values.length
    for (let i = 0; i < cells.length; i++) if (cells[i] === null || Number.isNaN(cells[i])) nulls++
  }
  return nulls
}

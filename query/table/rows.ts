import type { Column, Table } from './columns.ts'

export const sliceRows = (table: Table, from: number, to: number): Table =>
  from === 0 && to >= table.rows
    ? table
    : pickRows(table, Math.max(0, Math.min(to, table.rows) - from), {
        numbers: (values) => values.subarray(from, to),
        others: (values) => values.slice(from, to),
      })

interface Pick {
  readonly numbers: (values: Float64Array) => Float64Array
  readonly others: <Value>(values: readonly Value[]) => readonly Value[]
}

/** A table of other rows of the same columns. */
export const pickRows = ({ columns }: Table, rows: number, pick: Pick): Table => ({
  columns: columns.map((column) => pickedColumn(column, pick)),
  rows,
})

function pickedColumn(column: Column, { numbers, others }: Pick): Column {
  switch (column.kind) {
    case 'flag':
      return { ...column, values: others(column.values) }
    case 'list':
      return { ...column, values: others(column.values) }
    case 'text':
      return { ...column, values: others(column.values) }
    default:
      return { ...column, values: numbers(column.values) }
  }
}

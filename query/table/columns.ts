import type { ColumnNotes } from '#sql/parquet-notes.ts'

/** For Parquet. */
export type ColumnDescription = Pick<ColumnNotes, 'title' | 'description' | 'unit' | 'formula' | 'source'>

/**
 * Dates are unix days, times unix seconds; NaN is null in every kind of number. `integer` and
 * `number` differ only in typed formats (Parquet).
 */
export type Column = {
  readonly name: string
  readonly columnNotes?: ColumnDescription | undefined
  /** Not part of `fields=all`. */
  readonly alias?: boolean
} & (
  | {
      readonly kind: 'number' | 'integer' | 'date' | 'time'
      readonly values: Float64Array
      /** The only row with this field, if JSON objects differ; its other values are null. */
      readonly onlyRow?: number
    }
  | { readonly kind: 'text'; readonly values: readonly (string | null)[] }
  | { readonly kind: 'flag'; readonly values: readonly boolean[] }
  | { readonly kind: 'list'; readonly values: readonly (readonly string[])[] }
)

/** Columns of equal length with distinct names. */
export interface Table {
  readonly columns: readonly Column[]
  readonly rows: number
  /**
   * Columns begin with the last row: answers begin with the newest day, and many share long
   * columns.
   */
  readonly isReversed?: boolean | undefined
}

export const tableOf = (columns: readonly Column[]): Table => ({ columns, rows: columns[0]?.values.length ?? 0 })

export const emptyTable: Table = { columns: [], rows: 0 }

/** With columns that begin with the first row. */
export const inRowOrder = (table: Table): Table =>
  table.isReversed
    ? pickRows(table, table.rows, {
        numbers: (values) => values.toReversed(),
        others: (values) => values.toReversed(),
      })
    : table

export function sliceRows(table: Table, from: number, to: number): Table {
  if (from === 0 && to >= table.rows) return table
  const { columns, rows } = pickRows(inRowOrder(table), Math.max(0, Math.min(to, table.rows) - from), {
    numbers: (values) => values.subarray(from, to),
    others: (values) => values.slice(from, to),
  })
  const shown = columns.flatMap((column) => {
    if (!('onlyRow' in column) || column.onlyRow === undefined) return [column]
    return column.onlyRow < from || column.onlyRow >= to ? [] : [{ ...column, onlyRow: column.onlyRow - from }]
  })
  return { columns: shown, rows }
}

interface RowPick {
  readonly numbers: (values: Float64Array) => Float64Array
  readonly others: <Value>(values: readonly Value[]) => readonly Value[]
}

/** Other rows of the same columns. */
export const pickRows = ({ columns }: Table, rows: number, { numbers, others }: RowPick): Table => ({
  columns: columns.map((column): Column => {
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
  }),
  rows,
})

/** Rows by index. */
export const rowsAt = (table: Table, rows: ArrayLike<number>): Table =>
  pickRows(table, rows.length, {
    numbers: (column) => {
      // `Float64Array.from` takes ten times as long.
      const values = new Float64Array(rows.length)
      for (let i = 0; i < values.length; i++) values[i] = column[rows[i]!]!
      return values
    },
    others: (column) => Array.from(rows, (row) => column[row]!),
  })

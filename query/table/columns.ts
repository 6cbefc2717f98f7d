import type { ColumnNotes } from '#sql/parquet-notes.ts'

/** Description of a column in Parquet. */
export type ColumnDescription = Pick<ColumnNotes, 'title' | 'description' | 'unit' | 'formula' | 'source'>

/**
 * A column of an answer. Dates are unix days; NaN is null in every kind of number. `integer` differs from `number` only
 * in formats with types (Parquet).
 */
export type Column = { readonly name: string; readonly columnNotes?: ColumnDescription | undefined } & (
  | {
      readonly kind: 'number' | 'integer' | 'date'
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
}

export const tableOf = (columns: readonly Column[]): Table => ({ columns, rows: columns[0]?.values.length ?? 0 })

export const emptyTable: Table = { columns: [], rows: 0 }

const cellsPerPiece = 2_500

/** Rows to encode in one piece, which takes a millisecond or two. */
export const pieceRows = ({ columns }: Table): number => Math.ceil(cellsPerPiece / Math.max(1, columns.length))

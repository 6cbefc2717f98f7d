import type { ColumnNotes } from '#sql/parquet-notes.ts'

/** What a Parquet file tells of a column beside its values. */
export type Told = Pick<ColumnNotes, 'title' | 'description' | 'unit' | 'formula' | 'source'>

/**
 * A column of an answer. Dates are unix days; NaN is null in every kind of number. `integer` differs from `number` only
 * where types are written down, in Parquet.
 */
export type Column = { readonly name: string; readonly told?: Told | undefined } & (
  | {
      readonly kind: 'number' | 'integer' | 'date'
      readonly values: Float64Array
      /** The one row that has the field, where JSON objects differ; elsewhere its values are null. */
      readonly onlyRow?: number
    }
  | { readonly kind: 'text'; readonly values: readonly (string | null)[] }
  | { readonly kind: 'flag'; readonly values: readonly boolean[] }
  | { readonly kind: 'list'; readonly values: readonly (readonly string[])[] }
)

/** Columns of one length, of which none has the name of another. */
export interface Table {
  readonly columns: readonly Column[]
  readonly rows: number
}

export const tableOf = (columns: readonly Column[]): Table => ({ columns, rows: columns[0]?.values.length ?? 0 })

export const emptyTable: Table = { columns: [], rows: 0 }

const cellsPerPiece = 2_500

/** Rows to encode at a stretch, which takes a millisecond or two; then others get their turn. */
export const rowsPerPiece = ({ columns }: Table): number => Math.ceil(cellsPerPiece / Math.max(1, columns.length))

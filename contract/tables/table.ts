import type { Column, ColumnType, SatsColumn, Value } from './column.ts'

export type Columns = Readonly<Record<string, Column>>

/** What a published table, one Parquet file of a generation, promises to its readers. */
export interface Table<Name extends string = string, Of extends Columns = Columns> {
  readonly name: Name
  /** What has one row each: `day and exchange`. */
  readonly rowFor: string
  /** A line for the list of tables, without a full stop. */
  readonly holds: string
  /** The columns that tell its rows apart. */
  readonly key: readonly string[]
  /** The columns that its rows are sorted by, ascending, by default the key; a cohort by its place in the list of cohorts. */
  readonly sortedBy: readonly string[]
  /** The setting with which it is published; the others are always. */
  readonly setting?: string
  /** Rows of a row group, where readers of a part of the table are to read less than the usual 122,880. */
  readonly rowsPerGroup?: number
  /** In the order of the file. */
  readonly columns: Of
  /** Where the catalogue decides on further columns, what each of them is of. */
  readonly columnPer?: 'measure' | 'metric'
}

/** A column is called `…_sats` where it holds satoshis, and nowhere else. */
type SatsByName<Of extends Columns> = {
  readonly [Name in keyof Of]: Name extends 'sats' | `${string}_sats` | `${string}_sats_${string}`
    ? SatsColumn
    : Column<ColumnType, Exclude<Column['unit'], 'sats'>>
}

/** Declares a published table. */
export const table = <const Name extends string, const Of extends Columns>(
  declared: Omit<Table<Name, Of>, 'sortedBy'> & {
    readonly key: readonly NoInfer<keyof Of & string>[]
    readonly sortedBy?: readonly NoInfer<keyof Of & string>[]
    readonly columns: SatsByName<Of>
  },
): Table<Name, Of> => ({ sortedBy: declared.key, ...declared })

/** The names of a table's columns. */
export type ColumnName<Of extends Table> = keyof Of['columns'] & string

/** A row as it is handed to DuckDB: dates are `YYYY-MM-DD`. */
export type Row<Of extends Table> = {
  readonly [Name in keyof Of['columns']]: Value<Of['columns'][Name]>
}

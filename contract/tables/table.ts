import type { Column, ColumnType, SatsColumn, Value } from './column.ts'

export type Columns = Readonly<Record<string, Column>>

/** One Parquet file of a generation. */
export interface Table<Name extends string = string, Of extends Columns = Columns> {
  readonly name: Name
  /** Subject of a row: `day and exchange`. */
  readonly rowFor: string
  /** Content in one line, without a full stop. */
  readonly holds: string
  /** Identify a row. */
  readonly key: readonly string[]
  /** By default the key; cohorts are sorted by their position in the list of cohorts. */
  readonly sortedBy: readonly string[]
  /** The setting that enables it; tables without one are always published. */
  readonly setting?: string
  /** Rows per row group if not 122,880; smaller groups make reading a part faster. */
  readonly rowsPerGroup?: number
  /** In file order. */
  readonly columns: Of
  /** Subject of further columns of the catalogue. */
  readonly columnPer?: 'measure' | 'metric'
}

/** Columns are named `…_sats` if and only if they hold satoshis. */
type SatsByName<Of extends Columns> = {
  readonly [Name in keyof Of]: Name extends 'sats' | `${string}_sats` | `${string}_sats_${string}`
    ? SatsColumn
    : Column<ColumnType, Exclude<Column['unit'], 'sats'>>
}

export const table = <const Name extends string, const Of extends Columns>(
  declared: Omit<Table<Name, Of>, 'sortedBy'> & {
    readonly key: readonly NoInfer<keyof Of & string>[]
    readonly sortedBy?: readonly NoInfer<keyof Of & string>[]
    readonly columns: SatsByName<Of>
  },
): Table<Name, Of> => ({ sortedBy: declared.key, ...declared })

export type ColumnName<Of extends Table> = keyof Of['columns'] & string

/** Rows for DuckDB: dates are `YYYY-MM-DD`. */
export type Row<Of extends Table> = {
  readonly [Name in keyof Of['columns']]: Value<Of['columns'][Name]>
}

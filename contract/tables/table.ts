import type { Column, ColumnType, SatsColumn, Value } from './column.ts'

export type Columns = Readonly<Record<string, Column>>

/** One Parquet file of a generation. */
export interface Table<Name extends string = string, Of extends Columns = Columns> {
  readonly name: Name
  /** Such as `day and exchange`. */
  readonly rowFor: string
  /** One line without a full stop. */
  readonly holds: string
  readonly key: readonly string[]
  /** Cohorts are sorted by their position in the list of cohorts. */
  readonly sortedBy: readonly string[]
  /** Setting that enables an optional table. */
  readonly setting?: string
  /** Default: 122,880. Smaller row groups make partial reads faster. */
  readonly rowsPerGroup?: number
  /** In file order. */
  readonly columns: Of
  /** Subject of further columns, from the catalogue. */
  readonly columnPer?: 'measure' | 'metric'
}

/** Columns named `…_sats` hold satoshis; no others do. */
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

export type Row<Of extends Table> = {
  readonly [Name in keyof Of['columns']]: Value<Of['columns'][Name]>
}

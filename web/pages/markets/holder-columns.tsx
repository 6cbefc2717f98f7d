import type { TableColumn } from '../../parts/sortable-table.tsx'
import { formatValue, lineColumn, numberColumn } from './cells.tsx'

interface Holder {
  readonly country: string | null
  readonly holdings: number | undefined
  /** What it held on each day of a year. */
  readonly line: Float64Array
}

/** Columns that tables of funds and of treasuries share. */
export const countryColumn: TableColumn<Holder> = {
  id: 'country',
  name: 'Where',
  value: (holder) => holder.country,
  show: (holder) => holder.country,
  hideOn: 'narrow',
}
export const holdingsColumns: readonly TableColumn<Holder>[] = [
  numberColumn(
    'holdings',
    'Holdings, BTC',
    ({ holdings }) => holdings,
    (holdings) => formatValue('', holdings),
  ),
  lineColumn('year', ({ line }) => line),
]

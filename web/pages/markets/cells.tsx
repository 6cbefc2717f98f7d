import { pathTo, toHref } from '../../app/router.ts'
import type { Figure } from '../../parts/figures.tsx'
import { groupDigits, writeCount, writeValue } from '../../parts/numbers.ts'
import type { TableColumn } from '../../parts/sortable-table.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'

/** A value in its unit, or a dash where it is not known. */
export const formatValue = (unit: string, value: number | null | undefined): string =>
  value === null || value === undefined || Number.isNaN(value) ? '–' : writeValue(unit, value)

/** A number of things. */
export const formatCount = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'no' : writeCount(value)

/** An amount of bitcoin with its sign: whole from a hundred on, else with one decimal. */
export function formatCoins(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–'
  const digits = Math.abs(value).toFixed(Math.abs(value) >= 100 ? 0 : 1)
  return digits === '0.0' ? '0' : `${value < 0 ? '\u2212' : '+'}${groupDigits(digits)}`
}

/** A value with its sign, whichever it is. */
export const formatSigned = (unit: string, value: number | null | undefined): string =>
  value !== null && value !== undefined && value > 0 ? `+${writeValue(unit, value)}` : formatValue(unit, value)

export const formatSupplyShare = (percent: number | null | undefined): string =>
  `${formatValue('percent', percent)} of the supply`

/** One of the numbers above a table, with a remark. */
export const figure = (name: string, value: string, note: string): Figure => ({ name, value, note })

/** Writes percent with so many decimals, or a dash where nothing is known. */
export const percentFormatter =
  (digits: number) =>
  (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : `${value.toFixed(digits)}\u00a0%`

/** A column of numbers, each shown in these words. */
export const numberColumn = <Row, Value extends number | null | undefined>(
  id: string,
  name: string,
  value: (row: Row) => Value,
  show: (value: Value) => string,
  hideOn?: TableColumn<Row>['hideOn'],
): TableColumn<Row> => ({
  id,
  name,
  isNumber: true,
  value,
  show: (row) => show(value(row)),
  ...(hideOn && { hideOn }),
})

/** A column of small lines over a year. */
export const lineColumn = <Row,>(id: string, valuesOf: (row: Row) => Float64Array): TableColumn<Row> => ({
  id,
  name: 'Within a year',
  isLine: true,
  show: (row) => <Sparkline values={valuesOf(row)} />,
  hideOn: 'phone',
})

/** The name of a row, which leads to its metric, with what else it is called. */
export function Name({
  metric,
  name,
  also,
}: {
  readonly metric: string
  readonly name: string
  readonly also?: string | null
}) {
  return (
    <>
      <a href={toHref(pathTo('metric', { id: metric }))}>{name}</a>
      {also ? <span class="also">{also}</span> : null}
    </>
  )
}

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

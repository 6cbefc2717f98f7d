import { pathTo, toHref } from '../../app/router.ts'
import { plain, signed, writeCount, writeValue } from '../../parts/numbers.ts'
import type { SortableColumn } from '../../parts/sortable-table.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'

export const formatValue = (unit: string, value: number | null | undefined): string =>
  value === null || value === undefined || Number.isNaN(value) ? '–' : writeValue(unit, value)

export const formatCount = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'no' : writeCount(value)

/** Signed; whole from 100, else one decimal. */
export function formatCoins(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–'
  const size = plain(Math.abs(value), Math.abs(value) >= 100 ? 0 : 1)
  return size === '0.0' ? '0' : signed(value, size)
}

export const formatSigned = (unit: string, value: number | null | undefined): string =>
  value !== null && value !== undefined && value > 0 ? `+${writeValue(unit, value)}` : formatValue(unit, value)

export const percentFormatter =
  (digits: number) =>
  (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : `${value.toFixed(digits)}\u00a0%`

export const metricLink = (metric: string, text: string) => (
  <a href={toHref(pathTo('metric', { id: metric }))}>{text}</a>
)

/** Links to the metric of a row. */
export const nameColumn = <Row extends { readonly metric: string }>(
  id: string,
  name: string,
  value: (row: Row) => string,
  also: (row: Row) => string | null = () => null,
): SortableColumn<Row> => ({
  id,
  name,
  value,
  show: (row) => (
    <>
      {metricLink(row.metric, value(row))}
      {also(row) && <span class="also">{also(row)}</span>}
    </>
  ),
})

export const textColumn = <Row,>(
  id: string,
  name: string,
  value: (row: Row) => string | null,
): SortableColumn<Row> => ({
  id,
  name,
  value,
  show: value,
  class: 'not-narrow',
})

export const numberColumn = <Row, Value extends number | null | undefined>(
  id: string,
  name: string,
  value: (row: Row) => Value,
  show: (value: Value) => string,
  hideOn?: 'narrow' | 'phone',
): SortableColumn<Row> => ({
  id,
  name,
  class: hideOn ? `number not-${hideOn}` : 'number',
  isNumber: true,
  value,
  show: (row) => show(value(row)),
})

export const lineColumn = <Row,>(id: string, valuesOf: (row: Row) => Float64Array): SortableColumn<Row> => ({
  id,
  name: 'Within a year',
  class: 'line not-phone',
  show: (row) => <Sparkline values={valuesOf(row)} />,
})

interface Holder {
  readonly country: string | null
  readonly holdings: number | undefined
  readonly line: Float64Array
}

export const countryColumn = textColumn<Holder>('country', 'Where', ({ country }) => country)
export const holdingsColumns: readonly SortableColumn<Holder>[] = [
  numberColumn(
    'holdings',
    'Holdings, BTC',
    ({ holdings }) => holdings,
    (coins) => formatValue('', coins),
  ),
  lineColumn('year', ({ line }) => line),
]

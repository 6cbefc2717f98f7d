import { pathTo, toHref } from '../../app/router.ts'
import type { Figure } from '../../parts/figures.tsx'
import { groupDigits, signed, writeCount, writeValue } from '../../parts/numbers.ts'
import type { TableColumn } from '../../parts/sortable-table.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'

export const formatValue = (unit: string, value: number | null | undefined): string =>
  value === null || value === undefined || Number.isNaN(value) ? '–' : writeValue(unit, value)

export const unitFormatter =
  (unit: string) =>
  (value: number | null | undefined): string =>
    formatValue(unit, value)

export const formatCount = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'no' : writeCount(value)

/** Signed bitcoin amount: whole numbers from 100, else one decimal. */
export function formatCoins(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–'
  const digits = Math.abs(value).toFixed(Math.abs(value) >= 100 ? 0 : 1)
  return digits === '0.0' ? '0' : signed(value, groupDigits(digits))
}

export const formatSigned = (unit: string, value: number | null | undefined): string =>
  value !== null && value !== undefined && value > 0 ? `+${writeValue(unit, value)}` : formatValue(unit, value)

export const formatSupplyShare = (percent: number | null | undefined): string =>
  `${formatValue('percent', percent)} of the supply`

export const figure = (name: string, value: string, note: string | undefined): Figure => ({ name, value, note })

export const percentFormatter =
  (digits: number) =>
  (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : `${value.toFixed(digits)}\u00a0%`

export const textColumn = <Row,>(id: string, name: string, value: (row: Row) => string | null): TableColumn<Row> => ({
  id,
  name,
  value,
  show: value,
  hideOn: 'narrow',
})

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

export const lineColumn = <Row,>(id: string, valuesOf: (row: Row) => Float64Array): TableColumn<Row> => ({
  id,
  name: 'Within a year',
  isLine: true,
  show: (row) => <Sparkline values={valuesOf(row)} />,
  hideOn: 'phone',
})

interface NameProps {
  readonly metric: string
  readonly name: string
  readonly also?: string | null
}

export function Name({ metric, name, also }: NameProps) {
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
  readonly line: Float64Array
}

export const countryColumn = textColumn<Holder>('country', 'Where', ({ country }) => country)
export const holdingsColumns: readonly TableColumn<Holder>[] = [
  numberColumn('holdings', 'Holdings, BTC', ({ holdings }) => holdings, unitFormatter('')),
  lineColumn('year', ({ line }) => line),
]

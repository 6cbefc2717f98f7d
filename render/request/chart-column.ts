import type { MetricKind } from '#contract/metric-kinds.ts'

export interface Column {
  readonly values: Float64Array
  readonly unit: string
  readonly dimension: string
  readonly kind: MetricKind
}

export const toQuantity = ({ unit, dimension }: Quantity): Quantity => ({
  unit: displayUnit(unit),
  dimension: displayUnit(dimension),
})

export const displayUnit = (unit: string): string => (unit === 'percent' ? '%' : unit)

export type Quantity = Pick<Column, 'unit' | 'dimension'>

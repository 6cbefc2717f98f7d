import type { PeriodInput } from '#sql/formula/periods.ts'

export interface Column extends PeriodInput {
  readonly unit: string
  readonly dimension: string
}

export const toQuantity = ({ unit, dimension }: Quantity): Quantity => ({
  unit: displayUnit(unit),
  dimension: displayUnit(dimension),
})

export const displayUnit = (unit: string): string => (unit === 'percent' ? '%' : unit)

export type Quantity = Pick<Column, 'unit' | 'dimension'>

import type { MetricKind } from '#contract/metric-kinds.ts'
import type { Unit } from '#contract/units.ts'
import type { BaseMeasure, CreatedMeasure } from '../cohorts/base-measures.ts'
import type { MetricRow } from './definition.ts'

type DerivedMeasure =
  | 'supply'
  | 'supply_percent'
  | 'supply_change_30d'
  | 'realized_cap_percent'
  | 'realized_price'
  | 'mvrv'
  | 'unrealized_pl'
  | 'relative_unrealized_profit'
  | 'relative_unrealized_loss'
  | 'nupl'
  | 'supply_in_profit_percent'
  | 'supply_in_loss_percent'
  | 'realized_pl'
  | 'realized_pl_ratio'
  | 'sell_side_risk_ratio'
  | 'sopr'
  | 'asopr'
  | 'dormancy'

type SummedMeasure = BaseMeasure | CreatedMeasure

export type MeasureId = SummedMeasure | DerivedMeasure

interface MeasureRow extends Pick<MetricRow, 'name' | 'unit' | 'style' | 'scale' | 'variant' | 'source'> {
  readonly category: 'supply' | 'valuation' | 'profit_and_loss' | 'coin_days'
  /** Former id, still used by `/v1/holder/profit` and as an alias. */
  readonly formerly?: string
  /**
   * The measure that is equal for coins that are a day old: such cohorts have this one as an alias
   * of it.
   */
  readonly sameAfterDay?: MeasureId
  /** `{coins}` is replaced by the words for the coins of the cohort. */
  readonly description: string
}

/** Over metric ids; `own` returns the id of another measure of the same cohort. */
type MeasureFormula = (own: (measure: MeasureId) => string) => string

export type Measure = MeasureRow &
  (
    | { readonly id: SummedMeasure; readonly formula?: never; readonly kind: MetricKind }
    | {
        readonly id: DerivedMeasure
        readonly kind?: never
        readonly formula: MeasureFormula
      }
  )

type Uncategorized = Measure extends infer One ? (One extends Measure ? Omit<One, 'category'> : never) : never
type Description = Omit<MeasureRow, 'category' | 'name' | 'unit'>

export const inCategory = (category: Measure['category'], rows: readonly Uncategorized[]): Measure[] =>
  rows.map((row) => ({ category, ...row }))

export const summed = (id: SummedMeasure, name: string, unit: Unit, kind: MetricKind, row: Description) => ({
  ...{ id, name, unit, kind },
  ...row,
})

export const derived = (id: DerivedMeasure, name: string, unit: Unit, formula: MeasureFormula, row: Description) => ({
  id,
  name,
  unit,
  formula,
  ...row,
})

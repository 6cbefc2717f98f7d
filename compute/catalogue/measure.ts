import type { BaseMeasure } from '../cohorts/base-measures.ts'
import type { MetricRow } from './definition.ts'

/** Measures: what the pass adds up, and what formulas make of it. */
export type MeasureId =
  | BaseMeasure
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
  | 'percent_supply_in_profit'
  | 'percent_supply_in_loss'
  | 'spent_volume_usd'
  | 'realized_pl'
  | 'realized_pl_ratio'
  | 'sell_side_risk_ratio'
  | 'sopr'
  | 'asopr'
  | 'dormancy'

/** One line of the table of measures; each is published for every cohort. */
export interface Measure extends Pick<MetricRow, 'name' | 'unit' | 'style' | 'scale' | 'variant' | 'source'> {
  readonly id: MeasureId
  readonly category: 'supply' | 'valuation' | 'profit_and_loss' | 'coin_days'
  /** `{coins}` stands for the coins of the cohort. */
  readonly description: string
  /** Over metric ids, where `own` gives the id of another measure of the same cohort. Base measures have none. */
  readonly formula?: (own: (measure: MeasureId) => string) => string
}

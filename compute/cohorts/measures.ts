import type { MetricRow } from '../catalogue/definition.ts'
import { holdingMeasures } from './holding-measures.ts'
import { spendingMeasures } from './spending-measures.ts'

/** Sums that the cohort pass adds up for every cohort and day. Amounts in satoshis are exact. */
export const baseMeasures = [
  'supply_sats',
  'utxo_count',
  'realized_cap',
  'supply_in_profit',
  'supply_in_loss',
  'unrealized_profit',
  'unrealized_loss',
  'spent_volume',
  'spent_outputs',
  'spent_volume_in_profit',
  'spent_volume_in_loss',
  'spent_cost',
  'realized_profit',
  'realized_loss',
  'coindays_destroyed',
  'spent_volume_1h',
  'spent_cost_1h',
] as const
export type BaseMeasure = (typeof baseMeasures)[number]

/** One line of the table of measures; each is published for every cohort. */
export interface Measure extends Pick<MetricRow, 'id' | 'name' | 'unit' | 'style' | 'scale' | 'variant' | 'source'> {
  readonly category: 'supply' | 'valuation' | 'profit_and_loss' | 'coin_days'
  /** `{coins}` stands for the coins of the cohort. */
  readonly description: string
  /** Over metric ids, where `own` gives the id of another measure of the same cohort. Base measures have none. */
  readonly formula?: (own: (measure: string) => string) => string
}

/** Every measure, in the order of the columns of `cohorts`. */
export const measures: readonly Measure[] = [...holdingMeasures, ...spendingMeasures]

/** Cohorts whose name stands before the measure; of all others it stands after. */
const prefixes = new Set(['lth', 'sth', 'lth_smooth', 'sth_smooth'])

/** The metric that is a measure of a cohort: `mvrv`, `lth_mvrv`, `mvrv_1y_2y`. */
export function metricId(cohort: string, measure: string): string {
  if (cohort === 'all') return measure === 'supply' ? 'circulating_supply' : measure
  return prefixes.has(cohort) ? `${cohort}_${measure}` : `${measure}_${cohort}`
}

import type { MetricRow } from './definition.ts'

/** One line of the table of measures; each is published for every cohort. */
export interface Measure extends Pick<MetricRow, 'id' | 'name' | 'unit' | 'style' | 'scale' | 'variant' | 'source'> {
  readonly category: 'supply' | 'valuation' | 'profit_and_loss' | 'coin_days'
  /** `{coins}` stands for the coins of the cohort. */
  readonly description: string
  /** Over metric ids, where `own` gives the id of another measure of the same cohort. Base measures have none. */
  readonly formula?: (own: (measure: string) => string) => string
}

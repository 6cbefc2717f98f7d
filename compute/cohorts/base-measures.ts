/** Sums computed for every cohort and day. Amounts in satoshis are exact. */
export const baseMeasures = [
  'supply_sats',
  'utxo_count',
  'realized_cap',
  'supply_in_profit',
  'supply_in_loss',
  'unrealized_profit',
  'unrealized_loss',
  'spent_volume',
  'spent_volume_usd',
  'spent_outputs',
  'spent_volume_in_profit',
  'spent_volume_in_loss',
  'spent_cost',
  'realized_profit',
  'realized_loss',
  'coindays_destroyed',
  'spent_volume_1h',
  'spent_volume_1h_usd',
  'spent_cost_1h',
] as const

/**
 * Additional sums of cohorts by size, script or origin; they also have those above except `…_1h`.
 */
export const createdMeasures = ['created_volume', 'created_outputs'] as const

export const costMeasures = [
  'realized_cap',
  'supply_in_profit',
  'supply_in_loss',
  'unrealized_profit',
  'unrealized_loss',
  'spent_volume_in_profit',
  'spent_volume_in_loss',
  'spent_cost',
  'realized_profit',
  'realized_loss',
  'spent_cost_1h',
] as const satisfies readonly BaseMeasure[]

export type BaseMeasure = (typeof baseMeasures)[number]
export type CreatedMeasure = (typeof createdMeasures)[number]

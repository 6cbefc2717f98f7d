import { type AgeBand, ageBands } from '#contract/cohorts.ts'

/** All coins, those of long-term or short-term holders, or an age band. */
export type CohortId = 'all' | 'lth' | 'sth' | AgeBand

const ages: Readonly<Record<AgeBand, string>> = {
  '24h': 'Younger than a day',
  '1d_1w': '1 day to 1 week',
  '1w_1m': '1 week to 1 month',
  '1m_3m': '1 to 3 months',
  '3m_6m': '3 to 6 months',
  '6m_12m': '6 to 12 months',
  '1y_2y': '1 to 2 years',
  '2y_3y': '2 to 3 years',
  '3y_5y': '3 to 5 years',
  '5y_7y': '5 to 7 years',
  '7y_10y': '7 to 10 years',
  '10y_plus': 'Older than 10 years',
}

export const cohorts: readonly { readonly id: CohortId; readonly name: string }[] = [
  { id: 'all', name: 'All coins' },
  { id: 'lth', name: 'Long-term holders' },
  { id: 'sth', name: 'Short-term holders' },
  ...ageBands.map(({ id }) => ({ id, name: ages[id] })),
]

/** Ratios are written with two decimals, other values by their unit. */
export const measures = [
  { id: 'supply', name: 'Supply, BTC', unit: '' },
  { id: 'realized_cap', name: 'Realized cap', unit: 'USD' },
  { id: 'realized_price', name: 'Cost basis', unit: 'USD' },
  { id: 'mvrv', name: 'MVRV', unit: 'ratio' },
  { id: 'supply_in_profit_percent', name: 'In profit', unit: 'percent' },
  { id: 'nupl', name: 'NUPL', unit: 'ratio' },
] as const

export type Measure = (typeof measures)[number]['id']

export function cohortMetric(cohort: CohortId, measure: Measure): string {
  if (cohort === 'all') return measure === 'supply' ? 'circulating_supply' : measure
  return cohort === 'lth' || cohort === 'sth' ? `${cohort}_${measure}` : `${measure}_${cohort}`
}

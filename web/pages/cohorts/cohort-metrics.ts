import { type AgeBand, ageBands } from '#contract/cohorts.ts'
import { type CoinCohort, coinCohortLists } from '#contract/coin-cohorts.ts'

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

interface Cohort {
  readonly id: string
  readonly name: string
}

const all: Cohort = { id: 'all', name: 'All coins' }
/** Removes the words that all names share. */
const byCoins = (list: readonly CoinCohort[]): Cohort[] => [
  all,
  ...list.map(({ id, coins }) => {
    const name = coins.replace(/^outputs (of )?| outputs$/g, '')
    return { id, name: `${name[0]!.toUpperCase()}${name.slice(1)}` }
  }),
]

const origins: Readonly<Record<string, string>> = {
  exposed: 'Public key visible',
  exposed_over_1y: 'Visible, over 1 year',
  exposed_over_5y: 'Visible, over 5 years',
  exposed_over_10y: 'Visible, over 10 years',
  mined: 'Mined, never moved',
  mined_over_1y: 'Mined, over 1 year',
  mined_over_5y: 'Mined, over 5 years',
  mined_over_10y: 'Mined, over 10 years',
  moved: 'Moved since mined',
}

/** The page shows one at a time. */
export const groups: readonly { readonly id: string; readonly name: string; readonly cohorts: readonly Cohort[] }[] = [
  {
    id: 'age',
    name: 'Age',
    cohorts: [
      all,
      { id: 'lth', name: 'Long-term holders' },
      { id: 'sth', name: 'Short-term holders' },
      ...ageBands.map(({ id }) => ({ id, name: ages[id] })),
    ],
  },
  { id: 'size', name: 'Size', cohorts: byCoins(coinCohortLists.size) },
  { id: 'type', name: 'Script type', cohorts: byCoins(coinCohortLists.type) },
  {
    id: 'origin',
    name: 'Origin',
    cohorts: [all, ...coinCohortLists.origin.map(({ id }) => ({ id, name: origins[id] ?? id }))],
  },
]

export const measures = [
  { id: 'supply', name: 'Supply, BTC', unit: '' },
  { id: 'realized_cap', name: 'Realized cap', unit: 'USD' },
  { id: 'realized_price', name: 'Cost basis', unit: 'USD' },
  { id: 'mvrv', name: 'MVRV', unit: 'ratio' },
  { id: 'supply_in_profit_percent', name: 'In profit', unit: 'percent' },
  { id: 'nupl', name: 'NUPL', unit: 'ratio' },
] as const

export type Measure = (typeof measures)[number]['id']

export function cohortMetric(cohort: string, measure: Measure): string {
  if (cohort === 'all') return measure === 'supply' ? 'circulating_supply' : measure
  return cohort === 'lth' || cohort === 'sth' ? `${cohort}_${measure}` : `${measure}_${cohort}`
}

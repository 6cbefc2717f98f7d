import { dayAt, msPerDay } from '#base/days.ts'
import { type AgeBand, ageBands as bands } from '#contract/cohorts.ts'
import { type CoinCohort, coinCohorts } from '#contract/coin-cohorts.ts'
import type { HeaderChain } from '#ingest/chain/header-chain.ts'

/** Coins by age, creation day or kind of output. */
export type Cohort = RangeCohort | (CoinCohort & { readonly kind: 'coins' })

/** A cohort of Coinstrata or of the operator. */
export type RangeCohort = { readonly id: string } & CohortRange

type AgeCohort = RangeCohort & { readonly id: CohortId }

export type CohortId =
  | 'all'
  | 'lth'
  | 'sth'
  | 'lth_smooth'
  | 'sth_smooth'
  | AgeBand
  | `over_${Threshold}`
  | `under_${Threshold}`
  | `y${number}`
  | `epoch_${number}`

export type CohortRange =
  | { readonly kind: 'all' }
  /** Age in whole days, `lower` ≤ age < `upper`. */
  | { readonly kind: 'age'; readonly lower: number; readonly upper: number }
  /** Unix day of creation, `from` ≤ day < `to`. */
  | { readonly kind: 'created'; readonly from: number; readonly to: number }
  /**
   * Coins weighted by a number from 0 to 1 that grows with age (`long`), or by 1 minus it
   * (`short`).
   */
  | { readonly kind: 'smooth'; readonly holder: 'long' | 'short' }

export const ageBands: readonly AgeCohort[] = bands.map(({ id, fromAge }, i) => ({
  id,
  kind: 'age',
  lower: fromAge,
  upper: bands[i + 1]?.fromAge ?? Number.POSITIVE_INFINITY,
}))

export const longTermDays = 155

/** Ages in days that separate the cohorts `over_…` and `under_…`. */
const thresholds = [
  ['1d', 1],
  ['1w', 7],
  ['1m', 30],
  ['3m', 90],
  ['6m', 180],
  ['1y', 365],
  ['2y', 730],
  ['3y', 1095],
  ['4y', 1460],
  ['5y', 1825],
  ['7y', 2555],
  ['10y', 3650],
] as const
type Threshold = (typeof thresholds)[number][0]

/**
 * Bands equal to an `over_…` or `under_…` cohort, which is published under the band's name only.
 */
export const sameCoins: Readonly<Partial<Record<string, CohortId>>> = { '24h': 'under_1d', '10y_plus': 'over_10y' }

/** Ages in days between which the smooth weight grows from 0 to 1. */
export const smoothFrom = 100
export const smoothTo = 210

/** Long-term weight of coins by age in days: a logistic curve around 155 days. */
export function longTermWeight(age: number): number {
  if (age < smoothFrom) return 0
  if (age > smoothTo) return 1
  return 1 / (1 + Math.exp(-0.1 * (age - longTermDays)))
}

/** Whether all coins of a cohort were created before the day. */
export const isDayOld = (id: string): boolean =>
  id === 'lth' ||
  id === 'lth_smooth' ||
  thresholds.some(([threshold]) => id === `over_${threshold}`) ||
  bands.some((band) => band.id === id && band.fromAge > 0)

/** All cohorts of a chain up to `lastDay` (unix day, inclusive). */
export function listCohorts(chain: Pick<HeaderChain, 'days'>, halvingInterval: number, lastDay: number): Cohort[] {
  const oldest = Number.POSITIVE_INFINITY
  return [
    { id: 'all', kind: 'all' },
    { id: 'lth', kind: 'age', lower: longTermDays, upper: oldest },
    { id: 'sth', kind: 'age', lower: 0, upper: longTermDays },
    { id: 'lth_smooth', kind: 'smooth', holder: 'long' },
    { id: 'sth_smooth', kind: 'smooth', holder: 'short' },
    ...ageBands,
    ...thresholds
      .flatMap(([id, days]): AgeCohort[] => [
        { id: `over_${id}`, kind: 'age', lower: days, upper: oldest },
        { id: `under_${id}`, kind: 'age', lower: 0, upper: days },
      ])
      .filter(({ id }) => !Object.values(sameCoins).includes(id)),
    ...creationYears(chain.days[0]!, lastDay),
    ...halvingEpochs(chain.days, halvingInterval, lastDay),
    ...coinCohorts.map((cohort) => ({ ...cohort, kind: 'coins' as const })),
  ]
}

function creationYears(firstDay: number, lastDay: number): AgeCohort[] {
  const toYear = (day: number): number => new Date(day * msPerDay).getUTCFullYear()
  const firstDayIn = (year: number): number => dayAt(Date.UTC(year, 0, 1))
  const first = toYear(firstDay)
  return Array.from({ length: toYear(lastDay) - first + 1 }, (_, i) => ({
    id: `y${first + i}`,

    kind: 'created',
    from: firstDayIn(first + i),
    to: firstDayIn(first + i + 1),
  }))
}

/** The day of a halving belongs to the new epoch. */
function halvingEpochs(days: Int32Array, halvingInterval: number, lastDay: number): AgeCohort[] {
  const epochs: AgeCohort[] = []
  for (let height = 0; height < days.length && days[height]! <= lastDay; height += halvingInterval) {
    const number = epochs.length + 1
    const to = days[height + halvingInterval] ?? Number.POSITIVE_INFINITY
    epochs.push({ id: `epoch_${number}`, kind: 'created', from: days[height]!, to })
  }
  return epochs
}

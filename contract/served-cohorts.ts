import { ageBands } from './cohorts.ts'
import { coinCohorts } from './coin-cohorts.ts'

/** Cohorts of `/v1/cohort/metrics`; `/v1/series` serves all others. */
export const servedCohorts: readonly string[] = [
  ...ageBands.map(({ id }) => id),
  'lth',
  'sth',
  ...coinCohorts.map(({ id }) => id),
]

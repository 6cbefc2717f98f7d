import { ageBands } from './cohorts.ts'
import { coinCohorts } from './coin-cohorts.ts'

/** `/v1/series` serves all other cohorts. */
export const servedCohorts: readonly string[] = [
  ...ageBands.map(({ id }) => id),
  'lth',
  'sth',
  ...coinCohorts.map(({ id }) => id),
]

import type { changeKinds } from '#contract/tables/metrics.ts'
import type { Formula } from '#sql/formula/parse.ts'
import type { Cohort, CohortId } from '../cohorts/cohorts.ts'
import { cohortMetricId, type MeasureId } from './measures.ts'

/**
 * A change after version 1.0.0 of how metrics are defined, priced or named. Append new ones; never
 * remove one.
 */
export interface MetricChange {
  readonly date: string
  /** First program version with the change. */
  readonly version: string
  readonly kind: (typeof changeKinds)[number]
  /**
   * Ids of changed metrics; former ids if they no longer exist. Omit metrics computed from them.
   */
  readonly metrics: readonly string[]
  /** Changed measures of `cohorts` (default: every cohort by age). */
  readonly measures?: readonly MeasureId[]
  readonly cohorts?: readonly CohortId[]
  readonly change: string
  readonly reason: string
  readonly effect: string
}

export const metricHistory: readonly MetricChange[] = []

/** Adds the ids of all metrics computed from `ids`. */
export function withDependents(formulas: ReadonlyMap<string, Formula>, ids: Iterable<string>): Set<string> {
  const readers = new Map<string, string[]>()
  for (const [id, { references }] of formulas) {
    for (const reference of references.keys()) {
      const own = readers.get(reference)
      // Half of all metrics read the price: copying its list for each would take most of the time.
      if (own) own.push(id)
      else readers.set(reference, [id])
    }
  }
  const all = new Set(ids)
  // Iterating a set includes members added meanwhile.
  for (const id of all) for (const reader of readers.get(id) ?? []) all.add(reader)
  return all
}

/** Ids of the metrics that a change names, including those of cohorts. */
export const changedMetrics = (
  { metrics, measures: changed = [], cohorts: only }: Pick<MetricChange, 'metrics' | 'measures' | 'cohorts'>,
  cohorts: readonly Pick<Cohort, 'id' | 'kind'>[],
): string[] => [
  ...metrics,
  ...(only ?? cohorts.filter(({ kind }) => kind !== 'coins').map(({ id }) => id)).flatMap((cohort) =>
    changed.map((measure) => cohortMetricId(cohort, measure)),
  ),
]

/** As `changedMetrics`, with all metrics computed from them. */
export function affectedMetrics(
  change: MetricChange,
  formulas: ReadonlyMap<string, Formula>,
  cohorts: readonly Pick<Cohort, 'id' | 'kind'>[],
): readonly string[] {
  const named = changedMetrics(change, cohorts)
  const followed = change.kind === 'definition' || change.kind === 'pricing'
  return [...(followed ? withDependents(formulas, named) : new Set(named))]
}

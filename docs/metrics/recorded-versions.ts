import { z } from 'zod'
import type { Catalogue } from '#compute/catalogue/catalogue.ts'
import { changedMetrics, type MetricChange, withDependents } from '#compute/catalogue/metric-history.ts'
import { cohorts, metricKinds } from './metric-kinds.ts'

export const versionsFile = new URL('versions.json', import.meta.url).pathname

const record = z.object({ changes: z.int(), versions: z.record(z.string(), z.string()) })

/**
 * The version of the definition of each metric, and how many changes metric_history had by then.
 */
export type VersionRecord = z.infer<typeof record>

export const parseRecord = (text: string): VersionRecord => record.parse(JSON.parse(text))

/**
 * Metrics that differ only in cohort, exchange, fund or entity are made by one template: the first
 * stands for all.
 */
const recordedIds = metricKinds.flatMap(({ members, by }) =>
  (by === 'number' ? members : members.slice(0, 1)).map(({ id }) => id),
)

/**
 * Records the current versions. Refuses metrics whose version changed, or that are gone, without a
 * later change in `history` that names them or a metric that they are computed from.
 */
export function recordVersions(
  { changes, versions: before }: VersionRecord,
  { definitions, formulas }: Pick<Catalogue, 'definitions' | 'formulas'>,
  history: readonly MetricChange[],
  ids: readonly string[] = recordedIds,
): VersionRecord {
  const current = new Map(definitions.map(({ id, definitionVersion }) => [id, definitionVersion]))
  const versions = Object.fromEntries(ids.toSorted().map((id) => [id, current.get(id) ?? '']))
  const told = withDependents(
    formulas,
    history.slice(changes).flatMap((change) => changedMetrics(change, cohorts)),
  )
  const untold = Object.keys(before).filter((id) => versions[id] !== before[id] && !told.has(id))
  if (untold.length > 0) {
    throw new Error(
      `the definition of ${untold.join(', ')} changed: add what changed and why at the end of metricHistory in compute/catalogue/metric-history.ts, then run "npm run docs:text"`,
    )
  }
  return { changes: history.length, versions }
}

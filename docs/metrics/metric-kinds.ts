import { parseDay } from '#base/days.ts'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import type { MetricDefinition } from '#compute/catalogue/definition.ts'
import { cohortMetricId, measures, measuresOf } from '#compute/catalogue/measures.ts'
import { largestPools } from '#compute/catalogue/pools.ts'
import { type Cohort, listCohorts } from '#compute/cohorts/cohorts.ts'
import { networks } from '#ingest/chain/networks.ts'

const halvings = ['2009-01-03', '2012-11-28', '2016-07-09', '2020-05-11', '2024-04-20'].map(parseDay)

/** The cohorts of mainnet in 2026. */
export const cohorts: readonly Cohort[] = listCohorts({ days: Int32Array.from(halvings) }, 1, parseDay('2026-12-31'))

/** The catalogue of mainnet. */
export const catalogue = createCatalogue(networks.mainnet, cohorts)

type Dimension = 'cohort' | 'exchange' | 'fund' | 'entity' | 'pool' | 'number'

/**
 * Metrics that differ only in one dimension, such as the cohort or the exchange, and share one
 * entry.
 */
export interface MetricKind {
  readonly shown: MetricDefinition
  readonly members: readonly MetricDefinition[]
  /** Undefined for a single member. */
  readonly by: Dimension | undefined
}

const keyNames: Readonly<Record<string, Dimension>> = {
  funding: 'exchange',
  open_interest: 'exchange',
  etf: 'fund',
  treasuries: 'entity',
}

/**
 * Minimum number of metrics differing only in a number that share one entry: days of a mean, or
 * percentiles.
 */
const minFamilySize = (pattern: string): number => (pattern.endsWith('_p#') ? 4 : 9)
const maskNumbers = (id: string): string => id.replaceAll(/\d+/g, '#')

function groupKinds(definitions: readonly MetricDefinition[]): MetricKind[] {
  const families = new Map<string, string>(
    // If measures share an id, the first one counts.
    measures
      .flatMap((measure) =>
        cohorts
          .filter((cohort) => measuresOf(cohort).includes(measure))
          .map((cohort) => [cohortMetricId(cohort.id, measure.id), `cohort ${measure.id}`] as const),
      )
      .reverse(),
  )
  for (const pool of Object.keys(largestPools)) {
    for (const measure of ['blocks', 'share_percent', 'hash_rate'])
      families.set(`pool_${measure}_${pool}`, `pool ${measure}`)
  }
  const countsByPattern = new Map<string, number>()
  for (const { id } of definitions)
    countsByPattern.set(maskNumbers(id), (countsByPattern.get(maskNumbers(id)) ?? 0) + 1)
  const chooseFamily = ({ id, from }: MetricDefinition): string => {
    const numbered = maskNumbers(id)
    if (!families.has(id) && !from?.key && (countsByPattern.get(numbered) ?? 0) >= minFamilySize(numbered))
      return numbered
    const keyed = from?.key !== undefined && keyNames[from.table] !== undefined
    return families.get(id) ?? (keyed ? `${from.table} ${from.column}` : id)
  }
  return [...Map.groupBy(definitions, chooseFamily)].map(([family, members]) => {
    const shown = members[0]!
    const [prefix] = family.split(' ')
    const by = prefix === 'cohort' || prefix === 'pool' ? prefix : (keyNames[shown.from?.table ?? ''] ?? 'number')
    return { shown, members, by: members.length > 1 ? by : undefined }
  })
}

export const metricKinds: readonly MetricKind[] = groupKinds(catalogue.definitions)

const kindsByMetric = new Map(metricKinds.flatMap((kind) => kind.members.map(({ id }) => [id, kind] as const)))

/** Link to the entry of a metric from a page in `docs/metrics`. */
export function linkTo(id: string): string {
  const { shown } = kindsByMetric.get(id)!
  return `${shown.category}.md#${shown.id}`
}

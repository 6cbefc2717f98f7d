import { CoinstrataError } from '#base/errors.ts'
import { indexByIds } from '#contract/metric-ids.ts'
import { todayMetrics } from '#contract/tables/today.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { createCatalogue } from '../catalogue/catalogue.ts'
import type { MetricDefinition } from '../catalogue/definition.ts'
import { findIntervals } from '../catalogue/metric-intervals.ts'
import { MetricColumns } from '../publish/metric-columns.ts'
import type { OpenDay } from './open-days.ts'

const names = Object.keys(todayMetrics)

interface DayMetrics {
  /** By the names of table `today`. */
  readonly today: Readonly<Record<string, number | null>>
  /** By id. */
  readonly afterBlock: Readonly<Record<string, number | null>>
  /** Metrics of `afterBlock`. */
  readonly definitions: readonly MetricDefinition[]
}

/**
 * Throws `audit_failed` if flows and blocks disagree.
 * @param price NaN without one
 */
export function computeDayMetrics(network: Network, day: OpenDay, price: number): DayMetrics {
  for (const measure of ['supply_sats', 'utxo_count']) {
    const [byFlows, byBlocks] = [day.measures.get(`${measure} all`), day.sums.get(measure)]
    if (byFlows === byBlocks) continue
    const message = `${measure} of the open day is ${byFlows} by flows, ${byBlocks} by blocks`
    throw new CoinstrataError('audit_failed', message, { cure: 'run "coinstrata update", which compares all days' })
  }
  const catalogue = createCatalogue(network, day.cohorts)
  const { definitions, formulas } = catalogue
  const intervals = findIntervals(catalogue)
  const afterBlock = definitions.filter(({ id }) => intervals.get(id)!.includes('block'))
  const base = definitions.flatMap((definition): [string, Float64Array][] => {
    const value = definition.id === 'price' ? price : readOrigin(definition, day)
    return value === undefined ? [] : [[definition.id, Float64Array.of(value)]]
  })
  const byId = indexByIds(definitions)
  const ids = new Set([...names.map((name) => byId.get(name)!.id), ...afterBlock.map(({ id }) => id)])
  const columns = new MetricColumns(1, formulas, new Map(base), ids)
  const values = new Map(
    [...ids].map((id) => {
      const [value = null] = columns.take(id) ?? []
      return [id, value] as const
    }),
  )
  const read = (name: string): [string, number | null] => [name, values.get(byId.get(name)!.id)!]
  return {
    today: Object.fromEntries(names.map(read)),
    afterBlock: Object.fromEntries(afterBlock.map(({ id }) => read(id))),
    definitions: afterBlock,
  }
}

function readOrigin({ from }: MetricDefinition, { measures, sums }: OpenDay): number | undefined {
  if (from?.table === 'cohorts') return measures.get(`${from.column} ${from.key}`)
  return from?.table === 'days' ? sums.get(from.column) : undefined
}

import { CoinstrataError } from '#base/errors.ts'
import { indexByIds } from '#contract/metric-ids.ts'
import { todayMetrics } from '#contract/tables/today.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { createCatalogue } from '../catalogue/catalogue.ts'
import type { MetricDefinition } from '../catalogue/definition.ts'
import { MetricColumns } from '../publish/metric-columns.ts'
import type { OpenDay } from './open-days.ts'

const names = Object.keys(todayMetrics)

/** `price` is NaN if there is none. Throws `audit_failed` if flows and blocks disagree. */
export function computeTodayMetrics(network: Network, day: OpenDay, price: number): Record<string, number | null> {
  for (const measure of ['supply_sats', 'utxo_count']) {
    const [byFlows, byBlocks] = [day.measures.get(`${measure} all`), day.sums.get(measure)]
    if (byFlows !== byBlocks) throw unequal(measure, byFlows, byBlocks)
  }
  const { definitions, formulas } = createCatalogue(network, day.cohorts)
  const base = definitions.flatMap((definition): [string, Float64Array][] => {
    const value = definition.id === 'price' ? price : readOrigin(definition, day)
    return value === undefined ? [] : [[definition.id, Float64Array.of(value)]]
  })
  const byId = indexByIds(definitions)
  const metrics = names.map((name) => [name, byId.get(name)!.id] as const)
  const ids = metrics.map(([, id]) => id)
  const columns = new MetricColumns(1, formulas, new Map(base), ids)
  return Object.fromEntries(
    metrics.map(([name, id]) => {
      const [value = Number.NaN] = columns.take(id)
      return [name, Number.isNaN(value) ? null : value]
    }),
  )
}

function readOrigin({ from }: MetricDefinition, { measures, sums }: OpenDay): number | undefined {
  if (from?.table === 'cohorts') return measures.get(`${from.column} ${from.key}`)
  return from?.table === 'days' ? sums.get(from.column) : undefined
}

const unequal = (what: string, byFlows?: number, byBlocks?: number): CoinstrataError =>
  new CoinstrataError('audit_failed', `${what} of the open day is ${byFlows} by flows, ${byBlocks} by blocks`, {
    cure: 'run "coinstrata update", which compares all days',
  })

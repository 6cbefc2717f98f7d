import type { TableName } from '#contract/tables/tables.ts'
import { type Tier, tiers } from '#contract/tiers.ts'
import type { Catalogue } from './catalogue.ts'
import { grades } from './view.ts'

/** Grades of the tables that no answer reads; those of metric tables follow from the catalogue. */
const tableGrades: Readonly<Record<TableName, number | 'metrics'>> = {
  ...grades,
  blocks: 0,
  days: 0,
  overwritten: 0,
  // Every measure follows from the flows, distributions included.
  flows: 2,
  young_spends: 2,
  fine_flows: 2,
  cohorts: 'metrics',
  metrics_market: 'metrics',
  metrics_supply: 'metrics',
  metrics_valuation: 'metrics',
  metrics_profit_and_loss: 'metrics',
  metrics_coin_days: 'metrics',
  metrics_blockchain: 'metrics',
  metrics_distribution: 'metrics',
  metrics_cycles: 'metrics',
  metrics_derivatives: 'metrics',
  metrics_etfs: 'metrics',
  metrics_treasuries: 'metrics',
  catalogue: 0,
  cycle_performance: 0,
  prices: 0,
  price_sources: 0,
  prices_hourly: 0,
}

/** Tables without history: lists of names, and dates that are public knowledge. */
const undatedTables: ReadonlySet<TableName> = new Set([
  'catalogue',
  'cycles',
  'exchanges',
  'etf_registry',
  'treasury_registry',
])

const ascending = ['demo', 'free', 'pro', 'enterprise'] as const satisfies readonly Tier[]

/** The lowest tier that may see all columns and days of a table. */
export function tableTier(name: TableName, { metrics }: Pick<Catalogue, 'metrics'>): Tier {
  const known = tableGrades[name]
  const own = metrics.filter(({ table_name }) => table_name === name).map(({ grade }) => grade)
  const grade = known !== 'metrics' ? known : own.length === 0 ? tiers.enterprise.grade : Math.max(...own)
  const needsAllDays = !undatedTables.has(name)
  const lowest = ascending.find(
    (tier) => tiers[tier].grade >= grade && (!needsAllDays || tiers[tier].historyDays === Number.POSITIVE_INFINITY),
  )
  return lowest ?? 'enterprise'
}

/** Whether a tier sees everything that another one sees. */
export const includesTier = (tier: Tier, needed: Tier): boolean => ascending.indexOf(tier) >= ascending.indexOf(needed)

import {
  addressBalances,
  addressDays,
  blocks,
  createdKinds,
  days,
  fineFlows,
  flows,
  kindFlows,
  kinds,
  labelDays,
  overwritten,
  poolDays,
  youngSpends,
} from './chain.ts'
import { dayHashes } from './day-hashes.ts'
import { etf, funding, openInterest, priceOnchain, priceSources, prices, pricesHourly, treasuries } from './market.ts'
import {
  catalogue,
  cohorts,
  costBasis,
  cyclePerformance,
  cycles,
  metricHistory,
  metricTables,
  ownMetrics,
} from './metrics.ts'
import { etfRegistry, exchanges, pools, treasuryRegistry } from './registries.ts'

const byName = <const Of extends { readonly [Name in keyof Of]: { readonly name: Name } }>(all: Of): Of => all

export const tables = byName({
  blocks,
  days,
  pool_days: poolDays,
  address_days: addressDays,
  address_balances: addressBalances,
  label_days: labelDays,
  flows,
  young_spends: youngSpends,
  fine_flows: fineFlows,
  kinds,
  kind_flows: kindFlows,
  created_kinds: createdKinds,
  overwritten,
  day_hashes: dayHashes,
  cohorts,
  ...metricTables,
  own_metrics: ownMetrics,
  catalogue,
  metric_history: metricHistory,
  cost_basis: costBasis,
  cycles,
  cycle_performance: cyclePerformance,
  prices,
  price_onchain: priceOnchain,
  price_sources: priceSources,
  prices_hourly: pricesHourly,
  funding,
  open_interest: openInterest,
  etf,
  treasuries,
  pools,
  exchanges,
  etf_registry: etfRegistry,
  treasury_registry: treasuryRegistry,
})

export type TableName = keyof typeof tables

export const tableNames: readonly TableName[] = Object.values(tables).map(({ name }) => name)

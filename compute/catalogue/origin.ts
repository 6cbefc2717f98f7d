import type { ColumnName } from '#contract/tables/table.ts'
import type { tables } from '#contract/tables/tables.ts'
import type { AggregateFunds } from '#ingest/market/daily-etf.ts'
import type { AggregateFunding } from '#ingest/market/daily-funding.ts'
import type { AggregateOpenInterest } from '#ingest/market/daily-open-interest.ts'
import type { AggregateTreasuries } from '#ingest/market/daily-treasuries.ts'
import type { BaseMeasure, CreatedMeasure } from '../cohorts/base-measures.ts'
import type { coinAgeColumns } from '../cohorts/coin-ages.ts'
import type { densityName, lossName, profitName, quantileName } from '../cohorts/cost-distribution.ts'

/** Published tables with columns of metrics, some with a series per key. */
type Published =
  | 'days'
  | 'prices'
  | 'price_onchain'
  | 'cycle_performance'
  | 'funding'
  | 'open_interest'
  | 'etf'
  | 'treasuries'
  | 'pool_days'
  | 'address_days'
  | 'address_balances'
  | 'cost_basis'

/** Columns of metrics without a formula, by table. */
type OriginColumns = { readonly [Name in Published]: ColumnName<(typeof tables)[Name]> } & {
  /** Published only as metrics; these are internal names. */
  readonly cohorts: BaseMeasure | CreatedMeasure
  readonly coin_ages: (typeof coinAgeColumns)[number]
  readonly cost_distribution:
    | ReturnType<typeof quantileName | typeof densityName | typeof profitName | typeof lossName>
    | 'capitalized_price'
    | 'peak_regret'
  readonly funding_aggregate: keyof AggregateFunding
  readonly open_interest_aggregate: keyof AggregateOpenInterest
  readonly etf_aggregate: keyof AggregateFunds
  readonly treasuries_aggregate: keyof AggregateTreasuries
  readonly pool_aggregate: 'pools' | 'top_percent' | 'herfindahl' | 'unknown_percent'
}

export type OriginTable = keyof OriginColumns
export type OriginColumn<Name extends OriginTable> = OriginColumns[Name]

/** The column of a metric without a formula; `key` selects a series. */
export type Origin<Name extends OriginTable = OriginTable> = {
  readonly [Of in Name]: { readonly table: Of; readonly column: OriginColumns[Of]; readonly key?: string }
}[Name]

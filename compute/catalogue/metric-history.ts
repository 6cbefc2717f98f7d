import type { changeKinds } from '#contract/tables/metrics.ts'
import type { Formula } from '#sql/formula/parse.ts'
import { type BaseMeasure, costMeasures } from '../cohorts/base-measures.ts'
import type { Cohort, CohortId } from '../cohorts/cohorts.ts'
import { distribution } from './distribution.ts'
import { cohortMetricId, type MeasureId, measures } from './measures.ts'

/**
 * A change after version 0.1.0 of how metrics are defined, priced or named. New ones come last;
 * none is ever removed.
 */
export interface MetricChange {
  readonly date: string
  /** Version of the program that brought it. */
  readonly version: string
  readonly kind: (typeof changeKinds)[number]
  /**
   * Ids of metrics that changed; former ids if they no longer exist. Metrics computed from them
   * need not be named.
   */
  readonly metrics: readonly string[]
  /** Measures that changed for `cohorts` (default: every cohort by age). */
  readonly measures?: readonly MeasureId[]
  readonly cohorts?: readonly CohortId[]
  readonly change: string
  readonly reason: string
  readonly effect: string
}

const spentValues = ['spent_volume_usd', 'spent_volume_1h_usd'] as const satisfies readonly BaseMeasure[]

const ofCosts = [
  ...distribution.filter(({ from }) => from?.table === 'cost_distribution').map(({ id }) => id),
  ...['cost_basis_distribution', 'mean_dollar_age', 'utxos_in_profit', 'utxos_in_loss'],
]

const asVendors = 'The values of vendors and authors follow this definition.'
const unchanged = 'None: the values are the same.'

export const metricHistory: readonly MetricChange[] = [
  {
    ...{ date: '2026-11-21', version: '0.2.0', kind: 'definition', metrics: ['avg_funding_rate'] },
    change: 'Rates of Hyperliquid before 2023-06-08 count for eight hours, no longer for one.',
    reason: 'The exchange settled every eight hours until then.',
    effect:
      'The rate of Hyperliquid on these days is an eighth, after "coinstrata fetch hyperliquid --since 2023-05-12".',
  },
  {
    ...{ date: '2026-11-21', version: '0.2.0', kind: 'pricing', metrics: ['price', 'open', 'high', 'low', 'volume'] },
    change:
      'The price of a day is the median of its sources. If two sources differed by more than 3 %, the day was left out. Volume is the sum of the exchanges.',
    reason: 'A day left out emptied every moving average that included it, in some cases for years.',
    effect:
      'No day between the first price and the last is missing. A close differs by at most half of the disagreement of its sources, which the table prices has.',
  },
  {
    ...{ date: '2026-11-21', version: '0.2.0', kind: 'definition' },
    metrics: [
      ...['etf_total_btc_holdings', 'etf_total_aum_usd', 'etf_net_flow_btc', 'etf_net_flow_usd'],
      ...['etf_cumulative_flow_btc', 'etf_cumulative_money_flow'],
    ],
    change: 'Totals of all funds are null while the holdings of a fund that is already traded are not known.',
    reason: 'A total without one of the funds looked like an outflow.',
    effect: 'Fewer days with values; those that remain are the same.',
  },
  {
    ...{ date: '2026-11-21', version: '0.2.0', kind: 'pricing', metrics: ofCosts, measures: costMeasures },
    change:
      'If stored prices begin after the first market (2010-07-17), coins created in between have no known cost; they cost 0 before.',
    reason: 'Their cost of 0 lowered the realized cap and raised MVRV for years.',
    effect:
      'Null until these coins are at most a thousandth of the supply. None with the prices that "coinstrata fetch" gets.',
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'definition', metrics: ['bollinger_upper', 'bollinger_lower'] },
    change: 'Population deviation: std(price, 20) * sqrt(19 / 20) in place of std(price, 20).',
    reason: asVendors,
    effect: 'The bands are 2.5 % narrower.',
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'definition', metrics: ['mvrv_z'] },
    change: 'Begins a year after the first price.',
    reason: 'The deviation of the first days is so small that the maximum of all time was 46.5 on the second day.',
    effect: 'Only values of the first year are gone.',
  },
  {
    ...{
      date: '2026-11-22',
      version: '0.2.0',
      kind: 'definition',
      metrics: ['average_cap', 'transferred_price', 'cvdd'],
    },
    change:
      'Days are counted from October 2009 (trading_age_days), no longer from the first block. The variants …_since_genesis count as before.',
    reason: 'Their authors count from the first published exchange rate.',
    effect: 'Larger by 23 % in 2013 and by 4.6 % in 2026.',
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'definition', metrics: ['rhodl_ratio', 'rhodl_ratio_raw'] },
    change:
      'Coins of up to a week include those of the newest day, and the age of the market is counted from day 591 on, as Glassnode does; rhodl_ratio_brk is the former definition.',
    reason: asVendors,
    effect: 'The ratio differs by 13.5 % in the median and by up to 56 %.',
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'definition', metrics: ['coinyears_destroyed'] },
    change: 'Coin days of 365 days, no longer divided by 365.',
    reason: asVendors,
    effect: '365 times larger, in coin-days.',
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'definition', metrics: ['tx_count'] },
    change:
      'Without coinbase transactions; tx_count_with_coinbase has all. Means per transaction that already left them out (fee_mean, inputs_per_tx, transfer_volume_per_tx) and those of all transactions (outputs_per_tx, tx_size_mean) are as before.',
    reason: asVendors,
    effect: 'About 144 a day less; cumulative_tx_count and tx_per_second likewise.',
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'definition', metrics: ['difficulty_ribbon_mean'] },
    change: 'Eight lines instead of seven (difficulty_sma_9 is new), and the population deviation for the compression.',
    reason: asVendors,
    effect: 'difficulty_ribbon_compression differs by 8 % in the median and by up to 27 %.',
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'type' },
    metrics: [
      ...['difficulty', 'difficulty_sma_14', 'difficulty_sma_25', 'difficulty_sma_40', 'difficulty_sma_60'],
      ...['difficulty_sma_90', 'difficulty_sma_128', 'difficulty_sma_200', 'difficulty_ribbon_mean', 'hash_price'],
    ],
    change: 'The unit of difficulty is difficulty (it was ratio), that of hash_price USD per PH/s per day.',
    reason: 'A ratio has no unit, and a revenue is one per day.',
    effect: unchanged,
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'type' },
    metrics: [
      ...['size', 'weight', 'chain_size', 'tx_count', 'cumulative_tx_count', 'market_age_days', 'median_coin_age'],
      ...['blocks_to_halving', 'utxo_count_change_30d'],
    ],
    change: 'BIGINT in the metric tables, no longer DOUBLE; days_since_… too.',
    reason: 'Whole numbers are published as such.',
    effect: unchanged,
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'id' },
    ...{ metrics: [], measures: ['supply_in_profit_percent', 'supply_in_loss_percent'] },
    change: 'They were percent_supply_in_profit and percent_supply_in_loss.',
    reason: 'Ids of percentages have one form.',
    effect: unchanged,
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'id' },
    metrics: ['oi_delta_percent', 'dat_supply_percent', 'etf_dominance_percent'],
    change:
      'They were oi_delta_pct, dat_pct_of_supply and etf_dominance; dat_market_share_percent_… was dat_market_share_pct_….',
    reason: 'Ids of percentages have one form.',
    effect: unchanged,
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'id', metrics: [] },
    ...{ measures: measures.map(({ id }) => id), cohorts: ['24h', '10y_plus'] },
    change: 'The cohorts under_1d and over_10y are no longer published: they are 24h and 10y_plus.',
    reason: 'The same coins were published twice.',
    effect: unchanged,
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'definition' },
    ...{ metrics: [], measures: ['supply_percent', 'realized_cap_percent'] },
    change: '100 * (a / b) in place of 100 * a / b.',
    reason: 'A share of all coins exceeded 100 % by a rounding error.',
    effect: 'Only the last digit of a double.',
  },
  {
    ...{ date: '2026-11-22', version: '0.2.0', kind: 'pricing' },
    ...{ metrics: ofCosts, measures: [...costMeasures, ...spentValues] },
    change:
      'Coins and spends are valued at the price of the hour of their block where hourly prices are stored, by the close of the day elsewhere and with PRICING=daily. spent_volume_usd is a sum over spends, no longer spent_volume * price.',
    reason:
      'The price moves by 1.5 % within a day, and coins that were created and spent on one day had a SOPR of exactly 1.',
    effect:
      'If the price moves by 3 % on a day, SOPR changes by 0.7 %, realized profit and loss by a third to a half. Market cap, unrealized profit and loss and all else at the close of the day changed only by the cost of coins.',
  },
  {
    ...{ date: '2026-11-26', version: '0.2.0', kind: 'id' },
    metrics: [
      ...['close', 'transfer_volume', 'inputs', 'coinyears_destroyed', 'revived_supply_1y', 'revived_supply_2y'],
      ...['revived_supply_3y', 'revived_supply_5y', 'revived_supply_7y', 'revived_supply_10y'],
    ],
    change:
      'They are price, spent_volume, spent_outputs, coindays_destroyed_365d_sum, spent_volume_over_1y to spent_volume_over_7y, and spent_volume_10y_plus. asopr and spends after an hour, of cohorts whose coins are a day old, are sopr and all of their spends. The former ids continue to answer in the API.',
    reason: 'The same series was published twice.',
    effect: unchanged,
  },
  {
    ...{ date: '2026-11-26', version: '0.2.0', kind: 'definition' },
    metrics: [
      ...['bollinger_lower', 'mvrv_price_minus_1sd', 'inflation_rate_glassnode', 'reserve_risk', 'reserve_risk_365d'],
      ...['hodl_bank_expanding', 'reserve_risk_expanding'],
    ],
    change:
      'Null where a value cannot be: a price below 0, the inflation of 2009, a reserve risk while its HODL bank is not above 0, a median of fewer than 30 days.',
    reason: 'Inflation reached 7.5e109 in 2009, and bollinger_lower was below 0 in June 2011.',
    effect:
      'Fewer days with values. hodl_bank_expanding and reserve_risk_expanding begin 29 days later, which changes their sum; the others keep the values that remain.',
  },
  {
    ...{ date: '2026-11-26', version: '0.2.0', kind: 'definition', metrics: ['bollinger_width'] },
    change: 'Written without the lower band, so that it has values where that is null.',
    reason: 'bollinger_lower is null below 0.',
    effect: 'Only the last digits of a double.',
  },
  {
    ...{ date: '2026-11-26', version: '0.2.0', kind: 'definition' },
    ...{ metrics: [], measures: ['supply_in_profit_percent', 'supply_in_loss_percent'] },
    change: '100 * (a / b) in place of 100 * a / b.',
    reason: 'A share of all coins exceeded 100 % by a rounding error.',
    effect: 'Only the last digit of a double.',
  },
  {
    ...{ date: '2026-11-26', version: '0.2.0', kind: 'id' },
    metrics: [
      ...['lth_smooth_supply', 'lth_smooth_supply_change_30d', 'lth_smooth_supply_in_profit'],
      ...['lth_smooth_supply_in_loss', 'sth_smooth_supply', 'sth_smooth_supply_in_profit', 'sth_smooth_supply_in_loss'],
    ],
    change:
      "Glassnode's supply_lth_sum, supply_sth_sum and the others of supply_lth_… and supply_sth_… mean these; they meant lth_… and sth_….",
    reason: 'Glassnode weights coins around an age of 155 days by a smooth curve, as these metrics do.',
    effect: 'None on published values. A request by one of these names of Glassnode returns the other series.',
  },
  {
    ...{ date: '2026-11-26', version: '0.2.0', kind: 'id', metrics: ['mvrv_z_glassnode'] },
    change: 'No longer answers to market_mvrv_z_score.',
    reason: 'The deviation that Glassnode uses is not published, and both differ by 2.7 % in the median.',
    effect: 'None on published values.',
  },
  {
    ...{ date: '2026-11-26', version: '0.2.0', kind: 'definition', metrics: ['peak_regret'] },
    change: 'The peak is the highest close since a coin last moved, no longer the highest cost of the coins of a day.',
    reason:
      'Both are the same for daily prices. With hourly prices a close may exceed all costs, and regret was below 0.',
    effect:
      'None with PRICING=daily. Otherwise higher, by at most the distance of a close from the mean price of its day.',
  },
  {
    ...{ date: '2026-11-27', version: '0.2.0', kind: 'id', metrics: ['reused_addresses', 'supply_reused_addresses'] },
    change: 'Removed; operationally_exposed_addresses and supply_operationally_exposed_addresses take their place.',
    reason:
      'They counted addresses that show their key anyway (P2PK, P2TR), and not those whose key another address had shown. No release had them.',
    effect: 'The new metrics have an interval, so the coins are an estimate where they were null.',
  },
]

/** Ids with those of all metrics that are computed from them. */
export function withDependents(formulas: ReadonlyMap<string, Formula>, ids: Iterable<string>): Set<string> {
  const readers = new Map<string, string[]>()
  for (const [id, { references }] of formulas) {
    for (const reference of references.keys()) {
      const own = readers.get(reference)
      // Half of all metrics read the price: to copy its list for each of them would take most of
      // the time.
      if (own) own.push(id)
      else readers.set(reference, [id])
    }
  }
  const all = new Set(ids)
  // Iterating a set includes members that are added meanwhile.
  for (const id of all) for (const reader of readers.get(id) ?? []) all.add(reader)
  return all
}

/** Ids of the metrics that a change names, those of cohorts included. */
export const changedMetrics = (
  { metrics, measures: changed = [], cohorts: only }: Pick<MetricChange, 'metrics' | 'measures' | 'cohorts'>,
  cohorts: readonly Pick<Cohort, 'id' | 'kind'>[],
): string[] => [
  ...metrics,
  ...(only ?? cohorts.filter(({ kind }) => kind !== 'coins').map(({ id }) => id)).flatMap((cohort) =>
    changed.map((measure) => cohortMetricId(cohort, measure)),
  ),
]

/** As `changedMetrics`, with the metrics whose values follow. */
export function affectedMetrics(
  change: MetricChange,
  formulas: ReadonlyMap<string, Formula>,
  cohorts: readonly Pick<Cohort, 'id' | 'kind'>[],
): readonly string[] {
  const named = changedMetrics(change, cohorts)
  const followed = change.kind === 'definition' || change.kind === 'pricing'
  return [...(followed ? withDependents(formulas, named) : new Set(named))]
}

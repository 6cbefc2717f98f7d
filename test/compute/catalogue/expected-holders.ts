import { earlier, mean, soFar, sum, type Values, windows } from '#test/sql/formula/naive.ts'
import { average, by, each, less, over, running, times } from './rows.ts'

export interface HolderInputs {
  readonly price: Values
  readonly supply: Values
  readonly age: Values
  readonly volatility: Values
  readonly issued: Values
  /** Transactions without coinbases. */
  readonly payments: Values
  /** BTC that will ever be issued. */
  readonly maximum: number
  readonly measure: (measure: string, cohort?: string) => Values
}

const bands = '24h 1d_1w 1w_1m 1m_3m 3m_6m 6m_12m 1y_2y 2y_3y 3y_5y 5y_7y 7y_10y 10y_plus'.split(' ')

/** The metrics of supply and of coin days from replayed measures. */
export function expectedCoinDays({
  price,
  supply,
  age,
  issued,
  payments,
  maximum,
  measure,
}: HolderInputs): Record<string, Values> {
  const destroyed = measure('coindays_destroyed')
  const volume = measure('spent_volume')
  const adjusted = over(destroyed, supply)
  const dormancy = over(destroyed, volume)
  const liveliness = over(running(destroyed), running(supply))
  const vaulted = each((s, live) => s * (1 - live), supply, liveliness)
  const binary = each((value, usual) => Number(value > usual), adjusted, soFar(adjusted, mean))
  const vdd = by(destroyed, price)
  const within = (days: number): Values => windows(destroyed, days, sum)
  const net = less(supply, destroyed)
  const expected: Record<string, Values> = {
    issued_supply: issued,
    unspendable_supply: less(issued, supply),
    supply_remaining: each((coins) => maximum - coins, issued),
    supply_issued_percent: each((coins) => (100 * coins) / maximum, issued),
    lth_sth_supply_ratio: over(measure('supply', 'lth'), measure('supply', 'sth')),
    utxo_count_change_30d: less(measure('utxo_count'), earlier(measure('utxo_count'), 30)),
    utxo_mean_value: over(supply, measure('utxo_count')),
    transfer_volume_usd: by(volume, price),
    transfer_volume_per_tx: over(volume, payments),
    spent_output_mean_value: over(volume, measure('spent_outputs')),
    supply_adjusted_cyd: over(within(365), supply),
    spent_volume_under_1h: less(volume, measure('spent_volume_1h')),
    svab_under_1h: over(less(volume, measure('spent_volume_1h')), volume),
    svab_1h_24h: over(measure('spent_volume_1h', '24h'), volume),
    cdd_90d_age_adjusted: over(within(90), age),
    coinyears_destroyed_age_adjusted: over(within(365), age),
    supply_adjusted_cdd: adjusted,
    binary_cdd: binary,
    binary_cdd_365d: each((value, usual) => Number(value > usual), adjusted, average(adjusted, 365)),
    binary_cdd_7d_sma: average(binary, 7),
    binary_cdd_30d_sma: average(binary, 30),
    dormancy_90d: over(within(90), windows(volume, 90, sum)),
    supply_adjusted_dormancy: over(dormancy, supply),
    dormancy_flow: over(by(price, supply), average(by(dormancy, price), 365)),
    dormancy_flow_coins: over(supply, average(dormancy, 365)),
    vdd,
    vdd_multiple: over(average(vdd, 30), average(vdd, 365)),
    vdd_multiple_glassnode: each(
      (ratio, coins) => (ratio * coins) / 21e6,
      over(average(vdd, 30), average(vdd, 365)),
      supply,
    ),
    coindays_created: supply,
    net_coindays: net,
    coindays_accumulated: running(net),
    liveliness,
    vaultedness: each((live) => 1 - live, liveliness),
    activity_to_vaultedness: each((live) => live / (1 - live), liveliness),
    liveliness_change_30d: less(liveliness, earlier(liveliness, 30)),
    active_supply: by(supply, liveliness),
    vaulted_supply: vaulted,
    hodler_net_position_change: less(vaulted, earlier(vaulted, 30)),
  }
  for (const days of [7, 30, 90, 365]) expected[`coindays_destroyed_${days}d_sum`] = within(days)
  for (const band of bands) {
    expected[`svab_${band}`] = over(measure('spent_volume', band), volume)
    expected[`soab_${band}`] = over(measure('spent_outputs', band), measure('spent_outputs'))
  }
  return expected
}

/** The metrics of profit and loss from replayed measures. */
export function expectedProfit({ price, supply, volatility, measure }: HolderInputs): Record<string, Values> {
  const profit = measure('realized_profit')
  const loss = measure('realized_loss')
  const net = less(profit, loss)
  const within = (series: Values, days: number): Values => windows(series, days, sum)
  const expected: Record<string, Values> = {
    supply_at_cost: each(
      (s, up, down) => s - up - down,
      supply,
      measure('supply_in_profit'),
      measure('supply_in_loss'),
    ),
    supply_in_profit_to_loss: over(measure('supply_in_profit'), measure('supply_in_loss')),
    ...Object.fromEntries(
      ['sth', 'lth'].flatMap((cohort) => {
        const [up, down] = [measure('supply_in_profit', cohort), measure('supply_in_loss', cohort)]
        return [
          [`${cohort}_supply_in_profit_to_loss`, over(up, down)],
          [`supply_percent_${cohort}_in_profit`, times(over(up, supply), 100)],
          [`supply_percent_${cohort}_in_loss`, times(over(down, supply), 100)],
        ]
      }),
    ),
    spent_volume_in_profit_percent: times(over(measure('spent_volume_in_profit'), measure('spent_volume')), 100),
    sopr_ratio: over(measure('sopr', 'lth'), measure('sopr', 'sth')),
    rpv_ratio: over(profit, measure('realized_cap')),
    seller_exhaustion: each(
      (up, s, percent) => ((up / s) * percent) / 100,
      measure('supply_in_profit'),
      supply,
      volatility,
    ),
    realized_pl_ratio_30d: over(within(profit, 30), within(loss, 30)),
    realized_pl_30d_to_market_cap: over(within(net, 30), by(price, supply)),
    cumulative_realized_pl_to_realized_cap: over(running(net), measure('realized_cap')),
  }
  for (const [id, series] of Object.entries({ realized_profit: profit, realized_loss: loss, realized_pl: net })) {
    expected[`cumulative_${id}`] = running(series)
    for (const days of [7, 30]) expected[`${id}_${days}d_sum`] = within(series, days)
  }
  const ratios = {
    sopr: measure('sopr'),
    asopr: measure('asopr'),
    lth_sopr: measure('sopr', 'lth'),
    sth_sopr: measure('sopr', 'sth'),
  }
  for (const [id, series] of Object.entries(ratios)) {
    for (const days of [7, 30]) expected[`${id}_${days}d_sma`] = average(series, days)
  }
  return expected
}

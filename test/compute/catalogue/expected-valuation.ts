import { earlier, mean, median, soFar, std, sum, type Values, windows, zscore } from '#test/sql/formula/naive.ts'
import { average, by, each, less, over, running, times } from './rows.ts'

export interface ValuationInputs {
  readonly price: Values
  readonly supply: Values
  readonly age: Values
  readonly issuance: Values
  readonly revenue: Values
  readonly work: Values
  /** In USD and BTC, change taken off. */
  readonly adjusted: readonly [usd: Values, btc: Values]
  /** A measure of a cohort. */
  readonly measure: (measure: string, cohort?: string) => Values
}

const positive = (value: number | null): number | null => (value !== null && value > 0 ? value : null)

/** The valuation metrics from replayed measures. */
export function expectedValuation(inputs: ValuationInputs): Record<string, Values> {
  const { price, supply, age, issuance, revenue, measure } = inputs
  const marketCap = by(price, supply)
  const realizedCap = measure('realized_cap')
  const realizedPrice = over(realizedCap, supply)
  const mvrv = over(marketCap, realizedCap)
  const gap = less(marketCap, realizedCap)
  const thermoCap = running(by(issuance, price))
  const unpriced = issuance.reduce<number>((sum, coins, day) => sum + (price[day] == null ? (coins ?? 0) : 0), 0)
  const thermoGlassnode = each((cap) => cap + 0.04951 * unpriced, thermoCap)
  const trading = each((days) => (days > 275 ? days - 275 : Number.NaN), age)
  const averageCap = over(running(marketCap), trading)
  const averageSinceGenesis = over(running(marketCap), age)
  const deltaCap = less(realizedCap, averageCap)
  const destroyed = measure('coindays_destroyed')
  const valueDestroyed = running(by(destroyed, price))
  const sinceTrade = each((days) => days - 2, trading)
  const transferred = over(valueDestroyed, by(supply, sinceTrade))
  const liveliness = over(running(destroyed), running(supply))
  const investorCap = less(realizedCap, thermoCap)
  const trueMean = over(investorCap, by(supply, liveliness))
  const transfers = by(measure('spent_volume'), price)
  const nvt = over(marketCap, transfers)
  const stockToFlow = over(supply, windows(issuance, 365, sum))
  const modelPrice = each((ratio) => ratio ** 3.36 / Math.exp(1.84), stockToFlow)
  const young = measure('realized_cap', '1d_1w')
  const youngest = each((day, week) => day + week, measure('realized_cap', '24h'), young)
  const aged = measure('realized_cap', '1y_2y')
  const slrv = over(measure('realized_cap', '24h'), measure('realized_cap', '6m_12m'))
  const cointime = over(valueDestroyed, running(less(supply, destroyed)))
  const vocdd = over(by(price, destroyed), supply)
  const issuanceUsd = by(issuance, price)
  const expected: Record<string, Values> = {
    mvrv_z: over(gap, soFar(marketCap, std)).map((score, day) => (price[day - 365] == null ? null : score)),
    mvrv_z_glassnode: over(
      gap,
      soFar(
        marketCap.map((value) => value ?? 0),
        std,
      ),
    ),
    mvrv_z_2y: over(gap, windows(marketCap, 730, std)),
    mvrv_momentum: over(mvrv, average(mvrv, 365)),
    lth_sth_mvrv_ratio: over(measure('mvrv', 'lth'), measure('mvrv', 'sth')),
    realized_cap_change_30d: less(realizedCap, earlier(realizedCap, 30)),
    realized_cap_change_30d_percent: each(
      (now, before) => 100 * (now / before - 1),
      realizedCap,
      earlier(realizedCap, 30),
    ),
    thermo_cap: thermoCap,
    thermo_cap_with_fees: running(by(revenue, price)),
    thermo_cap_glassnode: thermoGlassnode,
    mc_tc_ratio_glassnode: over(price, thermoGlassnode),
    velocity_glassnode: over(measure('spent_volume'), supply),
    thermo_price: over(thermoCap, supply),
    mc_tc_ratio: over(marketCap, thermoCap),
    average_cap: averageCap,
    average_cap_since_genesis: averageSinceGenesis,
    average_price: over(averageCap, supply),
    delta_cap: deltaCap,
    delta_price: over(deltaCap, supply),
    top_cap: times(averageCap, 35),
    top_cap_since_genesis: times(averageSinceGenesis, 35),
    top_price: times(over(averageCap, supply), 35),
    delta_top: times(over(deltaCap, supply), 7),
    transferred_price: transferred,
    balanced_price: less(realizedPrice, transferred),
    terminal_price: times(transferred, 21),
    transferred_price_since_genesis: over(valueDestroyed, by(supply, age)),
    cvdd: each((value, days) => value / days / 6e6, valueDestroyed, sinceTrade),
    cvdd_since_genesis: each((value, days) => value / days / 6e6, valueDestroyed, age),
    investor_cap: investorCap,
    true_market_mean: trueMean,
    aviv: over(price, trueMean),
    vaulted_price: each((cost, live) => cost / (1 - live), realizedPrice, liveliness),
    active_price: over(realizedPrice, liveliness),
    cointime_price: cointime,
    cointime_cap: by(cointime, supply),
    mayer_multiple: over(price, average(price, 200)),
    nvt,
    nvt_signal: over(marketCap, average(transfers, 90)),
    nvt_adjusted: over(marketCap, inputs.adjusted[0]),
    nvt_signal_adjusted: over(marketCap, average(inputs.adjusted[0], 90)),
    rvt_adjusted: over(realizedCap, inputs.adjusted[0]),
    velocity_adjusted: over(windows(inputs.adjusted[1], 365, sum), supply),
    nvt_golden_cross: over(less(average(nvt, 10), average(nvt, 30)), windows(nvt, 30, std)),
    nvt_price: over(by(windows(nvt, 730, median), transfers), supply),
    rvt: over(realizedCap, transfers),
    velocity: over(windows(measure('spent_volume'), 365, sum), supply),
    puell_multiple: over(issuanceUsd, average(issuanceUsd, 365)),
    stock_to_flow: stockToFlow,
    stock_to_flow_checkonchain: each((coins, all) => all / coins / 365, issuance, supply),
    stock_to_flow_price: modelPrice,
    stock_to_flow_deflection: over(price, modelPrice),
    rhodl_ratio: each((ratio, days) => (days > 591 ? ratio * (days - 591) : Number.NaN), over(youngest, aged), age),
    rhodl_ratio_raw: over(youngest, aged),
    rhodl_ratio_brk: over(young, aged),
    slrv_ratio: slrv,
    slrv_ribbon_short: average(slrv, 30),
    slrv_ribbon_long: average(slrv, 150),
    vocdd,
    bitcoin_yardstick: windows(
      over(
        marketCap,
        windows(inputs.work, 30, (values) => sum(values) / 30 / 86_400),
      ),
      730,
      zscore,
    ),
    realized_price_x0_8: times(realizedPrice, 0.8),
    realized_price_x2_4: times(realizedPrice, 2.4),
    realized_price_x3_2: times(realizedPrice, 3.2),
    mvrv_price_minus_1sd: by(realizedPrice, less(soFar(mvrv, mean), soFar(mvrv, std))).map(positive),
    mvrv_price_plus_1sd: by(
      realizedPrice,
      each((a, b) => a + b, soFar(mvrv, mean), soFar(mvrv, std)),
    ),
  }
  const usual = {
    '': windows(vocdd, 30, median),
    _365d: windows(vocdd, 365, median),
    _expanding: soFar(vocdd, median).map((value, day) => (vocdd[day - 29] == null ? null : value)),
  }
  for (const [suffix, value] of Object.entries(usual)) {
    const bank = running(less(price, value))
    expected[`hodl_bank${suffix}`] = bank
    expected[`reserve_risk${suffix}`] = over(price, bank.map(positive))
  }
  return expected
}

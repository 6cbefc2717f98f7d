import {
  earlier,
  mean,
  rowsSince,
  rsi,
  smoothed,
  soFar,
  std,
  sum,
  type Values,
  windows,
} from '#test/sql/formula/naive.ts'
import { average, each, times } from './rows.ts'

export interface MarketInputs {
  readonly price: Values
  readonly open: Values
  readonly high: Values
  readonly low: Values
  readonly volume: Values
  readonly supply: Values
  readonly age: Values
}

/** The market metrics, worked out from prices by other code than that of the formula language. */
export function expectedMarket({ price, open, high, low, volume, supply, age }: MarketInputs): Record<string, Values> {
  const change = (days: number): Values => each((now, before) => (now - before) / before, price, earlier(price, days))
  const ema = (series: Values, n: number): Values =>
    smoothed(series, n, (before, value) => (2 * value + (n - 1) * before) / (n + 1))
  const marketCap = each((p, s) => p * s, price, supply)
  const ath = soFar(high, (values) => values.reduce((most, value) => Math.max(most, value)))
  const highest = soFar(price, (values) => values.reduce((most, value) => Math.max(most, value)))
  const most = (days: number): Values => windows(high, days, (values) => Math.max(...values))
  const least = (days: number): Values => windows(low, days, (values) => Math.min(...values))
  const logReturns = each((now, before) => Math.log(now) - Math.log(before), price, earlier(price, 1))
  const daily = change(1)
  const macd = each((fast, slow) => fast - slow, ema(price, 12), ema(price, 26))
  const signal = ema(macd, 9)
  const spread = windows(price, 20, (values) => {
    const center = mean(values)
    return Math.sqrt(mean(values.map((value) => (value - center) ** 2)))
  })
  const mean20 = average(price, 20)
  const geometric = windows(price, 200, (values) => values.reduce((product, value) => product * value ** (1 / 200), 1))
  const growth = each((days) => (days - 1) ** 5.84 / 10 ** 17.01, age).map((value) => (value === 0 ? null : value))
  const rainbow = each((days) => Math.exp(Math.LN10 * (2.66167155005961 * Math.log(days - 6) - 17.9183761889864)), age)
  const edges = Array.from({ length: 10 }, (_, i) => times(rainbow, (27 / 20) ** (i - 4)))
  const powerLaw = each((days) => days ** 5.71 / Math.exp(38.16), age)
  const expected: Record<string, Values> = {
    price,
    open,
    high,
    low,
    volume,
    market_age_days: age,
    trading_age_days: each((days) => (days > 275 ? days - 275 : Number.NaN), age),
    realized_vol_1m_coin_metrics: windows(logReturns, 30, std),
    realized_vol_6m_coin_metrics: windows(logReturns, 180, std),
    market_cap: marketCap,
    volume_to_market_cap: each((v, cap) => v / cap, volume, marketCap),
    sats_per_dollar: each((p) => 1e8 / p, price),
    ath,
    drawdown: each((p, top) => (p - top) / top, price, highest),
    drawdown_from_high: each((p, top) => (p - top) / top, price, ath),
    days_since_ath: rowsSince(each((h, top) => Number(h === top), high, ath)),
    high_1y: most(365),
    low_1y: least(365),
    price_sma_730_x5: times(average(price, 730), 5),
    pi_cycle_ratio: each((fast, slow) => fast / (2 * slow), average(price, 111), average(price, 350)),
    pi_cycle_bottom_ratio: each((fast, slow) => fast / slow / 0.745, ema(price, 150), average(price, 471)),
    golden_cross_ratio: each((fast, slow) => fast / slow, average(price, 50), average(price, 200)),
    price_to_sma_1400: each((p, slow) => p / slow, price, average(price, 1400)),
    price_sma_1400_change_30d_percent: each(
      (now, before) => (100 * (now - before)) / before,
      average(price, 1400),
      earlier(average(price, 1400), 30),
    ),
    stochastic_14: each((p, top, bottom) => (100 * (p - bottom)) / (top - bottom), price, most(14), least(14)),
    macd,
    macd_signal: signal,
    macd_histogram: each((a, b) => a - b, macd, signal),
    bollinger_upper: each((center, deviation) => center + 2 * deviation, mean20, spread),
    bollinger_lower: each((center, deviation) => center - 2 * deviation, mean20, spread),
    bollinger_width: each((center, deviation) => (4 * deviation) / center, mean20, spread),
    price_geometric_mean_200: geometric,
    ahr999_growth_price: growth,
    ahr999: each((p, cost, fair) => (p / cost) * (p / fair), price, geometric, growth),
    ...Object.fromEntries(edges.map((edge, i) => [`rainbow_price_${i + 1}`, edge.map((v) => (v === 0 ? null : v))])),
    rainbow_band: each((p, ...all) => all.filter((edge) => p >= edge).length, price, ...edges),
    power_law_price: powerLaw,
    power_law_ratio: each((p, law) => p / law, price, powerLaw),
  }
  for (const days of [1, 7, 14, 30, 60, 90, 180, 365, 730, 1095, 1460]) expected[`return_${days}d`] = change(days)
  for (const years of [2, 4, 8]) {
    expected[`cagr_${years}y`] = each((gain) => Math.exp(Math.log1p(gain) / years) - 1, change(365 * years))
  }
  for (const [span, days] of Object.entries({ '1w': 7, '2w': 14, '1m': 30, '3m': 90, '6m': 180, '1y': 365 })) {
    expected[`realized_vol_${span}`] = each(
      (deviation) => 100 * deviation * Math.sqrt(365),
      windows(logReturns, days, std),
    )
  }
  for (const days of [30, 90, 365]) {
    expected[`sharpe_${days}d`] = windows(daily, days, (values) => (mean(values) / (std(values) ?? 0)) * Math.sqrt(365))
    expected[`sortino_${days}d`] = windows(daily, days, (values) => {
      const losses = values.filter((value) => value < 0).map((value) => value * value)
      return (mean(values) / Math.sqrt(sum(losses) / days)) * Math.sqrt(365)
    })
  }
  for (const days of [7, 14, 20, 21, 30, 50, 100, 111, 128, 140, 200, 350, 365, 471, 730, 1400]) {
    expected[`price_sma_${days}`] = average(price, days)
  }
  for (const days of [7, 12, 14, 20, 21, 26, 30, 50, 100, 147, 150, 200, 365, 730, 1400]) {
    expected[`price_ema_${days}`] = ema(price, days)
  }
  for (const [id, factor] of Object.entries({ '1_6': 1.6, 2: 2, 3: 3, 5: 5, 8: 8, 13: 13, 21: 21 })) {
    expected[`price_sma_350_x${id}`] = times(average(price, 350), factor)
  }
  for (const days of [7, 14, 30]) expected[`rsi_${days}`] = rsi(price, days)
  for (const years of [1, 2, 4]) {
    const days = 365 * years
    const cost = windows(price, days, (values) => days / sum(values.map((value) => 1 / value)))
    expected[`dca_price_${years}y`] = cost
    expected[`dca_return_${years}y`] = each((p, paid) => (p - paid) / paid, price, cost)
  }
  for (const year of [2011, 2012, 2013]) {
    const start = (Date.UTC(year, 0, 1) - Date.UTC(2009, 0, 3)) / 86_400_000
    const since = (value: (values: number[], now: number) => number): Values =>
      price.map((now, row) => (row < start ? null : value(price.slice(start, row + 1).map(Number), Number(now))))
    const cost = (values: number[]): number => values.length / sum(values.map((value) => 1 / value))
    expected[`return_since_${year}`] = since(([first], now) => (now - first!) / first!)
    expected[`dca_price_since_${year}`] = since(cost)
    expected[`dca_return_since_${year}`] = since((values, now) => (now - cost(values)) / cost(values))
  }
  return expected
}

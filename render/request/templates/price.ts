import type { RequestedAxis } from '../request.ts'
import type { ChartTemplate } from '../template.ts'
import { blue, grey, orange, red, teal, zoneColors } from './colors.ts'
import {
  belowPrice,
  extremes,
  formula,
  fromThirdYear,
  gainsAndLosses,
  level,
  lines,
  overPrice,
  thinBlue,
  zone,
} from './parts.ts'

/**
 * Power law shifted by standard deviations of the price from it so far; from the third year of
 * prices on.
 */
const spread = (deviations: number): string => {
  const distance = 'log(price / power_law_price)'
  return `if(shift(price, 730) > 0, power_law_price * exp(cummean(${distance}) + ${deviations} * cumstd(${distance})), 0)`
}

/** Ratio in standard deviations from its mean so far. */
const valueScore = (id: string, label: string, color: string) =>
  formula(`sma(zscore(log(${id})), 30)`, label, '', { y_axis_id: 'score', line_width: 1, color })

/** A linear axis would flatten the price below multiples of a mean. */
const logPrice: RequestedAxis[] = [{ id: 'right', side: 'right', scale: 'log' }]

export const priceTemplates = {
  price: {
    title: 'Bitcoin price',
    subtitle: 'Closing price of each day in US dollars; on the log axis, equal distances are equal percentages.',
    metrics: ['price'],
    halvings: true,
  },
  price_candles: {
    title: 'Bitcoin price, daily candles',
    subtitle: 'The body runs from open to close, the wick from low to high; blue days rose, orange days fell.',
    metrics: [{ id: 'price', style: 'candle' }],
    days: 120,
  },
  price_candles_weekly: {
    title: 'Bitcoin price, weekly candles',
    subtitle:
      'The body runs from a week’s open to its close, the wick from low to high; blue weeks rose, orange ones fell.',
    metrics: [{ id: 'price', style: 'candle' }],
    range: '4y',
    interval: 'week',
    halvings: true,
  },
  monthly_returns: {
    title: 'Return by month and year',
    subtitle:
      'Seasonality: price change of each month in percent, and of the year at the right; blue rose, orange fell.',
    calendar: { metric: 'price' },
  },
  normalized_valuation: {
    title: 'Four measures of value on one scale',
    subtitle: 'Standard deviations from the mean of all days so far, 30-day means; high when bitcoin is expensive.',
    formulas: [
      valueScore('mvrv', 'MVRV', orange),
      valueScore('mayer_multiple', 'Mayer multiple', zoneColors.cool),
      valueScore('reserve_risk', 'Reserve risk', red),
      valueScore('power_law_ratio', 'Power law', zoneColors.neutral),
      formula('(f1 + f2 + f3 + f4) / 4', 'Mean of four', '', { y_axis_id: 'score', color: blue, line_width: 3 }),
    ],
    y_axes: [{ id: 'score', side: 'left', title: 'Standard deviations' }],
    ...fromThirdYear,
    reference_areas: extremes(1, -1, 'Dear', 'Cheap'),
    labels: 'direct',
  },
  price_events: {
    title: 'Bitcoin price and what happened',
    subtitle: 'Closing price with halvings, failures and new markets; many tops and lows are close to one of them.',
    metrics: ['price'],
    halvings: true,
    events: true,
  },
  price_volume: {
    title: 'Bitcoin price and trading volume',
    subtitle: 'Volume rises at tops and in panics; when the price rises on falling volume, fewer buyers are behind it.',
    metrics: [
      { id: 'price', y_axis_id: 'upper' },
      { id: 'volume', label: 'Volume', y_axis_id: 'lower', style: 'bar' },
    ],
    y_axes: belowPrice(28),
    range: '1y',
  },
  drawdown: {
    title: 'Drawdown from the highest close',
    subtitle: 'How far the price is below its highest close so far; earlier cycles fell by three quarters or more.',
    ...overPrice(
      { drawdown: 'Drawdown' },
      { style: 'area', yAxis: { id: 'drawdown', side: 'left', format: 'percent', no_padding: 'top' } },
    ),
  },
  returns: {
    title: 'Price over that of a year earlier',
    subtitle: 'At 2 the price has doubled in a year; above 1, those who bought a year ago are in profit.',
    formulas: [formula('1 + return_365d', 'Multiple', 'ratio', { y_axis_id: 'multiple' })],
    y_axes: [{ id: 'multiple', side: 'left', scale: 'log' }],
    overlay: 'price',
    reference_lines: [level(1, 'No change')],
  },
  growth_rate: {
    title: 'Annual growth over two, four and eight years',
    subtitle: 'Factor of growth a year, 2 where the price has doubled each year; it has come down with every cycle.',
    formulas: [2, 4, 8].map((years) => formula(`1 + cagr_${years}y`, `${years} years`, 'ratio')),
    scale: 'log',
    labels: 'direct',
    reference_lines: [level(1, 'No growth')],
  },
  moving_averages: {
    title: 'Price and its long moving averages',
    subtitle: 'Above the 200-day mean, the market trends upwards; the 200-week mean has marked most lows.',
    metrics: ['price'],
    formulas: Object.entries({ 50: '50 days', 200: '200 days', 1400: '200 weeks' }).map(([days, label]) =>
      formula(`sma(m1, ${days})`, label, 'USD', { line_width: 1.3 }),
    ),
    range: '4y',
    labels: 'direct',
  },
  golden_cross: {
    title: 'Golden and death cross',
    subtitle:
      'The 50-day mean crosses above the 200-day mean (golden cross) or below it (death cross); both come late.',
    metrics: [{ id: 'price', line_width: 1 }, ...lines({ price_sma_50: '50-day mean', price_sma_200: '200-day mean' })],
    crossings: [{ line: 'price_sma_50', crosses: 'price_sma_200', up: 'Golden cross', down: 'Death cross' }],
    range: '4y',
    labels: 'direct',
  },
  average_200_weeks: {
    title: '200-week average',
    subtitle: 'The mean price of 200 weeks has hardly ever fallen; bright where it rose by 10 % or more in 30 days.',
    metrics: [
      { id: 'price', line_width: 2.5, color_by: 'price_sma_1400_change_30d_percent', color_scale: 'plasma' },
      { id: 'price_sma_1400', label: '200-week mean', color: blue },
    ],
    y_axes: logPrice,
    start_date: '2014-06-01',
  },
  pi_cycle: {
    title: 'Pi cycle top',
    subtitle: 'When the 111-day mean rose above twice the 350-day mean, the tops of 2013, 2017 and 2021 were near.',
    metrics: [
      { id: 'price', line_width: 1 },
      ...lines({ price_sma_111: '111-day mean', price_sma_350_x2: '2 × 350-day mean' }),
    ],
    crossings: [{ line: 'price_sma_111', crosses: 'price_sma_350_x2', up: 'Top' }],
    y_axes: logPrice,
    ...fromThirdYear,
    labels: 'direct',
  },
  investor_tool: {
    title: 'Two-year average and five times it',
    subtitle: 'In every cycle so far, prices were low below the two-year mean and high above five times that mean.',
    metrics: [
      'price',
      { id: 'price_sma_730', label: '2-year mean', color: blue },
      { id: 'price_sma_730_x5', label: '5 × the mean', color: red },
    ],
    y_axes: logPrice,
    ...fromThirdYear,
    labels: 'direct',
  },
  golden_ratio_multiplier: {
    title: 'Golden ratio multiplier',
    subtitle: 'Multiples of the 350-day mean; each cycle topped at a lower multiple than the one before.',
    metrics: [
      'price',
      { id: 'price_sma_350', label: '350-day mean', color: grey },
      ...(['undervalued', 'cool', 'neutral', 'warm', 'overheated'] as const).map((meaning, i) => ({
        id: `price_sma_350_x${['1_6', '2', '3', '5', '8'][i]}`,
        label: `× ${['1.6', '2', '3', '5', '8'][i]}`,
        color: zoneColors[meaning],
      })),
    ],
    y_axes: logPrice,
    ...fromThirdYear,
    labels: 'direct',
  },
  power_law: {
    title: 'Price and its power law',
    subtitle:
      'A straight line through age and price on log scales, fitted to all days so far; far above it, prices were high.',
    metrics: ['price', { id: 'power_law_price', label: 'Power law' }],
    y_axes: [{ id: 'right', side: 'right', scale: 'log' }],
    start_date: '2010-07-18',
    labels: 'direct',
    halvings: true,
  },
  quantile_bands: {
    title: 'Price in the quantile bands of its power law',
    subtitle:
      'Bands that would hold 10, 20, 40, 20 and 10 % of days if deviations were normal; blue is low, red is high.',
    metrics: [{ id: 'price', line_width: 1.8 }],
    y_axes: logPrice,
    start_date: '2012-07-18',
    reference_areas: [
      zone(undefined, spread(-1.28), 'undervalued', 'Lowest 10 %'),
      zone(spread(-1.28), spread(-0.52), 'cool', 'Low', { fill_opacity: 0.35 }),
      zone(spread(-0.52), spread(0.52), 'neutral', 'Middle', { fill_opacity: 0.3 }),
      zone(spread(0.52), spread(1.28), 'warm', 'High', { fill_opacity: 0.35 }),
      zone(spread(1.28), undefined, 'overheated', 'Highest 10 %'),
    ],
  },
  bollinger_bands: {
    title: 'Bollinger bands',
    subtitle: 'The 20-day mean and two standard deviations around it; narrow bands come before large moves.',
    metrics: [
      'price',
      ...lines({ price_sma_20: '20-day mean', bollinger_upper: 'Upper band', bollinger_lower: 'Lower band' }, thinBlue),
    ],
    reference_areas: [zone('bollinger_lower', 'bollinger_upper', 'undervalued')],
    range: '1y',
  },
  rsi: {
    title: 'Relative strength index (RSI), 14 days',
    subtitle: 'Strength of rises against falls, from 0 to 100; above 70 the market is overbought, below 30 oversold.',
    metrics: [
      { id: 'rsi_14', label: 'RSI', y_axis_id: 'lower' },
      { id: 'price', y_axis_id: 'upper' },
    ],
    y_axes: belowPrice(44, { domain_min: 0, domain_max: 100 }),
    reference_areas: [zone(70, 100, 'overheated', 'Overbought'), zone(0, 30, 'undervalued', 'Oversold')],
    range: '1y',
  },
  macd: {
    title: 'MACD',
    subtitle: 'The 12-day mean minus the 26-day mean; above its signal line, momentum turns upwards.',
    metrics: [
      ...lines({ macd: 'MACD', macd_signal: 'Signal' }, { y_axis_id: 'lower' }),
      { id: 'macd_histogram', label: 'Difference', y_axis_id: 'lower', ...gainsAndLosses, opacity: 0.6 },
      { id: 'price', y_axis_id: 'upper' },
    ],
    y_axes: belowPrice(44, { title: 'MACD (USD)' }),
    range: '1y',
  },
  mayer_multiple: {
    title: 'Mayer multiple',
    subtitle: 'Price divided by its 200-day mean; in earlier cycles, buyers were late above 2.4 and early below 0.8.',
    ...overPrice({ mayer_multiple: 'Mayer multiple' }, { yAxis: { id: 'multiple', side: 'left', scale: 'log' } }),
    ...fromThirdYear,
    reference_lines: [level(1, '200-day mean')],
    reference_areas: extremes(2.4, 0.8),
  },
  realized_volatility: {
    title: 'Realized volatility',
    subtitle: 'Spread of daily returns, annualized; quiet periods have come before large moves in either direction.',
    metrics: [
      { id: 'realized_vol_1m', label: '1 month', line_width: 0.8, color: teal },
      { id: 'realized_vol_3m', label: '3 months' },
      { id: 'realized_vol_1y', label: '1 year' },
    ],
    range: '4y',
    labels: 'direct',
  },
  sharpe_ratio: {
    title: 'Return for the risk taken: one-year Sharpe ratio',
    subtitle:
      'Mean daily return divided by its spread, annualized; above 1 the year paid for its swings, below 0 it lost.',
    ...overPrice({ sharpe_365d: 'Sharpe ratio' }),
    reference_lines: [level(0, 'No return')],
  },
  dca: {
    title: 'Cost of buying every day',
    subtitle:
      'Average cost for those who bought for one dollar every day; they are in profit while the price is above it.',
    metrics: ['price', ...lines({ dca_price_1y: '1 year', dca_price_2y: '2 years', dca_price_4y: '4 years' })],
    range: '4y',
    labels: 'direct',
  },
  sats_per_dollar: {
    title: 'Satoshis per dollar',
    subtitle: 'The inverse of the price: how much a dollar buys; it falls as bitcoin rises.',
    metrics: [{ id: 'sats_per_dollar', label: 'Satoshis' }],
    scale: 'log',
    halvings: true,
  },
  market_cap: {
    title: 'Market cap and realized cap',
    subtitle:
      'All coins at today’s price, and at the price of their last move; while the first is lower, holders are at a loss.',
    metrics: lines({ market_cap: 'Market cap', realized_cap: 'Realized cap' }, { style: 'line' }),
    scale: 'log',
    labels: 'direct',
    halvings: true,
  },
} satisfies Record<string, ChartTemplate>

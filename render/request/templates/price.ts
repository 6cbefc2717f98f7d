import type { ChartTemplate } from '../template.ts'
import { blue, grey, orange, red, sand, teal } from './colors.ts'
import { belowPrice, formula, gainsAndLosses, level, lines, overPrice, zone } from './parts.ts'

/** The power law shifted by standard deviations of the price from it so far; from the third year of prices on. */
const spread = (deviations: number): string => {
  const distance = 'log(price / power_law_price)'
  return `if(shift(price, 730) > 0, power_law_price * exp(cummean(${distance}) + ${deviations} * cumstd(${distance})), 0)`
}

/** A ratio in standard deviations from its mean so far. */
const valueScore = (id: string, label: string) =>
  formula(`sma(zscore(log(${id})), 30)`, label, '', { axisId: 'score', lineWidth: 1, opacity: 0.45 })

/** For multiples of a mean, with which a linear axis would flatten the price at the bottom. */
const logPrice = [{ id: 'right', side: 'right', scale: 'log' }] as const

export const priceTemplates = {
  price: {
    title: 'Bitcoin price',
    subtitle: 'Closing price of each day in US dollars; on the log axis, equal distances are equal percentages.',
    metrics: [{ id: 'price' }],
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
    subtitle: 'Change in price over each month, and over the year at the right; blue rose, orange fell.',
    metrics: [{ id: 'price' }],
    byMonth: true,
  },
  normalized_valuation: {
    title: 'Four measures of value on one scale',
    subtitle: 'Standard deviations from the mean of all days so far, 30-day means; high when bitcoin is expensive.',
    metrics: [],
    formulas: [
      valueScore('mvrv', 'MVRV'),
      valueScore('mayer_multiple', 'Mayer multiple'),
      valueScore('reserve_risk', 'Reserve risk'),
      valueScore('power_law_ratio', 'Power law'),
      formula('(f1 + f2 + f3 + f4) / 4', 'Mean of four', '', { axisId: 'score', color: grey, lineWidth: 3 }),
    ],
    axes: [{ id: 'score', side: 'left', title: 'Standard deviations', floor: -3, ceiling: 3 }],
    referenceAreas: [zone(1, undefined, red, 'Dear'), zone(undefined, -1, blue, 'Cheap')],
    labels: 'direct',
  },
  price_events: {
    title: 'Bitcoin price and what happened',
    subtitle: 'Closing price with halvings, failures and new markets; many tops and lows are close to one of them.',
    metrics: [{ id: 'price' }],
    halvings: true,
    events: true,
  },
  price_volume: {
    title: 'Bitcoin price and trading volume',
    subtitle: 'Volume rises at tops and in panics; when the price rises on falling volume, fewer buyers are behind it.',
    metrics: [
      { id: 'price', axisId: 'upper' },
      { id: 'volume', label: 'Volume', axisId: 'lower', style: 'bar' },
    ],
    axes: belowPrice(28),
    range: '1y',
  },
  drawdown: {
    title: 'Drawdown from the highest close',
    subtitle: 'How far the price is below its highest close so far; earlier cycles fell by three quarters or more.',
    metrics: [{ id: 'drawdown', style: 'area', axisId: 'drawdown', label: 'Drawdown' }],
    axes: [{ id: 'drawdown', side: 'left', format: 'percent', noPadding: 'top' }],
    overlay: 'price',
  },
  returns: {
    title: 'Return over a year',
    subtitle: 'Change in price since the same day a year earlier; above zero, those who bought then are in profit.',
    ...overPrice({ return_365d: 'Return' }, { id: 'left', side: 'left', format: 'percent', ceiling: 10 }),
    referenceLines: [level(0, 'No change')],
  },
  growth_rate: {
    title: 'Annual growth over two, four and eight years',
    subtitle: 'Compound annual growth of the price; longer periods are steadier and have come down with every cycle.',
    metrics: lines({ cagr_2y: '2 years', cagr_4y: '4 years', cagr_8y: '8 years' }),
    axes: [{ id: 'left', side: 'left', format: 'percent', ceiling: 4 }],
    labels: 'direct',
  },
  moving_averages: {
    title: 'Price and its long moving averages',
    subtitle: 'Above the 200-day mean, the market trends upwards; the 200-week mean has marked most lows.',
    metrics: [{ id: 'price' }],
    formulas: Object.entries({ 50: '50 days', 200: '200 days', 1400: '200 weeks' }).map(([days, label]) =>
      formula(`sma(m1, ${days})`, label, 'USD', { lineWidth: 1.3 }),
    ),
    range: '4y',
    labels: 'direct',
  },
  golden_cross: {
    title: 'Golden and death cross',
    subtitle:
      'The 50-day mean crosses above the 200-day mean (golden cross) or below it (death cross); both come late.',
    metrics: [{ id: 'price', lineWidth: 1 }, ...lines({ price_sma_50: '50-day mean', price_sma_200: '200-day mean' })],
    range: '4y',
    labels: 'direct',
  },
  average_200_weeks: {
    title: '200-week average',
    subtitle: 'The mean price of 200 weeks has hardly ever fallen. Below: its rise in 30 days, overheated above 10 %.',
    metrics: [
      { id: 'price', axisId: 'upper' },
      { id: 'price_sma_1400', label: '200-week mean', axisId: 'upper', color: '#d96c00' },
      { id: 'price_sma_1400_change_30d_percent', label: 'Rise in 30 days', axisId: 'lower', style: 'bar', color: red },
    ],
    axes: [
      { id: 'upper', side: 'right', scale: 'log', range: [32, 100] },
      { id: 'lower', side: 'left', range: [0, 28], ceiling: 30 },
    ],
  },
  pi_cycle: {
    title: 'Pi cycle top',
    subtitle: 'When the 111-day mean rose above twice the 350-day mean, the tops of 2013, 2017 and 2021 were near.',
    metrics: [
      { id: 'price', lineWidth: 1 },
      ...lines({ price_sma_111: '111-day mean', price_sma_350_x2: '2 × 350-day mean' }),
    ],
    axes: logPrice,
    labels: 'direct',
  },
  investor_tool: {
    title: 'Two-year average and five times it',
    subtitle: 'In every cycle so far, prices were low below the two-year mean and high above five times that mean.',
    metrics: [
      { id: 'price' },
      { id: 'price_sma_730', label: '2-year mean', color: blue },
      { id: 'price_sma_730_x5', label: '5 × the mean', color: red },
    ],
    axes: logPrice,
    labels: 'direct',
  },
  golden_ratio_multiplier: {
    title: 'Golden ratio multiplier',
    subtitle: 'Multiples of the 350-day mean; each cycle topped at a lower multiple than the one before.',
    metrics: [
      { id: 'price' },
      { id: 'price_sma_350', label: '350-day mean' },
      ...[1.6, 2, 3, 5, 8].map((times) => ({
        id: `price_sma_350_x${String(times).replace('.', '_')}`,
        label: `× ${times}`,
      })),
    ],
    axes: logPrice,
    labels: 'direct',
  },
  power_law: {
    title: 'Price and its power law',
    subtitle:
      'A straight line through age and price on log scales, fitted to all days so far; far above it, prices were high.',
    metrics: [{ id: 'price' }, { id: 'power_law_price', label: 'Power law' }],
    axes: [{ id: 'right', side: 'right', scale: 'log', floor: 0.05 }],
    labels: 'direct',
    halvings: true,
  },
  quantile_bands: {
    title: 'Price in the quantile bands of its power law',
    subtitle:
      'Bands that would hold 10, 20, 40, 20 and 10 % of days if deviations were normal; blue is low, red is high.',
    metrics: [{ id: 'price', lineWidth: 1.8 }],
    axes: [
      { id: 'left', side: 'left' },
      { id: 'right', side: 'right' },
    ],
    referenceAreas: [
      { y1: spread(-2.6), y2: spread(-1.28), fill: blue, opacity: 0.35, label: 'Lowest 10 %' },
      { y1: spread(-1.28), y2: spread(-0.52), fill: teal, opacity: 0.35, label: 'Low' },
      { y1: spread(-0.52), y2: spread(0.52), fill: sand, opacity: 0.3, label: 'Middle' },
      { y1: spread(0.52), y2: spread(1.28), fill: orange, opacity: 0.35, label: 'High' },
      { y1: spread(1.28), y2: spread(2.6), fill: red, opacity: 0.35, label: 'Highest 10 %' },
    ],
  },
  bollinger_bands: {
    title: 'Bollinger bands',
    subtitle: 'The 20-day mean and two standard deviations around it; narrow bands come before large moves.',
    metrics: [
      { id: 'price' },
      ...lines({ bollinger_upper: 'Upper band', bollinger_lower: 'Lower band' }, { color: grey, lineWidth: 1 }),
    ],
    referenceAreas: [{ y1: 'bollinger_lower', y2: 'bollinger_upper', fill: blue, opacity: 0.1 }],
    range: '1y',
  },
  rsi: {
    title: 'Relative strength index (RSI), 14 days',
    subtitle: 'Strength of rises against falls, from 0 to 100; above 70 the market is overbought, below 30 oversold.',
    metrics: [
      { id: 'rsi_14', label: 'RSI', axisId: 'lower' },
      { id: 'price', axisId: 'upper' },
    ],
    axes: belowPrice(44, { domainMinimum: 0, domainMaximum: 100 }),
    referenceAreas: [zone(70, 100, red, 'Overbought'), zone(0, 30, blue, 'Oversold')],
    range: '1y',
  },
  macd: {
    title: 'MACD',
    subtitle: 'The 12-day mean minus the 26-day mean; above its signal line, momentum turns upwards.',
    metrics: [
      ...lines({ macd: 'MACD', macd_signal: 'Signal' }, { axisId: 'lower' }),
      { id: 'macd_histogram', label: 'Difference', axisId: 'lower', ...gainsAndLosses, opacity: 0.6 },
      { id: 'price', axisId: 'upper' },
    ],
    axes: belowPrice(44),
    range: '1y',
  },
  mayer_multiple: {
    title: 'Mayer multiple',
    subtitle: 'Price divided by its 200-day mean; in earlier cycles, buyers were late above 2.4 and early below 0.8.',
    ...overPrice({ mayer_multiple: 'Mayer multiple' }, { id: 'multiple', side: 'left', ceiling: 5 }),
    referenceLines: [level(1, '200-day mean'), level(2.4, '2.4 × the mean')],
  },
  realized_volatility: {
    title: 'Realized volatility',
    subtitle: 'Spread of daily returns, annualized; quiet periods have come before large moves in either direction.',
    metrics: [
      { id: 'realized_vol_1m', label: '1 month', lineWidth: 1, opacity: 0.5 },
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
    metrics: [{ id: 'sharpe_365d', label: 'Sharpe ratio' }],
    overlay: 'price',
    referenceLines: [level(0, 'No return')],
  },
  dca: {
    title: 'Cost of buying every day',
    subtitle:
      'Average cost for those who bought for one dollar every day; they are in profit while the price is above it.',
    metrics: [{ id: 'price' }, ...lines({ dca_price_1y: '1 year', dca_price_2y: '2 years', dca_price_4y: '4 years' })],
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
} as const satisfies Record<string, ChartTemplate>

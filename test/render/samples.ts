import { priceDimension } from '#contract/metric-kinds.ts'
import { createCycleSeries, overlayCycles } from '#render/request/cycles.ts'
import { monthlyValues } from '#render/request/monthly-values.ts'
import { normalize } from '#render/request/normalize.ts'
import type { ChartRequest, RequestedHeatmap, RequestedSeries, SeriesOptions } from '#render/request/request.ts'
import type { ChartTemplate } from '#render/request/template.ts'
import { evaluateFormula } from '#sql/formula/evaluate.ts'
import { parseFormula } from '#sql/formula/parse.ts'

/** Columns shaped like real metrics, from fixed random numbers, for charts without data. */

/** 2010-07-17 and the halvings, as unix days. */
export const firstPriceDay = 14807
const halvings = [15672, 16991, 18393, 19833]

export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

export function dayRange(first: number, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => first + i)
}

function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** A power law from cents to a hundred thousand, with a rise and a fall after every halving. */
export function samplePrice(days: Int32Array): Float64Array {
  const random = seededRandom(7)
  let noise = 0
  return Float64Array.from(days, (day) => {
    noise = 0.995 * noise + 0.032 * gaussian(random)
    const trend = Math.exp(5.71 * Math.log(day - 14246) - 38.4)
    return trend * Math.exp(noise + 0.75 * Math.sin((2 * Math.PI * (day - 15672)) / 1400))
  })
}

const trailing = (values: Float64Array, count: number) => {
  let sum = 0
  return values.map((value, i) => {
    sum += value - (i >= count ? values[i - count]! : 0)
    return sum / Math.min(count, i + 1)
  })
}

type Shape = { unit: string; label: string; values: (price: Float64Array, days: Int32Array) => Float64Array }

const noisy = (spread: number, seed: number) => {
  const random = seededRandom(seed)
  return () => Math.exp(spread * gaussian(random))
}
const ratioTo = (count: number) => (price: Float64Array) => {
  const mean = trailing(price, count)
  return price.map((value, i) => value / mean[i]!)
}
const scaled =
  (shape: (price: Float64Array, days: Int32Array) => Float64Array, change: (value: number, i: number) => number) =>
  (price: Float64Array, days: Int32Array) =>
    shape(price, days).map(change)
const spiky = (scale: number, spread: number, seed: number) => (price: Float64Array) => {
  const next = noisy(spread, seed)
  return price.map(() => scale * next())
}
const signed = (scale: number, seed: number) => (price: Float64Array) => {
  const random = seededRandom(seed)
  const mean = trailing(price, 90)
  return price.map((value, i) => scale * (gaussian(random) * 0.6 + 3 * Math.log(value / mean[i]!)))
}
const growing =
  (from: number, to: number, start = 0) =>
  (price: Float64Array) =>
    price.map((_, i) => {
      const part = (i - start * price.length) / (price.length * (1 - start))
      return part < 0 ? Number.NaN : from + (to - from) * part ** 1.5 + (to - from) * 0.02 * Math.sin(i / 60)
    })

const shapes: Record<string, Shape> = {
  price: { unit: 'USD', label: 'Price', values: (price) => price },
  volume: {
    unit: 'USD',
    label: 'Volume',
    values: scaled(
      (price) => price,
      (value, i) => value * 3e5 * (1.2 + Math.sin(i / 3) * 0.5),
    ),
  },
  drawdown: {
    unit: 'ratio',
    label: 'Drawdown',
    values: (price) => {
      let top = 0
      return price.map((value) => {
        top = Math.max(top, value)
        return value / top - 1
      })
    },
  },
  market_cap: {
    unit: 'USD',
    label: 'Market cap',
    values: scaled(
      (price) => price,
      (value) => value * 1.9e7,
    ),
  },
  realized_cap: {
    unit: 'USD',
    label: 'Realized cap',
    values: (price) => trailing(price, 400).map((value) => value * 1.7e7),
  },
  realized_price: { unit: 'USD', label: 'Realized price', values: (price) => trailing(price, 400) },
  lth_realized_price: { unit: 'USD', label: 'LTH realized price', values: (price) => trailing(price, 700) },
  sth_realized_price: { unit: 'USD', label: 'STH realized price', values: (price) => trailing(price, 120) },
  true_market_mean: { unit: 'USD', label: 'True market mean', values: (price) => trailing(price, 500) },
  cointime_price: { unit: 'USD', label: 'Cointime price', values: (price) => trailing(price, 900) },
  balanced_price: { unit: 'USD', label: 'Balanced price', values: (price) => trailing(price, 600).map((v) => v * 0.6) },
  cvdd: { unit: 'USD', label: 'CVDD', values: (price) => trailing(price, 1200).map((v) => v * 0.7) },
  terminal_price: { unit: 'USD', label: 'Terminal price', values: (price) => trailing(price, 800).map((v) => v * 6) },
  mayer_multiple: { unit: 'ratio', label: 'Mayer multiple', values: ratioTo(200) },
  mvrv: { unit: 'ratio', label: 'MVRV', values: ratioTo(400) },
  mvrv_z: { unit: 'ratio', label: 'MVRV Z-score', values: scaled(ratioTo(400), (value) => (value - 1) * 3) },
  lth_mvrv: { unit: 'ratio', label: 'LTH MVRV', values: ratioTo(700) },
  sth_mvrv: { unit: 'ratio', label: 'STH MVRV', values: ratioTo(120) },
  nupl: { unit: 'ratio', label: 'NUPL', values: scaled(ratioTo(400), (value) => 1 - 1 / value) },
  unrealized_pl: {
    unit: 'USD',
    label: 'Unrealized P/L',
    values: (price) => trailing(price, 400).map((v, i) => (price[i]! - v) * 1.8e7),
  },
  realized_pl: { unit: 'USD', label: 'Realized P/L', values: signed(4e8, 3) },
  sopr: { unit: 'ratio', label: 'SOPR', values: scaled(signed(0.02, 4), (value) => 1 + value) },
  asopr: { unit: 'ratio', label: 'aSOPR', values: scaled(signed(0.02, 5), (value) => 1 + value) },
  supply_in_profit_percent: {
    unit: '%',
    label: 'Supply in profit',
    values: scaled(ratioTo(400), (v) => 100 / (1 + Math.exp(-3 * (v - 0.6)))),
  },
  lth_supply: { unit: 'BTC', label: 'LTH supply', values: growing(2e6, 1.48e7) },
  sth_supply: {
    unit: 'BTC',
    label: 'STH supply',
    values: scaled(growing(2e6, 1.48e7), (value, i) => 5.5e6 - value / 8 + 9e5 * Math.sin(i / 220)),
  },
  coindays_destroyed: { unit: 'coin-days', label: 'Coin days destroyed', values: spiky(8e6, 0.7, 9) },
  dormancy_flow: { unit: 'USD', label: 'Dormancy flow', values: scaled(ratioTo(365), (value) => value ** 2 * 4e5) },
  liveliness: {
    unit: 'ratio',
    label: 'Liveliness',
    values: (price) => price.map((_, i) => 0.6 + 0.05 * Math.sin(i / 400) - 0.02 * Math.exp(-i / 300)),
  },
  vdd_multiple: { unit: 'ratio', label: 'VDD multiple', values: scaled(ratioTo(365), (value) => value * 0.9) },
  reserve_risk: { unit: 'ratio', label: 'Reserve risk', values: scaled(ratioTo(1000), (value) => value * 0.002) },
  rhodl_ratio: { unit: 'ratio', label: 'RHODL ratio', values: scaled(ratioTo(500), (value) => value ** 3 * 1500) },
  nvt_signal: { unit: 'ratio', label: 'NVT signal', values: spiky(900, 0.1, 12) },
  stock_to_flow: {
    unit: 'ratio',
    label: 'Stock to flow',
    values: (_, days) => Float64Array.from(days, (day) => 12 * 2 ** halvings.filter((h) => h <= day).length),
  },
  puell_multiple: { unit: 'ratio', label: 'Puell multiple', values: ratioTo(365) },
  realized_vol_1m: { unit: '%', label: '1 month', values: scaled(signed(6, 13), (value) => 60 + value) },
  realized_vol_3m: { unit: '%', label: '3 months', values: scaled(signed(3, 14), (value) => 62 + value) },
  realized_vol_1y: { unit: '%', label: '1 year', values: scaled(signed(1, 15), (value) => 64 + value) },
  block_height: {
    unit: 'blocks',
    label: 'Block height',
    values: (_, days) => Float64Array.from(days, (day) => Math.round((day - 14246) * 145.5)),
  },
  hash_rate_7d: { unit: 'H/s', label: 'Hash rate', values: (price) => trailing(price, 900).map((v) => v * 1.4e16) },
  hash_rate_30d: { unit: 'H/s', label: 'Hash rate', values: (price) => trailing(price, 930).map((v) => v * 1.4e16) },
  difficulty: {
    unit: 'difficulty',
    label: 'Difficulty',
    values: scaled(
      (price) => trailing(price, 900),
      (value) => value * 1.9e9,
    ),
  },
  fees: { unit: 'BTC', label: 'Fees', values: spiky(40, 0.9, 16) },
  avg_funding_rate: { unit: 'ratio', label: 'Funding rate (8 h)', values: signed(0.00008, 17) },
  total_oi_usd: { unit: 'USD', label: 'Open interest', values: scaled(growing(1e9, 4.5e10, 0.5), (value) => value) },
  etf_total_btc_holdings: { unit: 'BTC', label: 'Holdings', values: growing(6e5, 1.5e6, 0.82) },
  etf_net_flow_btc: { unit: 'BTC', label: 'Net flow', values: signed(3000, 18) },
  dat_total_btc: { unit: 'BTC', label: 'Holdings', values: growing(1e4, 1.1e6, 0.6) },
}

/** Twelve bands whose values sum to 100 on every day. */
function bandShare(band: number, days: Int32Array): Float64Array {
  const weight = (one: number, day: number) =>
    Math.exp(0.9 * Math.sin(day / (150 + 70 * one) + one * 2) + (one > 5 ? 0.6 : 0))
  return Float64Array.from(days, (day) => {
    let total = 0
    for (let other = 0; other < 12; other++) total += weight(other, day)
    return (100 * weight(band, day)) / total
  })
}

const bandNames = [
  '24h',
  '1d_1w',
  '1w_1m',
  '1m_3m',
  '3m_6m',
  '6m_12m',
  '1y_2y',
  '2y_3y',
  '3y_5y',
  '5y_7y',
  '7y_10y',
  '10y_plus',
]

export function sampleSeries({ id, ...options }: { id: string } & SeriesOptions, days: Int32Array): RequestedSeries {
  const band = bandNames.findIndex((name) => id.endsWith(`_${name}`))
  const known = shapes[id] ?? (band < 0 ? deriveShape(id) : undefined)
  const lastDay = days.at(-1)!
  const values = cached(`${id} until ${lastDay}`, () => {
    const whole = dayRange(firstPriceDay, lastDay - firstPriceDay + 1)
    if (known === undefined) return bandShare(band, whole)
    const price = cached(`any price until ${lastDay}`, () => samplePrice(whole))
    return known.values(price, whole)
  })
  const label = options.label ?? known?.label ?? id
  const unit = known?.unit ?? '%'
  const dimension = unit === 'USD' && /price|upper|lower|sma_|macd|mean|cvdd/.test(id) ? priceDimension : unit
  return { id, unit, dimension, ...options, label, values: values.slice(days[0]! - firstPriceDay) }
}

/** Cached columns of all days: creating those of a template takes longer than drawing it. */
const columns = new Map<string, Float64Array>()

function cached(name: string, make: () => Float64Array): Float64Array {
  const column = columns.get(name) ?? make()
  columns.set(name, column)
  return column
}

/** Unit and shape of a metric that has none in `shapes`, derived from its id. */
function deriveShape(id: string): Shape {
  const seed = [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7)
  if (/price|upper|lower|sma_|macd/.test(id))
    return { unit: 'USD', label: id, values: (price) => trailing(price, 20 + (seed % 400)) }
  if (/percent|share/.test(id)) return { unit: '%', label: id, values: scaled(signed(6, seed), (value) => 40 + value) }
  if (/usd|cap|profit|loss/.test(id))
    return { unit: 'USD', label: id, values: spiky(1e9 * (1 + (seed % 9)), 0.4, seed) }
  if (/change|flow/.test(id)) return { unit: 'BTC', label: id, values: signed(3000, seed) }
  if (/btc|supply/.test(id)) return { unit: 'BTC', label: id, values: growing(1e4, 1e5 * (1 + (seed % 9)), 0.3) }
  return { unit: 'ratio', label: id, values: ratioTo(100 + (seed % 600)) }
}

/**
 * Supply by cost, in 100 bins per decade: coins are bought around each day's price and slowly
 * change hands.
 */
export function sampleHeatmap(
  days: Int32Array,
  color_scale: RequestedHeatmap['color_scale'] = 'viridis',
): RequestedHeatmap {
  const perDecade = 100
  const bins = 6 * perDecade
  const edge = (bin: number) => 10 ** (bin / perDecade)
  const { values: price } = sampleSeries({ id: 'price' }, days)
  const current = new Float64Array(bins)
  const values = new Float64Array(days.length * bins)
  price.forEach((close, day) => {
    const middle = Math.log10(close) * perDecade
    for (let bin = 0; bin < bins; bin++) {
      current[bin] = current[bin]! * 0.995 + 4000 * Math.exp(-(((bin - middle) / 2) ** 2))
      values[day * bins + bin] = current[bin]! < 50 ? 0 : current[bin]!
    }
  })
  return {
    id: 'cost_basis_distribution',
    label: 'Supply by cost basis',
    unit: 'BTC',
    color_scale,
    binLower: Float64Array.from({ length: bins }, (_, bin) => edge(bin)),
    binUpper: Float64Array.from({ length: bins }, (_, bin) => edge(bin + 1)),
    values,
  }
}

/** Each day opens at the close of the day before. */
function withCandles(series: RequestedSeries): RequestedSeries {
  if (series.style !== 'candle') return series
  const { values } = series
  const open = values.map((value, i) => values[i - 1] ?? value)
  const high = values.map((value, i) => 1.02 * Math.max(value, open[i]!))
  const low = values.map((value, i) => 0.98 * Math.min(value, open[i]!))
  return { ...series, candles: { open, high, low } }
}

/** The request of a template with sample columns. */
export function fillTemplate(template: ChartTemplate, days: Int32Array): ChartRequest {
  const {
    title,
    subtitle,
    formulas = [],
    overlay,
    heatmap,
    y_axes,
    scale,
    stacked,
    normalize: how,
    calendar,
  } = template
  const { halvings: showsHalvings, events, labels, reference_lines = [], reference_areas = [] } = template
  const metrics = template.metrics ?? (heatmap || calendar ? ['price'] : [])
  const withStacking = <Part extends SeriesOptions>(part: Part): Part =>
    stacked ? { style: 'area', stacked: true, ...part } : part
  const plain = metrics.map((item) => sampleSeries(withStacking(typeof item === 'string' ? { id: item } : item), days))
  const columns = new Map(plain.map(({ values }, i) => [`m${i + 1}`, values]))
  const evaluate = (text: string) =>
    evaluateFormula(parseFormula(text), days.length, (id) => columns.get(id) ?? sampleSeries({ id }, days).values)
  const bound = (level: number | undefined, text: string | undefined) => (text === undefined ? level : evaluate(text))
  const common = {
    title,
    subtitle,
    source: 'Source: coinstrata, sample data',
    normalized: stacked === 'percent',
    verticals: [
      ...(showsHalvings ? halvings.map((day) => ({ day, label: 'Halving' })) : []),
      ...(events ? ['One', 'Another', 'A third'].map((label, i) => ({ day: 19400 + 260 * i, label })) : []),
    ],
    labels,
    scale,
    referenceLines: reference_lines.map(({ y = 0, ...line }) => ({ ...line, y })),
    referenceAreas: reference_areas.map(({ y1, y1_formula, y2, y2_formula, ...area }) => ({
      ...area,
      y1: bound(y1, y1_formula),
      y2: bound(y2, y2_formula),
    })),
  }
  if (template.x_axis === 'day_offset') {
    const first = plain[0]!
    const overlaid = overlayCycles(days, first.values, halvings, template.indexed === true)
    return { ...common, referenceAreas: [], x: overlaid.x, ...createCycleSeries(first, overlaid) }
  }
  const x = { kind: 'date', days } as const
  if (calendar) return { ...common, x, series: [], monthGrid: monthlyValues(days, plain[0]!.values) }
  const derived = formulas.map(({ expression, unit = '', label = expression, ...options }, i): RequestedSeries => {
    const values = evaluate(expression)
    columns.set(`f${i + 1}`, values)
    const dimension = plain.find((metric) => metric.unit === unit)?.dimension ?? unit
    return { id: `f${i + 1}`, values, dimension, unit, label, ...withStacking(options) }
  })
  return {
    ...common,
    x,
    series: [...plain, ...derived].map((one) => (how ? normalize(one, how) : withCandles(one))),
    ...(y_axes && { axes: y_axes.map((axis) => ({ ...axis, id: axis.id ?? '' })) }),
    ...(overlay && !heatmap && { priceOverlay: sampleSeries({ id: 'price' }, days).values }),
    ...(heatmap && { heatmap: sampleHeatmap(days, heatmap.color_scale) }),
  }
}

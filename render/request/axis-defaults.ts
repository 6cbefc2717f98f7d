import { type AxisSide, ownAxes, type ScaleName } from '#contract/chart-options.ts'
import type { AxisFormat, ChartSeries, ValueAxis } from '../draw/specification.ts'
import { isSide, isUnnamed, unknownAxisError } from './axis-assignment.ts'
import type { ChartRequest, RequestedAxis, RequestedHeatmap } from './request.ts'

/** Days from which the price has a log axis. */
const minDaysForLog = 730

/** Completes the options of axis `id`; `series` are all of the chart. */
export function completeAxis(id: string, request: ChartRequest, series: readonly ChartSeries[]): ValueAxis {
  const own = series.filter(({ axisId }) => axisId === id)
  const options = findAxisOptions(id, request, own)
  const format = options.format ?? defaultFormat(own)
  const isRows = own.some(({ style }) => style === 'heatmap')
  const isShares = request.normalized === true && own.length > 0 && own.every(({ stacked }) => stacked)
  return {
    id,
    side: options.side ?? defaultSide(id, request, series),
    scale: chooseScale(options, request, own),
    format,
    title: options.title ?? axisTitle(own, format),
    // Candles have two colours.
    color: own.every(({ color, style }) => color === own[0]!.color && style !== 'candle' && !isRows)
      ? own[0]?.color
      : undefined,
    factor: format === 'percent' && own.some(({ unit }) => unit === 'ratio') ? 100 : 1,
    zone: options.range ?? [0, 100],
    domainMinimum: options.domain_min,
    // Shares of a sum end at 100 %.
    domainMaximum: options.domain_max ?? (isShares ? 100 : undefined),
    ceiling: options.ceiling,
    floor: options.floor,
    noPadding: options.no_padding ?? 'none',
    rows: isRows ? nameRows(own.map(({ label }) => label)) : undefined,
  }
}

/**
 * Names without their common first words: Binance, Bybit for `Funding rate on Binance`, `Funding
 * rate on Bybit`.
 */
function nameRows([first = '', ...others]: readonly string[]): string[] {
  const words = first.split(' ').slice(0, -1)
  const differs = words.findIndex(
    (_, i) => !others.every((name) => name.startsWith(`${words.slice(0, i + 1).join(' ')} `)),
  )
  const shared = words.slice(0, differs < 0 ? undefined : differs).join(' ')
  return [first, ...others].map((name) => name.slice(shared.length).trim())
}

function findAxisOptions(id: string, { axes = [], heatmap }: ChartRequest, own: readonly ChartSeries[]): RequestedAxis {
  if (id === ownAxes.heatmap && heatmap !== undefined) return heatmapAxis(heatmap, own)
  const described = axes.find((axis) => axis.id === id)
  const side = id === ownAxes.price ? 'right' : id
  if (isSide(side)) return { ...described, side: described?.side ?? side, id }
  if (described !== undefined) return described
  if (isUnnamed(id)) return { id }
  throw unknownAxisError(
    'a reference',
    id,
    axes.map((axis) => axis.id),
  )
}

/** Contains the prices drawn over the heatmap; without any, all filled bins. */
function heatmapAxis(heatmap: RequestedHeatmap, prices: readonly ChartSeries[]): RequestedAxis {
  const { binLower, binUpper, values, y_scale = heatmapScale(heatmap), y_min, y_max } = heatmap
  const bins = binLower.length
  const filled = filledBins(values, bins).map((isFilled, bin) =>
    y_scale === 'linear' || binLower[bin]! > 0 ? isFilled : 0,
  )
  const hasPrices = prices.some(({ values }) => values.some((value) => value > 0))
  const lowest = y_scale === 'linear' ? 0 : (binLower[filled.indexOf(1)] ?? 1)
  return {
    id: ownAxes.heatmap,
    side: 'right',
    scale: y_scale,
    format: 'currency',
    title: 'Price (USD)',
    domain_min: y_min ?? (hasPrices ? undefined : lowest),
    domain_max: y_max ?? (hasPrices ? undefined : (binUpper[filled.lastIndexOf(1)] ?? lowest + 1)),
  }
}

/** 1 for each bin with a value on any day. Plain loops, because there are a million cells. */
function filledBins(values: Float64Array, bins: number): Uint8Array {
  const filled = new Uint8Array(bins)
  for (let i = 0, bin = 0; i < values.length; i++) {
    if (values[i]! > 0) filled[bin] = 1
    bin = bin + 1 === bins ? 0 : bin + 1
  }
  return filled
}

/** Logarithmic if the highest price with supply grew tenfold since the first day. */
function heatmapScale({ binUpper, values }: RequestedHeatmap): ScaleName {
  const bins = binUpper.length
  const highest = (cells: Float64Array) => binUpper[filledBins(cells, bins).lastIndexOf(1)] ?? 0
  const first = values.findIndex((value) => value > 0)
  const atFirst = highest(values.subarray(first - (first % bins)).subarray(0, bins))
  return atFirst > 0 && highest(values) >= 10 * atFirst ? 'log' : 'linear'
}

function defaultSide(id: string, request: ChartRequest, series: readonly ChartSeries[]): AxisSide {
  const namedSide = /^(left|right):/.exec(id)?.[1]
  if (namedSide === 'left' || namedSide === 'right') return namedSide
  if (request.x.kind === 'day_offset') return 'left'
  const ids = [...new Set(series.map(({ axisId }) => axisId))].filter((other) => other !== ownAxes.price)
  const holdsPrice = (axis: string) => series.some((one) => one.axisId === axis && one.id === 'price')
  if (holdsPrice(id)) return 'right'
  const others = ids.filter((other) => !holdsPrice(other))
  return others.indexOf(id) % 2 === 0 ? 'left' : 'right'
}

function chooseScale(options: RequestedAxis, request: ChartRequest, own: readonly ChartSeries[]): ScaleName {
  if (own.some((one) => one.style === 'heatmap' || isBeyondLog(one))) return 'linear'
  const requested = requestedScale(options, request)
  if (requested !== undefined) return requested
  const { x } = request
  const long = x.days.length > 0 && x.days.at(-1)! - x.days[0]! >= minDaysForLog
  const wanted =
    x.kind === 'day_offset' ? own.some(({ unit }) => unit !== '%') : long && own.some(({ id }) => id === 'price')
  // A log axis may omit zeros (before something existed), but not losses.
  return wanted && own.every(({ values }) => !values.some((value) => value < 0)) ? 'log' : 'linear'
}

const requestedScale = ({ id, scale }: RequestedAxis, request: ChartRequest): ScaleName | undefined =>
  scale ?? (id === ownAxes.price ? undefined : request.scale)

/**
 * Stacked heights mean nothing on a log axis, and a series without positive values would be
 * missing.
 */
const isBeyondLog = ({ stacked, values }: ChartSeries): boolean =>
  stacked || (values.some((value) => value <= 0) && !values.some((value) => value > 0))

/** Explains why an axis is linear although log was requested. */
export function describeFallback(
  { id, scale }: ValueAxis,
  request: ChartRequest,
  series: readonly ChartSeries[],
): string[] {
  const beyond = series.filter((one) => one.axisId === id && isBeyondLog(one))
  if (scale === 'log' || beyond.length === 0 || requestedScale(findAxisOptions(id, request, series), request) !== 'log')
    return []
  const reason = beyond[0]!.stacked ? 'heights of stacks' : 'values of zero or less'
  return [
    `the axis of ${beyond.map(({ label }) => label).join(', ')} is linear: a logarithmic one cannot show ${reason}`,
  ]
}

/** Format of a metric's values, and factor to displayed numbers. */
export function chooseFormat(one: Pick<ChartSeries, 'id' | 'unit'>) {
  const format = defaultFormat([one])
  return { format, factor: format === 'percent' && one.unit === 'ratio' ? 100 : 1 }
}

function defaultFormat(own: readonly Pick<ChartSeries, 'id' | 'unit'>[]): AxisFormat {
  const units = new Set(own.map(({ unit }) => unit))
  if (units.size !== 1) return 'number'
  if (units.has('USD')) return 'currency'
  // Miners count exahashes, not quintillions of hashes.
  if (units.has('H/s')) return 'si'
  const inPercent = units.has('%') || own.every(({ id, unit }) => unit === 'ratio' && percentIds.test(id))
  return inPercent ? 'percent' : 'number'
}

/** Fractions expected in percent: price changes, interest rates. */
const percentIds = /^(drawdown|return_|cagr_|dca_return_|(avg_)?funding_(rate|annualized|spread)|etf_premium)/

const plainUnits = new Set(['', 'ratio', 'count', 'index'])

/** `Supply (BTC)`; plain numbers have no unit. */
export const nameWithUnit = (name: string, unit: string): string =>
  plainUnits.has(unit) || unit.toLowerCase() === name.toLowerCase() ? name : `${name} (${unit})`

/** Name and unit of the only series, or several series' unit; percent is in each tick label. */
function axisTitle(own: readonly ChartSeries[], format: AxisFormat): string {
  const units = [...new Set(own.map(({ unit }) => unit).filter((unit) => unit !== ''))]
  if (own.length === 1) return format === 'percent' ? own[0]!.label : nameWithUnit(own[0]!.label, own[0]!.unit)
  return format === 'percent' || units.every((unit) => plainUnits.has(unit)) ? '' : units.join(', ')
}

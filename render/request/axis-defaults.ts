import { type AxisSide, ownAxes, type ScaleName } from '#contract/chart-options.ts'
import type { AxisFormat, ChartSeries, ValueAxis } from '../draw/specification.ts'
import { isSide, unknownAxisError } from './axis-assignment.ts'
import type { ChartRequest, RequestedAxis, RequestedHeatmap } from './request.ts'

/** Days from which on the price has a log axis by default. */
const minDaysForLog = 730

/** Completes the options of the axis `id` with defaults; `series` are all series of the chart. */
export function completeAxis(id: string, request: ChartRequest, series: readonly ChartSeries[]): ValueAxis {
  const own = series.filter(({ axisId }) => axisId === id)
  const options = findAxisOptions(id, request)
  const format = options.format ?? defaultFormat(own)
  const isShares = request.normalized === true && own.length > 0 && own.every(({ stacked }) => stacked)
  return {
    id,
    side: options.side ?? defaultSide(id, request, series),
    scale: chooseScale(options, request, own),
    format,
    title: options.title ?? axisTitle(own, format),
    // Candles have two colours.
    color: own.length === 1 && own[0]!.style !== 'candle' ? own[0]!.color : undefined,
    factor: format === 'percent' && own.some(({ unit }) => unit === 'ratio') ? 100 : 1,
    zone: options.range ?? [0, 100],
    domainMinimum: options.domainMinimum,
    // Shares of a sum end at 100 %.
    domainMaximum: options.domainMaximum ?? (isShares ? 100 : undefined),
    ceiling: options.ceiling,
    floor: options.floor,
    noPadding: options.noPadding ?? 'none',
  }
}

function findAxisOptions(id: string, { axes = [], heatmap }: ChartRequest): RequestedAxis {
  if (id === ownAxes.heatmap && heatmap !== undefined) return heatmapAxis(heatmap)
  const described = axes.find((axis) => axis.id === id)
  if (described !== undefined) return isSide(id) ? { side: id, ...described } : described
  if (id === ownAxes.price) return { id, side: 'right' }
  if (isSide(id)) return { id, side: id }
  if (/^(left|right|auto):/.test(id)) return { id }
  throw unknownAxisError(
    'a reference',
    id,
    axes.map((axis) => axis.id),
  )
}

function heatmapAxis(heatmap: RequestedHeatmap): RequestedAxis {
  const { binLower, binUpper, values, yScale = heatmapScale(heatmap), yMinimum, yMaximum } = heatmap
  const bins = binLower.length
  const filled = new Uint8Array(bins)
  values.forEach((value, i) => {
    if (value > 0 && (yScale === 'linear' || binLower[i % bins]! > 0)) filled[i % bins] = 1
  })
  const lowest = yScale === 'linear' ? 0 : (binLower[filled.indexOf(1)] ?? 1)
  return {
    id: ownAxes.heatmap,
    side: 'right',
    scale: yScale,
    format: 'currency',
    title: 'Price (USD)',
    domainMinimum: yMinimum ?? lowest,
    domainMaximum: yMaximum ?? binUpper[filled.lastIndexOf(1)] ?? lowest + 1,
  }
}

/** Logarithmic if the highest price with supply has grown tenfold since the first day. */
function heatmapScale({ binUpper, values }: RequestedHeatmap): ScaleName {
  const bins = binUpper.length
  const first = values.findIndex((value) => value > 0)
  const secondDay = first - (first % bins) + bins
  let [atFirst, highest] = [0, 0]
  values.forEach((value, i) => {
    const price = value > 0 ? binUpper[i % bins]! : 0
    if (i < secondDay && price > atFirst) atFirst = price
    if (price > highest) highest = price
  })
  return atFirst > 0 && highest >= 10 * atFirst ? 'log' : 'linear'
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

function chooseScale(options: RequestedAxis, { x, scale }: ChartRequest, own: readonly ChartSeries[]): ScaleName {
  // Stacked heights are meaningless on a log axis.
  if (own.some(({ stacked }) => stacked)) return 'linear'
  if (options.scale !== undefined) return options.scale
  if (scale !== undefined && options.id !== ownAxes.price) return scale
  const long = x.days.length > 0 && x.days.at(-1)! - x.days[0]! >= minDaysForLog
  const wanted = x.kind === 'day_offset' || (long && own.some(({ id }) => id === 'price'))
  // A log axis may omit zeros (days before something existed), but not losses.
  return wanted && own.every(({ values }) => !values.some((value) => value < 0)) ? 'log' : 'linear'
}

function defaultFormat(own: readonly ChartSeries[]): AxisFormat {
  const units = new Set(own.map(({ unit }) => unit))
  if (units.size !== 1) return 'number'
  if (units.has('USD')) return 'currency'
  // Miners count in exahashes, not in quintillions of hashes.
  if (units.has('H/s')) return 'si'
  const inPercent = units.has('%') || own.every(({ id, unit }) => unit === 'ratio' && percentIds.test(id))
  return inPercent ? 'percent' : 'number'
}

/** Fractions that readers expect in percent: changes of a price, interest rates. */
const percentIds = /^(drawdown|return_|cagr_|dca_return_|(avg_)?funding_(rate|annualized|spread)|etf_premium)/

const plainUnits = new Set(['', 'ratio', 'count', 'index'])

/** `Supply (BTC)`; plain numbers have no unit. */
export const nameWithUnit = (name: string, unit: string): string =>
  plainUnits.has(unit) || unit.toLowerCase() === name.toLowerCase() ? name : `${name} (${unit})`

/** Name and unit of the only series, or the unit of several; percent is part of each tick label. */
function axisTitle(own: readonly ChartSeries[], format: AxisFormat): string {
  const units = [...new Set(own.map(({ unit }) => unit).filter((unit) => unit !== ''))]
  if (own.length === 1) return format === 'percent' ? own[0]!.label : nameWithUnit(own[0]!.label, own[0]!.unit)
  return format === 'percent' || units.every((unit) => plainUnits.has(unit)) ? '' : units.join(', ')
}

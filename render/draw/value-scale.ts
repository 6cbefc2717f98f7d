import { greatest, range, ticks } from 'd3-array'
import { tickFormat } from './number-format.ts'
import { linearScale, logScale } from './scale.ts'
import type { ChartSeries, ChartSpecification, ValueAxis } from './specification.ts'
import { stackSeries } from './stack.ts'

export interface Tick {
  /** Pixels from the picture's left or upper edge. */
  readonly position: number
  readonly label: string
}

export interface ValueScale {
  readonly axis: ValueAxis
  readonly domain: readonly [number, number]
  readonly top: number
  readonly bottom: number
  /** Pixels from the upper edge of the picture; NaN for NaN, and for zero or less on a log axis. */
  readonly position: (value: number) => number
  readonly value: (position: number) => number
  readonly ticks: readonly Tick[]
  /** Distance between tick labels, if it is constant. */
  readonly step: number | undefined
}

/** `plotTop`, `plotBottom` and the `fontSize` of tick labels are in pixels. */
export function createValueScale(
  axis: ValueAxis,
  specification: ChartSpecification,
  plotTop: number,
  plotBottom: number,
  fontSize: number,
): ValueScale {
  const height = plotBottom - plotTop
  const bottom = plotBottom - (height * axis.zone[0]) / 100
  const top = plotBottom - (height * axis.zone[1]) / 100
  const { domain, hasData } = findDomain(axis, specification)
  const scale = (axis.scale === 'log' ? logScale : linearScale)(domain, [bottom, top])
  const position = (value: number) => (axis.scale === 'log' && value <= 0 ? Number.NaN : scale.position(value))
  const displayedDomain: [number, number] = [domain[0] * axis.factor, domain[1] * axis.factor]
  const toPixel = (value: number) => position(value / axis.factor)
  const chooseTicks = axis.scale === 'log' ? logTicks : linearTicks
  // Without data or a requested domain an axis has no ticks: its domain is arbitrary.
  const { values, step } = hasData ? chooseTicks(displayedDomain, toPixel, fontSize) : { values: [], step: undefined }
  const format = tickFormat(axis.format, step)
  const ticks = values.map((value) => ({ position: toPixel(value), label: format(value) }))
  return { axis, domain, top, bottom, position, value: scale.value, ticks, step }
}

/** The pixel of zero if the domain has values on both sides of it. */
export const findZeroPosition = ({ axis, domain, position }: ValueScale): number | undefined =>
  axis.scale === 'linear' && domain[0] < 0 && domain[1] > 0 ? position(0) : undefined

export const countNonPositive = (series: ChartSeries): number => series.values.filter((value) => value <= 0).length

/**
 * From the smallest to the largest value, padded by 10 % at both ends. The padding never crosses zero: a price axis has no
 * negative labels. A linear axis with bars, areas or stacks contains zero.
 */
function findDomain(
  axis: ValueAxis,
  specification: ChartSpecification,
): { readonly domain: [number, number]; readonly hasData: boolean } {
  const log = axis.scale === 'log'
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  const widen = (value: number) => {
    if (!canBound(axis, value)) return
    if (value < low) low = value
    if (value > high) high = value
  }
  const series = specification.series.filter(({ axisId }) => axisId === axis.id)
  for (const { stacked, values, candles } of series) {
    if (!stacked) values.forEach(widen)
    candles?.high.forEach(widen)
    candles?.low.forEach(widen)
  }
  for (const { tops } of stackSeries(series)) tops.forEach(widen)
  for (const line of specification.referenceLines) {
    if (line.axisId !== axis.id) continue
    if (typeof line.y === 'number') widen(line.y)
    else line.y.forEach(widen)
  }
  if (!log && low <= high && series.some(({ style, stacked }) => stacked || style === 'area' || style === 'bar'))
    widen(0)
  const isKnown = low <= high || (axis.domainMinimum !== undefined && axis.domainMaximum !== undefined)
  if (low > high) [low, high] = log ? [1, 10] : [0, 1]
  if (axis.ceiling !== undefined && axis.ceiling > low) high = Math.min(high, axis.ceiling)
  if (axis.floor !== undefined && axis.floor < high && canBound(axis, axis.floor)) low = Math.max(low, axis.floor)
  return { domain: clampDomain(axis, ...padDomain(axis, low, high)), hasData: isKnown }
}

/** Values beyond 1e100, and below 1e-100 on a log axis, come from overflow. They do not widen the domain. */
const canBound = (axis: ValueAxis, value: number): boolean =>
  Math.abs(value) <= 1e100 && (axis.scale === 'linear' || value >= 1e-100)

function padDomain(axis: ValueAxis, low: number, high: number): [number, number] {
  const atBottom = axis.noPadding === 'top' || axis.noPadding === 'none'
  const atTop = axis.noPadding === 'bottom' || axis.noPadding === 'none'
  if (axis.scale === 'log') {
    if (!areDistinct(low, high)) return [low / 2, high * 2]
    const padding = (high / low) ** 0.1
    return [atBottom ? low / padding : low, atTop ? high * padding : high]
  }
  if (!areDistinct(low, high)) {
    const padding = Math.abs(high) > 1e-99 ? Math.abs(high) * 0.1 : 1
    return [low - padding, high + padding]
  }
  const padding = (high - low) * 0.1
  const below = low >= 0 ? Math.max(0, low - padding) : low - padding
  const above = high <= 0 ? Math.min(0, high + padding) : high + padding
  return [atBottom ? below : low, atTop ? above : high]
}

/** Differences below 1e-12 of the values are rounding errors. */
const areDistinct = (low: number, high: number): boolean =>
  Math.abs(high - low) > 1e-12 * Math.max(Math.abs(low), Math.abs(high), 1e-100)

function clampDomain(axis: ValueAxis, low: number, high: number): [number, number] {
  const log = axis.scale === 'log'
  const isUsable = (end: number | undefined): end is number => end !== undefined && canBound(axis, end)
  const bottom = isUsable(axis.domainMinimum) ? axis.domainMinimum : low
  const top = isUsable(axis.domainMaximum) ? axis.domainMaximum : high
  if (bottom < top && areDistinct(bottom, top)) return [bottom, top]
  // A requested end beyond all data moves the other end too; the axis shows an empty range.
  const span = log ? 0 : Math.max(Math.abs(bottom), Math.abs(top), 1) * 0.1
  if (isUsable(axis.domainMaximum)) return log ? [top / 10, top] : [top - span, top]
  return log ? [bottom, bottom * 10] : [bottom, bottom + span]
}

interface TickValues {
  readonly values: readonly number[]
  readonly step: number | undefined
}

/** Minimum distance between tick labels in pixels: at most eleven per axis, and closer together on short axes. */
function minTickSpacing(height: number, fontSize: number, fontSizes: number): number {
  const preferred = Math.min(fontSize * fontSizes, height / 7.5)
  return Math.max(preferred, height / 10.5, fontSize * (height < fontSize * 8 ? 1.5 : 2.2))
}

function linearTicks([low, high]: [number, number], toPixel: (value: number) => number, fontSize: number): TickValues {
  const height = Math.abs(toPixel(high) - toPixel(low))
  const minSpacing = minTickSpacing(height, fontSize, 4)
  for (let count = Math.max(1, Math.ceil(height / minSpacing)); count > 0; count--) {
    const values = ticks(low, high, count)
    if (values.length < 2) return { values, step: undefined }
    const step = values[1]! - values[0]!
    if ((step / (high - low)) * height >= minSpacing) return { values, step }
  }
  return { values: [], step: undefined }
}

/**
 * The finest common division (1-1.5-2-3-5-7, 1-2-5, 1-3, decades, every second decade, …) whose labels do not crowd.
 * A domain of less than a factor of six is almost linear and prefers equal steps if these give as many labels.
 */
function logTicks([low, high]: [number, number], toPixel: (value: number) => number, fontSize: number): TickValues {
  const height = Math.abs(toPixel(low) - toPixel(high))
  const minSpacing = minTickSpacing(height, fontSize, 3)
  const fits = (values: readonly number[]) =>
    values.every((value, i) => i === 0 || Math.abs(toPixel(value) - toPixel(values[i - 1]!)) >= minSpacing)
  const steps = high / low < 6 ? range(Math.ceil(height / minSpacing), 0, -1) : []
  const equal = steps.map((count) => ticks(low, high, count).filter((value) => value > 0))
  const divisions = [[1, 1.5, 2, 3, 5, 7], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]]
  const choices: TickValues[] = [
    ...equal.map((values) => ({ values, step: values.length > 1 ? values[1]! - values[0]! : undefined })),
    ...divisions.map((digits) => ({ values: decades(low, high, 1, digits), step: undefined })),
  ]
  const densest = greatest(
    choices.filter(({ values }) => values.length >= 2 && fits(values)),
    ({ values }) => values.length,
  )
  if (densest) return densest
  let every = 2
  while (!fits(decades(low, high, every, [1]))) every++
  return { values: decades(low, high, every, [1]), step: undefined }
}

function decades(low: number, high: number, every: number, digits: readonly number[]): number[] {
  const values: number[] = []
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    // Parsed from text because powers such as 10 ** -3 are not exact.
    if (power % every === 0) values.push(...digits.map((digit) => Number(`${digit}e${power}`)))
  }
  return values.filter((value) => value >= low && value <= high)
}

import { range, ticks } from 'd3-array'
import type { Domain } from './domain.ts'
import { tickFormat } from './number-format.ts'
import { linearScale, logScale } from './scale.ts'
import type { ChartSeries, ValueAxis } from './specification.ts'

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
  { domain, hasData }: Domain,
  plotTop: number,
  plotBottom: number,
  fontSize: number,
): ValueScale {
  const height = plotBottom - plotTop
  const bottom = plotBottom - (height * axis.zone[0]) / 100
  const top = plotBottom - (height * axis.zone[1]) / 100
  const scale = (axis.scale === 'log' ? logScale : linearScale)(domain, [bottom, top])
  const position = (value: number) => (axis.scale === 'log' && value <= 0 ? Number.NaN : scale.position(value))
  const displayedDomain: [number, number] = [domain[0] * axis.factor, domain[1] * axis.factor]
  const toPixel = (value: number) => position(value / axis.factor)
  const { rows } = axis
  // Without data or a requested domain an axis has no ticks: its domain is arbitrary.
  const { ticks, step } = rows
    ? { ticks: rows.map((label, i) => ({ position: position(rows.length - i - 0.5), label })), step: undefined }
    : createTicks(axis, hasData ? displayedDomain : undefined, toPixel, fontSize)
  return { axis, domain, top, bottom, position, value: scale.value, ticks, step }
}

export function createTicks(
  { scale, format }: Pick<ValueAxis, 'scale' | 'format'>,
  domain: [number, number] | undefined,
  toPixel: (value: number) => number,
  fontSize: number,
): { readonly ticks: readonly Tick[]; readonly step: number | undefined } {
  if (!domain) return { ticks: [], step: undefined }
  const { values, step } = (scale === 'log' ? logTicks : linearTicks)(domain, toPixel, fontSize)
  const write = tickFormat(format, step)
  return { ticks: values.map((value) => ({ position: toPixel(value), label: write(value) })), step }
}

/** The pixel of zero if the domain has values on both sides of it. */
export const findZeroPosition = ({ axis, domain, position }: ValueScale): number | undefined =>
  axis.scale === 'linear' && domain[0] < 0 && domain[1] > 0 ? position(0) : undefined

export const countNonPositive = (series: ChartSeries): number => series.values.filter((value) => value <= 0).length

interface TickValues {
  readonly values: readonly number[]
  readonly step: number | undefined
}

/**
 * Minimum distance between tick labels in pixels: at most eleven per axis, and closer together on
 * short axes.
 */
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
 * The finest common division (1-1.5-2-3-5-7, 1-2-5, 1-3, decades, every second decade, …) whose
 * labels do not crowd. A domain of less than a factor of six is almost linear and prefers equal
 * steps if these give as many labels.
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
  const fitting = choices.filter(({ values }) => values.length >= 2 && fits(values))
  const most = Math.max(...fitting.map(({ values }) => values.length))
  const densest = fitting.find(({ values }) => values.length === most)
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

import { cross, maxIndex, pairs, range, tickStep, ticks } from 'd3-array'
import { type ScaleContinuousNumeric, scaleLinear, scaleLog } from 'd3-scale'
import type { ScaleName } from '#contract/chart-options.ts'
import type { Domain } from './domain.ts'
import { formatTick } from './number-format.ts'
import type { AxisFormat, ChartSeries, ValueAxis } from './specification.ts'

export interface Tick {
  /** From the picture's left or upper edge. */
  readonly position: number
  readonly label: string
}

export interface ValueScale {
  readonly axis: ValueAxis
  readonly domain: readonly [number, number]
  readonly top: number
  readonly bottom: number
  /** Pixels from the picture's upper edge; NaN for NaN, and on a log axis for zero or less. */
  readonly position: (value: number) => number
  readonly value: (position: number) => number
  readonly ticks: readonly Tick[]
  /** Between tick labels, if constant. */
  readonly step: number | undefined
}

type PixelScale = ScaleContinuousNumeric<number, number>

/** Maps numbers to pixels. */
export const createScale = (name: ScaleName, domain: Iterable<number>, pixels: Iterable<number>): PixelScale =>
  (name === 'log' ? scaleLog : scaleLinear)(domain, pixels).unknown(Number.NaN)

/** `plotTop`, `plotBottom` and `fontSize` (tick labels) in pixels. */
export function createValueScale(
  axis: ValueAxis,
  { domain, hasData }: Domain,
  plotTop: number,
  plotBottom: number,
  fontSize: number,
): ValueScale {
  const { factor, rows } = axis
  const [bottom, top] = axis.zone.map((percent) => plotBottom - ((plotBottom - plotTop) * percent) / 100) as [
    number,
    number,
  ]
  const position = createScale(axis.scale, domain, [bottom, top])
  const displayed = createScale(axis.scale, [domain[0] * factor, domain[1] * factor], [bottom, top])
  // Without data or a requested domain there are no ticks: the domain is arbitrary.
  const { ticks, step } = rows
    ? { ticks: rows.map((label, i) => ({ position: position(rows.length - i - 0.5), label })), step: undefined }
    : hasData
      ? createTicks(axis, displayed, fontSize)
      : { ticks: [], step: undefined }
  return { axis, domain, top, bottom, position, value: position.invert, ticks, step }
}

export function createTicks(
  { scale: name, format }: { readonly scale: ScaleName; readonly format: AxisFormat },
  scale: PixelScale,
  fontSize: number,
): Pick<ValueScale, 'ticks' | 'step'> {
  const { values, step } = chooseTicks(name, scale, fontSize)
  return { ticks: values.map((value) => ({ position: scale(value), label: formatTick(format, value, step) })), step }
}

/** Pixel of zero if the domain spans it. */
export const findZeroPosition = ({ axis, domain, position }: ValueScale): number | undefined =>
  axis.scale === 'linear' && domain[0] < 0 && domain[1] > 0 ? position(0) : undefined

export const countNonPositive = (series: ChartSeries): number => series.values.filter((value) => value <= 0).length

interface TickValues {
  readonly values: readonly number[]
  readonly step: number | undefined
}

/**
 * Chooses the most D3 ticks with uncrowded labels: at most eleven per axis, closer on short axes. A
 * log axis over less than a factor of six is almost linear and prefers equal steps if these give as
 * many labels.
 */
function chooseTicks(name: ScaleName, scale: PixelScale, fontSize: number): TickValues {
  const [low = 0, high = 0] = scale.domain()
  const [from = 0, to = 0] = scale.range()
  const length = Math.abs(to - from)
  const preferred = Math.min(fontSize * (name === 'log' ? 3 : 4), length / 7.5)
  const minSpacing = Math.max(preferred, length / 10.5, fontSize * (length < fontSize * 8 ? 1.5 : 2.2))
  const equalSteps = range(Math.ceil(length / minSpacing), 0, -1).map((count) => ({
    values: ticks(low, high, count),
    step: tickStep(low, high, count),
  }))
  const choices = [
    ...(name === 'linear' || high / low < 6 ? equalSteps : []),
    ...(name === 'log' ? listDecadeTicks(scale) : []),
  ]
  // One label does not show a scale: the ends of a finer choice do.
  const ends = choices.map(({ values, step }) => ({ values: [values[0]!, values.at(-1)!], step }))
  const isSpaced = ({ values }: TickValues) =>
    pairs(values).every(([one, next]) => Math.abs(scale(next) - scale(one)) >= minSpacing)
  const fitting = [...choices, ...ends.filter(({ values }) => values[0] !== values[1])].filter(isSpaced)
  return fitting[maxIndex(fitting, ({ values }) => values.length)] ?? { values: [], step: undefined }
}

/** The same digits of each decade, finer than D3's, or every second, fifth, … decade. */
function listDecadeTicks(scale: PixelScale): TickValues[] {
  const [low = 1, high = 1] = scale.domain()
  const powers = range(Math.floor(Math.log10(low)), Math.log10(high) + 1)
  const divisions = [[1, 1.5, 2, 3, 5, 7], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]].map((digits) =>
    cross(powers, digits, (power, digit) => Number(`${digit}e${power}`)).filter(
      (value) => value >= low && value <= high,
    ),
  )
  const fewer = range(powers.length - 2, 0, -1).map((count) => scale.ticks(count))
  return [...divisions, ...fewer].map((values) => ({ values, step: undefined }))
}

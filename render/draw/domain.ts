import { bisectLeft, quickselect } from 'd3-array'
import type { ChartSeries, ChartSpecification, ValueAxis } from './specification.ts'
import { stackSeries } from './stack.ts'

export interface Domain {
  readonly domain: readonly [number, number]
  /** False if there are neither values nor two requested ends; the domain is arbitrary then. */
  readonly hasData: boolean
}

/** Upper and lower ends of a drawn series, or of an axis' stack, at each entry. */
export interface Extents {
  readonly series: ChartSeries
  readonly label: string
  readonly highs: Float64Array
  readonly lows: Float64Array
}

type Range = readonly [low: number, high: number]

/** Outliers are at most this share of an axis' values … */
const maxHiddenShare = 0.01
/** … without which it is at most this part as long … */
const maxLengthShare = 0.5
/** … and are older than this. */
const newestDays = 365

export const listExtents = (series: readonly ChartSeries[], axisId: string): Extents[] => [
  ...series
    .filter((one) => one.axisId === axisId && !one.stacked && one.style !== 'heatmap')
    .map((one) => ({
      series: one,
      label: one.label,
      highs: one.candles?.high ?? one.values,
      lows: one.candles?.low ?? one.values,
    })),
  ...stackSeries(series).flatMap(({ bands, highs, lows }) => {
    const outermost = bands.at(-1)!.series
    return outermost.axisId === axisId ? [{ series: outermost, label: 'Sum', highs, lows }] : []
  }),
]

/**
 * From the smallest to the largest value without outliers, padded by 10 % at both ends, but never
 * across zero: a price axis has no negative labels. A linear axis with bars, areas or stacks
 * contains zero.
 */
export function findDomain(axis: ValueAxis, { x, series, referenceLines }: ChartSpecification): Domain {
  if (axis.rows) return { domain: [0, axis.rows.length], hasData: true }
  const own = series.filter(({ axisId }) => axisId === axis.id)
  const extents = listExtents(series, axis.id)
  const levels = referenceLines
    .filter(({ axisId }) => axisId === axis.id)
    .flatMap(({ y }) => (typeof y === 'number' ? y : [...y]))
  const hasBaseline = own.some(({ style, stacked }) => stacked || style === 'area' || style === 'bar')
  const values = findRange(axis, [levels, ...extents.flatMap(({ highs, lows }) => [highs, lows])])
  const isKnown = values[0] <= values[1]
  let [low, high] = isKnown
    ? findRange(axis, [values, hasBaseline ? [0] : []])
    : axis.scale === 'log'
      ? [1, 10]
      : [0, 1]
  if (axis.ceiling !== undefined && axis.ceiling > low) high = Math.min(high, axis.ceiling)
  if (axis.floor !== undefined && axis.floor < high && canBound(axis, axis.floor)) low = Math.max(low, axis.floor)
  const newestCycle = Math.max(...own.map(({ cycleStart = 0 }) => cycleStart))
  const firstNewDay = bisectLeft(x.days, (x.days.at(-1) ?? 0) - newestDays + 1)
  const newest = extents.flatMap(({ series: { cycleStart = 0 }, highs, lows }) => {
    if (x.kind === 'day_offset') return cycleStart === newestCycle ? [highs, lows] : []
    return [highs.subarray(firstNewDay), lows.subarray(firstNewDay)]
  })
  const kept = findRange(axis, [levels, ...newest, hasBaseline ? [0] : []])
  const range = leaveOutOutliers(axis, [low, high], extents, kept)
  const hasEnds = axis.domainMinimum !== undefined && axis.domainMaximum !== undefined
  return { domain: clampDomain(axis, ...padDomain(axis, ...range)), hasData: isKnown || hasEnds }
}

function findRange(axis: ValueAxis, columns: readonly ArrayLike<number>[]): Range {
  let [low, high]: Range = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  // Lines have equal highs and lows.
  for (const column of new Set(columns)) {
    for (let i = 0; i < column.length; i++) {
      const value = column[i]!
      if (!canBound(axis, value)) continue
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  return [low, high]
}

/** Shortest range without outliers that contains `kept`; `range` without outliers. */
function leaveOutOutliers(axis: ValueAxis, range: Range, extents: readonly Extents[], kept: Range): Range {
  const columns = extents.flatMap(({ highs, lows }) => (highs === lows ? [highs] : [highs, lows]))
  const pool = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0))
  // A range half as long omits all of the lowest or the highest quarter.
  const lowQuarter = pointWithin(axis, range, 0.25)
  const highQuarter = pointWithin(axis, range, 0.75)
  let [count, inLowQuarter, inHighQuarter] = [0, 0, 0]
  for (const column of columns) {
    for (let i = 0; i < column.length; i++) {
      const value = column[i]!
      if (!canBound(axis, value)) continue
      pool[count++] = value
      if (value < lowQuarter) inLowQuarter++
      else if (value > highQuarter) inHighQuarter++
    }
  }
  const spare = Math.floor(maxHiddenShare * count)
  if (spare === 0 || Math.min(inLowQuarter, inHighQuarter) > spare) return range
  // Only the ends need order.
  const values = pool.subarray(0, count)
  quickselect(values, spare)
  quickselect(values, count - 1 - spare, spare + 1)
  const [lowest, highest] = [values.subarray(0, spare + 1).sort(), values.subarray(count - 1 - spare).sort()]
  let shortest = range
  for (let below = 0; below <= spare; below++) {
    const from = Math.max(range[0], Math.min(kept[0], lowest[below]!))
    const to = Math.min(range[1], Math.max(kept[1], highest[below]!))
    if (lengthOf(axis, [from, to]) < lengthOf(axis, shortest)) shortest = [from, to]
  }
  const isShorter = lengthOf(axis, shortest) <= maxLengthShare * lengthOf(axis, range)
  return isShorter && areDistinct(...shortest) ? shortest : range
}

const lengthOf = ({ scale }: ValueAxis, [low, high]: Range): number =>
  scale === 'log' ? Math.log(high / low) : high - low

const pointWithin = ({ scale }: ValueAxis, [low, high]: Range, share: number): number =>
  scale === 'log' ? low * (high / low) ** share : low + share * (high - low)

/** 1 above, −1 below the axis by more than the thickness of a line, otherwise 0. */
export function sideBeyond(axis: ValueAxis, domain: Range, value: number): -1 | 0 | 1 {
  const [low, high] = domain
  const side = value > high ? 1 : value < low ? -1 : 0
  if (side === 0 || (axis.scale === 'log' && value <= 0)) return 0
  return lengthOf(axis, side > 0 ? [high, value] : [value, low]) > 0.004 * lengthOf(axis, domain) ? side : 0
}

/** Values beyond 1e100, and closer to zero than 1e-100, come from overflow. */
export const isDrawable = (value: number): boolean =>
  value === 0 || (Math.abs(value) <= 1e100 && Math.abs(value) >= 1e-100)

/** Values beyond 1e100, and below 1e-100 on a log axis, do not widen the domain. */
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
  // A requested end beyond all data moves the other too; the axis shows an empty range.
  const span = log ? 0 : Math.max(Math.abs(bottom), Math.abs(top), 1) * 0.1
  if (isUsable(axis.domainMaximum)) return log ? [top / 10, top] : [top - span, top]
  return log ? [bottom, bottom * 10] : [bottom, bottom + span]
}

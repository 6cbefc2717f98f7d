import { bisectRight, sum, tickStep } from 'd3-array'
import { isoDate } from '#base/days.ts'
import type { ChartPart } from '#contract/charts.ts'
import { formatDay } from '../draw/calendar.ts'
import { formatValue } from '../draw/number-format.ts'
import type { ChartSource } from './chart-source.ts'
import type { ComposedRequest, RequestedSeries } from './request.ts'
import { ChartRequestError } from './request-error.ts'
import { blue, orange } from './templates/colors.ts'

/** Share of all coins left out at the lower end of a logarithmic axis: they would take half of it. */
const cheapestShare = 0.001

/**
 * A distribution over prices on one day (default: `lastDay`), in bins of equal length on its axis,
 * divided into costs below and above that day's price, a line of colour `stroke`. Shares of the
 * supply are the published ones, which count coins without a price. Throws
 * `ChartRequestError` for a day hidden from the caller.
 */
export async function composeHistogram(
  source: ChartSource,
  { metric, date: day = source.lastDay, scale, min, max, bins }: ChartPart<'histogram'>,
  stroke: string,
): Promise<ComposedRequest> {
  if (day < source.firstDay || day > source.lastDay) {
    const [first, last] = [source.firstDay, source.lastDay].map(isoDate)
    const message = `there is no distribution of ${isoDate(day)}: choose a day from ${first} to ${last}`
    throw new ChartRequestError('not_found', message, { parameter: 'histogram.date' })
  }
  const { id, name } = source.distribution(metric, 'histogram.metric')
  const published = id === 'cost_basis_distribution' ? ['supply_in_profit', 'supply_in_loss', 'circulating_supply'] : []
  const [{ binLower, binUpper, values, unit }, columns] = await Promise.all([
    source.readCells(metric, Int32Array.of(day)),
    source.readValues(['price', ...published].map((one) => source.series(one, 'histogram').id)),
  ])
  const [price = Number.NaN, inProfit, inLoss, supply = 0] = columns.map((column) => column[day - source.firstDay]!)
  /** Coins without a bin: nothing was paid for them, so they are in profit. */
  const unpriced = inProfit !== undefined && inProfit >= 0 ? Math.max(0, supply - sum(values)) : 0
  const isShown = (_: unknown, i: number) => values[i]! > 0 && (scale === 'linear' || binLower[i]! > 0)
  const total = sum(values)
  const low = min ?? (scale === 'log' ? priceAbove(cheapestShare * total, binLower, values) : 0)
  const high = Math.max(max ?? binUpper.findLast(isShown) ?? low, low * 1.01)
  const edges = createEdges(low, high, scale, bins)
  /** Sum between two prices; source bins are spread evenly over their prices. */
  const between = (from: number, to: number): number => {
    let within = 0
    for (let i = bisectRight(binUpper, from); from < to && i < values.length && binLower[i]! < to; i++) {
      const [lower, upper] = [binLower[i]!, binUpper[i]!]
      within += (values[i]! * (Math.min(to, upper) - Math.max(from, lower))) / (upper - lower)
    }
    return within
  }
  const column = (from: number, to: number): Float64Array =>
    edges.slice(1).map((edge, i) => between(Math.max(from, edges[i]!), Math.min(to, edge)))
  const part = (id: string, label: string, color: string, from: number, to: number): RequestedSeries => ({
    id,
    unit,
    color,
    style: 'bar',
    stacked: true,
    values: column(from, to),
    label,
  })
  const share = (amount: number): string => formatValue('percent', (100 * amount) / (total + unpriced))
  const without = unpriced > 0.0005 * total ? `, with the ${share(unpriced)} that had no price` : ''
  const atPrice = inProfit === undefined || inLoss === undefined ? 0 : total + unpriced - inProfit - inLoss
  const even = atPrice > 0.0005 * total ? `; ${share(atPrice)} at cost` : ''
  const all = Number.POSITIVE_INFINITY
  const position = scale === 'log' ? Math.log : (value: number) => value
  const [start, end] = [edges[0]!, edges.at(-1)!]
  const at = ((edges.length - 1) * (position(price) - position(start))) / (position(end) - position(start)) - 0.5
  const outside = total - between(start, end)
  // Half a bar more than that of the data is rounding.
  const isFiner = binLower.some((lower, i) => {
    const bar = edges.findLastIndex((edge) => edge <= lower)
    return isShown(lower, i) && binUpper[i]! - lower > 1.5 * (edges[bar + 1]! - edges[bar]!)
  })
  const range = [start, end].map((edge) => formatValue('currency', edge)).join(' to ')
  return {
    title: `${name}, ${formatDay(day)}`,
    subtitle: `${unit} by the price (USD) at which they last moved${isFiner ? '; some bars are parts of one bin of the data' : ''}`,
    x: { kind: 'bins', days: Int32Array.from(edges.subarray(1), (_, i) => i), edges, scale, day },
    series: Number.isNaN(price)
      ? [part('supply', 'Supply', blue, 0, all)]
      : [
          part('profit', `In profit (${share(inProfit ?? between(0, price))}${without})`, blue, 0, price),
          part('loss', `In loss (${share(inLoss ?? between(price, all))}${even})`, orange, price, all),
        ],
    verticals: Number.isNaN(price)
      ? []
      : [{ day: at, stroke, stroke_dasharray: '6 3', label: `Price ${formatValue('currency', price)}` }],
    remarks:
      outside > 0.0005 * total
        ? [`${formatValue('number', outside)} ${unit} are outside ${range}: see min and max of histogram`]
        : [],
  }
}

/** The lower end of the bin that the coins at the cheapest prices reach, `amount` of them. */
function priceAbove(amount: number, binLower: Float64Array, values: Float64Array): number {
  let passed = 0
  const bin = binLower.findIndex((lower, i) => {
    if (lower > 0) passed += values[i]!
    return passed > amount
  })
  return binLower[bin] ?? 1
}

/** Bin ends: round on a linear axis, otherwise equal ratios. */
function createEdges(low: number, high: number, scale: 'linear' | 'log', count: number): Float64Array {
  if (scale === 'log') return Float64Array.from({ length: count + 1 }, (_, i) => low * (high / low) ** (i / count))
  const step = tickStep(low, high, count)
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)]
  return Float64Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step)
}

import type { ChartSeries, XAxis } from '../draw/specification.ts'
import { stackSeries } from '../draw/stack.ts'
import type { RequestedVertical } from './request.ts'

/** A smaller first value, in parts of the stack's height then, does not look like a rise. */
const minStep = 0.01

/**
 * Lines where parts of stacked areas begin later than others, and the stack rises by them although
 * its sum did not.
 */
export const markBeginnings = (series: readonly ChartSeries[], x: XAxis): RequestedVertical[] =>
  stackSeries(series.filter(({ style }) => style !== 'bar')).flatMap(({ bands, highs }) =>
    bands.flatMap(({ series: { label, values } }) => {
      const begin = values.findIndex(Number.isFinite)
      const isLate = Number.isFinite(highs[begin - 1]) && values[begin]! > minStep * highs[begin]!
      return isLate && x.kind === 'date' ? [{ day: x.days[begin]!, label: `${label} from here` }] : []
    }),
  )

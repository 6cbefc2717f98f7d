import { formatDay } from './calendar.ts'
import type { Box, Drawing } from './drawing.ts'
import { middleToBaseline } from './drawing.ts'
import type { XPositions } from './marks.ts'
import { formatValue } from './number-format.ts'
import type { ChartSpecification } from './specification.ts'
import type { ValueScale } from './value-scale.ts'

export interface LabelBox extends Box {
  readonly y: number
}

/** Year and last value of each cycle, with places around its end, by preference. */
export const listCycleLabels = (
  { sizes }: Drawing,
  { series }: ChartSpecification,
  scales: ReadonlyMap<string, ValueScale>,
  { positions, left: start, right: end }: XPositions,
) =>
  series.flatMap(({ cycleStart, values, axisId, color }) => {
    const { axis, position, step, top, bottom } = scales.get(axisId)!
    const entry = values.findLastIndex(Number.isFinite)
    const [x, height] = [positions[entry]!, position(values[entry]!)]
    if (cycleStart === undefined || !Number.isFinite(height)) return []
    const text = `${formatDay(cycleStart).slice(-4)}: ${formatValue(axis.format, values[entry]! * axis.factor, step)}`
    const places = (width: number): LabelBox[] =>
      [0, -1.2, 1.2, -2.4, 2.4, -3.6].flatMap((drop) =>
        [x + sizes.tick / 2, x - width / 2, x - width].flatMap((wanted) => {
          const left = Math.max(start, Math.min(wanted, end - width))
          const y = height + (drop + middleToBaseline) * sizes.tick
          const box = { left, right: left + width, top: y - 0.8 * sizes.tick, bottom: y + 0.25 * sizes.tick, y }
          return (drop === 0 && left < x) || box.top < top || box.bottom > bottom ? [] : [box]
        }),
      )
    return [{ text, color, places }]
  })

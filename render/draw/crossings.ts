import { formatDay } from './calendar.ts'
import { appendElement, type Drawing, type Group, round } from './drawing.ts'
import type { Crossing } from './specification.ts'
import { falling, rising } from './theme.ts'

/** Draws a triangle in the direction of a crossing around a point. */
export function drawCrossing(
  { sizes, theme }: Drawing,
  group: Group,
  { label, isUp }: Crossing,
  x: number,
  y: number,
): void {
  const half = (isUp ? 7 : -7) * sizes.scale
  appendElement(group, 'path', {
    class: 'crossing',
    'data-label': label,
    d: `M${round(x - 7 * sizes.scale)},${round(y + half)}h${round(14 * sizes.scale)}L${round(x)},${round(y - half)}z`,
    fill: isUp ? rising : falling,
    stroke: theme.background,
    'stroke-width': round(1.2 * sizes.scale),
    'paint-order': 'stroke',
  })
}

/** By name and direction, each group in order of days. */
export const groupCrossings = (crossings: readonly Crossing[] = []): (readonly Crossing[])[] => [
  ...Map.groupBy(crossings, ({ label, isUp }) => `${label} ${isUp}`).values(),
]

export const describeCrossings = (crossings: readonly Crossing[] = []): string[] =>
  groupCrossings(crossings).map((alike) => {
    const { label, day } = alike.at(-1)!
    const times = alike.length === 1 ? 'once, on' : `${alike.length} times, last on`
    return `${label}: ${times} ${formatDay(day)}.`
  })

import { parseDay } from '#base/days.ts'

/** Piecewise linear function of the unix day through the given points, constant outside. */
export function curve(points: readonly (readonly [date: string, value: number])[]): (day: number) => number {
  const known = points.map(([date, value]) => [parseDay(date), value] as const)
  return (day) => {
    const next = known.findIndex(([pointDay]) => pointDay > day)
    if (next === 0) return known[0]![1]
    if (next === -1) return known[known.length - 1]![1]
    const [fromDay, from] = known[next - 1]!
    const [toDay, to] = known[next]!
    return from + ((to - from) * (day - fromDay)) / (toDay - fromDay)
  }
}

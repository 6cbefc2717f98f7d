import { expect, test } from 'vitest'
import { dayOf } from '#base/days.ts'
import { byEachId } from '#contract/aliases.ts'
import { marketEvents } from '#web/chart/events.ts'
import { pack } from '#web/data/packed.ts'
import { chartOf, emptyBench, newLine, packBench, unpackBench } from '#web/pages/workbench/bench.ts'

const index = { metrics: [], byId: byEachId([]) }
const bench = {
  ...emptyBench,
  lines: [newLine('1'), { ...newLine('2'), axis: 'below' as const }, { ...newLine('3'), axis: 'lowest' as const }],
  events: true,
  compared: ['2020-03-12', '2024-04-20'] as const,
  levels: [3.5],
}

test('a bench comes out of an address as it went in', async () => {
  expect(await unpackBench(await packBench(bench))).toEqual(bench)
})

test('days in an address that are none are left out', async () => {
  for (const compared of [['2020-03-12', 'soon'], ['2020-03-12'], 'both', [1, 2]]) {
    const lines = [
      ['1', 'auto'],
      ['2', 'below'],
      ['3', 'lowest'],
    ]
    const packed = await pack({ ...bench, lines, compared })
    expect(await unpackBench(packed)).toEqual({ ...bench, compared: undefined })
  }
})

test('a bench with events, two days and two panes asks for lines at them, and for zones that do not meet', () => {
  const chart = chartOf(bench, bench.lines, index)
  expect(chart.events).toBe(true)
  expect(chart.reference_lines).toEqual([
    { x: dayOf('2020-03-12'), label: 'A' },
    { x: dayOf('2024-04-20'), label: 'B' },
    { y: 3.5 },
  ])
  expect(chart.y_axes?.map(({ id, range }) => [id, range])).toEqual([
    [undefined, [56, 100]],
    ['below', [28, 51]],
    ['lowest', [0, 23]],
  ])
})

test('events have days and names, in order', () => {
  expect(marketEvents[0]).toEqual({ day: dayOf('2011-06-19'), label: 'Mt. Gox hack' })
  expect(marketEvents.map(({ day }) => day)).toEqual(marketEvents.map(({ day }) => day).toSorted((a, b) => a - b))
})

import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { indexByIds } from '#contract/metric-ids.ts'
import { marketEvents } from '#web/chart/market-events.ts'
import { pack } from '#web/data/url-codec.ts'
import {
  emptyState,
  expandLines,
  nameLines,
  newLine,
  packState,
  parseNotes,
  toChartOptions,
  unpackState,
} from '#web/pages/workbench/workbench-state.ts'

const index = { metrics: [], byId: indexByIds([]) }
const bench = {
  ...emptyState,
  lines: [newLine('1'), { ...newLine('2'), axis: 'below' as const }, { ...newLine('3'), axis: 'lowest' as const }],
  events: true,
  compared: ['2020-03-12', '2024-04-20'] as const,
  levels: [3.5],
}

test('a workbench state is read from an address as it was written', async () => {
  expect(await unpackState(await packState(bench))).toEqual(bench)
})

test('invalid days in an address are ignored', async () => {
  for (const compared of [['2020-03-12', 'soon'], ['2020-03-12'], 'both', [1, 2]]) {
    const lines = [
      ['1', 'auto'],
      ['2', 'below'],
      ['3', 'lowest'],
    ]
    const packed = await pack({ ...bench, lines, compared })
    expect(await unpackState(packed)).toEqual({ ...bench, compared: undefined })
  }
})

test('a workbench state with events, two days and two panes becomes lines and separate panes', () => {
  const chart = toChartOptions(bench, bench.lines, index)
  expect(chart.events).toBe(true)
  expect(chart.reference_lines).toEqual([
    { x: parseDay('2020-03-12'), label: 'A' },
    { x: parseDay('2024-04-20'), label: 'B' },
    { y: 3.5 },
  ])
  expect(chart.y_axes?.map(({ id, range }) => [id, range])).toEqual([
    [undefined, [56, 100]],
    ['below', [28, 51]],
    ['lowest', [0, 23]],
  ])
})

test('events have days and names, in order', () => {
  expect(marketEvents[0]).toEqual({ day: parseDay('2011-06-19'), label: 'Mt. Gox hack' })
  expect(marketEvents.map(({ day }) => day)).toEqual(marketEvents.map(({ day }) => day).toSorted((a, b) => a - b))
})

test('a formula names the lines above it, hidden ones too', () => {
  const known = new Set(['price'])
  const lines = ['price', 'm1 * 2', 'f1 + f3', 'f1 / m1 - f2'].map(newLine)
  expect(nameLines(lines, known)).toEqual(['m1', 'f1', 'f2', 'f3'])
  expect(expandLines(lines, known).map(({ text }) => text)).toEqual([
    'price',
    '(price) * 2',
    '((price) * 2) + f3',
    '((price) * 2) / (price) - (((price) * 2) + f3)',
  ])
  const [, , , last] = expandLines(lines, known)
  expect(toChartOptions({ ...emptyState, lines }, [last!], index).formulas).toEqual([
    { expression: last!.text, label: 'f1 / m1 - f2' },
  ])
})

test('notes are lines at their dates, with texts', () => {
  const notes = parseNotes('2022-11-09 FTX fails;2024-04-20; tomorrow: no; 2024-13-01 no')
  expect(notes).toEqual([
    ['2022-11-09', 'FTX fails'],
    ['2024-04-20', ''],
  ])
  const state = { ...bench, compared: undefined, notes }
  expect(toChartOptions(state, bench.lines, index).reference_lines).toEqual([
    { x: parseDay('2022-11-09'), label: 'FTX fails' },
    { x: parseDay('2024-04-20') },
    { y: 3.5 },
  ])
})

test('all settings come back from an address', async () => {
  const state = {
    ...bench,
    title: 'Two lines',
    interval: 'hour' as const,
    cycles: 'months' as const,
    notes: [['2022-11-09', 'FTX, later']] as const,
  }
  expect(await unpackState(await packState(state))).toEqual(state)
})

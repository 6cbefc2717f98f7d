import { expect, test } from 'vitest'
import type { ChartAsk } from '#contract/charts.ts'
import { plainChart } from '#contract/plain-chart.ts'
import { composeAskedChart } from '#render/request/compose-asked.ts'
import { ChartRequestError } from '#render/request/request-error.ts'
import type { ChartSource } from '#render/request/source.ts'

/** Columns as a page may hold them: price 1, 2, 3 … and twice that, from unix day 100 to 199. */
const columns = new Map([
  ['price', Float64Array.from({ length: 100 }, (_, i) => i + 1)],
  ['fees', Float64Array.from({ length: 100 }, (_, i) => 2 * (i + 1))],
])
let pauses = 0
const source: ChartSource = {
  firstDay: 100,
  lastDay: 199,
  isCut: true,
  sourceLine: 'A page',
  address: undefined,
  templates: {},
  events: [{ day: 120, label: 'An event' }],
  ids: new Set(columns.keys()),
  series: (id, parameter) => {
    if (!columns.has(id)) throw new ChartRequestError('not_found', `no ${id}`, { parameter })
    return id === 'price'
      ? { id, name: id, unit: 'USD', kind: 'level', aggregate: 'last', style: 'line', firstDay: 100 }
      : { id, name: id, unit: 'BTC', kind: 'flow', aggregate: 'sum', style: 'line', firstDay: 100 }
  },
  distribution: (_, parameter) => {
    throw new ChartRequestError('not_found', 'none here', { parameter })
  },
  valuesOf: async (ids) => ids.map((id) => columns.get(id)!),
  cycleStarts: async () => [110, 150],
  cells: async () => ({
    label: '',
    unit: '',
    binLower: Float64Array.of(),
    binUpper: Float64Array.of(),
    values: Float64Array.of(),
  }),
  pause: async () => {
    pauses++
  },
}
const compose = (ask: Partial<ChartAsk>) => composeAskedChart(source, { ...plainChart, ...ask })

test('a chart is composed of columns from anywhere', async () => {
  const { specification, historyLimitedTo } = await compose({
    metrics: ['price', 'fees'],
    formulas: [{ expression: 'sma(m1, 3) * 2' }],
    days: 10,
    title: 'T',
  })
  expect(specification).toMatchObject({ title: 'T', source: 'A page', dateLine: '10 Jul 1970 – 19 Jul 1970' })
  expect([...specification.x.days]).toEqual([190, 191, 192, 193, 194, 195, 196, 197, 198, 199])
  expect(specification.series.map(({ id, unit, values }) => [id, unit, values[0], values[9]])).toEqual([
    ['price', 'USD', 91, 100],
    ['fees', 'BTC', 182, 200],
    ['f1', 'USD', 180, 198],
  ])
  expect(pauses).toBe(1)
  // Formulas see what the source holds, and its days begin within the history.
  expect(historyLimitedTo).toBe('1970-04-11')
  expect((await compose({ metric: 'price', days: 10 })).historyLimitedTo).toBeUndefined()
})

test('weeks are whole, those of levels their last value and those of flows their sum, unless the chart says otherwise', async () => {
  // Unix day 193 was a Monday, 199 the Sunday: fees are 2 × 94 to 2 × 100. Day 188 is a Wednesday.
  const weekly = async (ask: Partial<ChartAsk>) => {
    const { specification } = await compose({ interval: 'week', start_date: 188, ...ask })
    return [[...specification.x.days], ...specification.series.map(({ values }) => [...values])]
  }
  const doubled = { expression: 'fees * 2' }
  expect(await weekly({ metrics: ['price', 'fees'], formulas: [doubled] })).toEqual([
    [192, 199],
    [93, 100],
    [1260, 1358],
    [2520, 2716],
  ])
  const means = [{ id: 'fees', aggregate: 'mean' as const }]
  expect(await weekly({ metrics: means, formulas: [{ ...doubled, aggregate: 'max' }] })).toEqual([
    [192, 199],
    [180, 194],
    [372, 400],
  ])
  // The history begins on a Saturday, so that there is no sum of that week; Tuesday is all that the open week has.
  const [days, price, fees] = await weekly({ metrics: ['price', 'fees'], start_date: 100, end_date: 110 })
  expect([days, price, fees]).toEqual([
    [101, 108, 110],
    [2, 9, 11],
    [Number.NaN, 84, 42],
  ])
})

test('cycles begin where the source says', async () => {
  const { specification } = await compose({ metric: 'price', x_axis: 'day_offset' })
  expect(specification.series.map(({ cycleStart, values }) => [cycleStart, values[0], values[39]])).toEqual([
    [110, 11, 50],
    [150, 51, 90],
  ])
  // Of the first, nothing is known of the ten days that are shown.
  const { specification: late } = await compose({ metric: 'price', x_axis: 'day_offset', start_date: 140, days: 10 })
  expect(late.series.map(({ cycleStart }) => cycleStart)).toEqual([150])
})

test('what does not hold is told by its field, and what the source throws comes through', async () => {
  const problem = (reason: string, parameter: string) => ({ reason, problem: { parameter } })
  await expect(compose({})).rejects.toMatchObject(problem('invalid_parameter', 'metric'))
  await expect(compose({ metric: 'pric' })).rejects.toMatchObject(problem('not_found', 'metrics'))
  await expect(compose({ template: 'pric' })).rejects.toMatchObject(problem('not_found', 'template'))
  await expect(compose({ metric: 'price', formulas: [{ expression: 'm1 +' }] })).rejects.toMatchObject(
    problem('invalid_parameter', 'formulas.0.expression'),
  )
  await expect(compose({ metric: 'price', start_date: 300 })).rejects.toMatchObject(problem('not_found', 'start_date'))
})

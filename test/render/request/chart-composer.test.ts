import { expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import type { ChartBody } from '#contract/charts.ts'
import { defaultChart } from '#contract/default-chart.ts'
import { writeChartCsv } from '#render/draw/chart-table.ts'
import { composeChart } from '#render/request/chart-composer.ts'
import type { ChartSource } from '#render/request/chart-source.ts'
import { ChartRequestError } from '#render/request/request-error.ts'
import { requireTemplate } from '#render/request/templates.ts'
import { evaluateFormula } from '#sql/formula/evaluate.ts'

/** Price 1, 2, 3 … and fees of twice that, from unix day 100 to 199. */
const columns = new Map([
  ['price', Float64Array.from({ length: 100 }, (_, i) => i + 1)],
  ['fees', Float64Array.from({ length: 100 }, (_, i) => 2 * (i + 1))],
])
const source: ChartSource = {
  firstDay: 100,
  lastDay: 199,
  isCut: true,
  sourceLine: 'A page',
  address: undefined,
  template: requireTemplate,
  events: [{ day: 120, label: 'An event' }],
  ids: new Set(columns.keys()),
  series: (id, parameter) => {
    if (!columns.has(id)) throw new ChartRequestError('not_found', `no ${id}`, { parameter })
    return id === 'price'
      ? {
          id,
          name: id,
          unit: 'USD',
          dimension: 'USD per coin',
          kind: 'level',
          aggregate: 'last',
          style: 'line',
          firstDay: 100,
        }
      : {
          id,
          name: id,
          unit: 'BTC',
          dimension: 'BTC per day',
          kind: 'flow',
          aggregate: 'sum',
          style: 'line',
          firstDay: 100,
        }
  },
  distribution: (_, parameter) => {
    throw new ChartRequestError('not_found', 'none here', { parameter })
  },
  readValues: async (ids) => ids.map((id) => columns.get(id)!),
  readFine: () => Promise.reject(new ChartRequestError('not_found', 'no hours', { parameter: 'interval' })),
  cycleStarts: async () => ({ firstDays: [110, 150], isLastProvisional: false }),
  readCells: async () => ({
    label: '',
    unit: '',
    binLower: Float64Array.of(),
    binUpper: Float64Array.of(),
    values: Float64Array.of(),
  }),
  evaluate: (formula, length, lookup) => evaluateFormula(formula, length, lookup),
}
const compose = (ask: Partial<ChartBody>) => composeChart(source, { ...defaultChart, ...ask })

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
  // Formulas have only the values of the source, whose days begin within the history.
  expect(historyLimitedTo).toBe('1970-04-11')
  expect((await compose({ metric: 'price', days: 10 })).historyLimitedTo).toBeUndefined()
})

test('weeks are whole, those of levels their last value and those of flows their sum, unless the chart says otherwise', async () => {
  // Unix day 193 was a Monday, 199 the Sunday: fees are 2 × 94 to 2 × 100. Day 188 is a Wednesday.
  const weekly = async (ask: Partial<ChartBody>) => {
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
  // The history begins on a Saturday, so that week has no sum; the open week has only Tuesday.
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
  expect(specification.x).not.toHaveProperty('countsDays')
  const counted = await compose({ metric: 'price', x_axis: 'day_offset', cycle_days: true })
  expect(counted.specification.x).toMatchObject({ countsDays: true })
  const [head, row] = writeChartCsv(counted.specification).split('\n')
  expect([head?.slice(0, 9), row?.slice(0, 13)]).toEqual(['day,date,', '0,1970-05-31,'])
  const negative = { ...source, readValues: async () => [columns.get('price')!.map((value) => -value)] }
  await expect(
    composeChart(negative, { ...defaultChart, metric: 'price', x_axis: 'day_offset', indexed: true }),
  ).rejects.toThrow('no cycle of the family halving that begins with more than zero between')
  // The first series has no values in the ten displayed days.
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

test('an area that hardly changes is a line, unless somebody asks for the area', async () => {
  const shown = async (ask: Partial<ChartBody>, area: (days: number) => number) => {
    const values = Float64Array.from({ length: 100 }, (_, i) => area(i))
    const areas: ChartSource = {
      ...source,
      series: (id, parameter) => ({ ...source.series(id, parameter), style: 'area' }),
      readValues: async () => [values],
    }
    const { specification } = await composeChart(areas, { ...defaultChart, days: 30, ...ask })
    return specification.series[0]!.style
  }
  const slow = (i: number) => 1000 + i
  expect(await shown({ metric: 'price' }, slow)).toBe('line')
  expect(await shown({ metric: 'price' }, (i) => i)).toBe('area')
  expect(await shown({ metric: 'price', style: 'area' }, slow)).toBe('area')
  expect(await shown({ metrics: [{ id: 'price', style: 'area' }] }, slow)).toBe('area')
  expect(await shown({ metrics: [{ id: 'price', stacked: true }] }, slow)).toBe('area')
})

test('normalized bars and areas are lines, unless the request has a style', async () => {
  const normalized = { ...defaultChart, metrics: ['price', 'fees'], normalize: 'percentile' as const }
  const styles = async (body: ChartBody) => {
    const bars: ChartSource = {
      ...source,
      series: (id, at) => ({ ...source.series(id, at), style: id === 'fees' ? 'bar' : 'area' }),
    }
    return (await composeChart(bars, body)).specification.series.map(({ style }) => style)
  }
  expect(await styles(normalized)).toEqual(['line', 'line'])
  expect(await styles({ ...normalized, metrics: ['price', { id: 'fees', style: 'bar' }] })).toEqual(['line', 'bar'])
  expect(await styles({ ...normalized, style: 'area' })).toEqual(['area', 'area'])
  expect(await styles({ ...defaultChart, metrics: ['price', 'fees'] })).toEqual(['area', 'bar'])
})

test('a template begins on its own date unless others are requested, and shows no less than some months', async () => {
  const late: ChartSource = {
    ...source,
    template: (name) => ({
      title: '',
      subtitle: '',
      ...(name === 'both'
        ? { metrics: ['price', 'fees'], start_date: isoDate(140) }
        : { metrics: [{ id: 'fees' }], interval: 'month' }),
    }),
  }
  const days = async (ask: Partial<ChartBody>) => {
    const { specification } = await composeChart(late, { ...defaultChart, ...ask })
    return [specification.x.days[0], specification.x.days.length]
  }
  expect(await days({ template: 'both' })).toEqual([140, 60])
  expect(await days({ template: 'both', range: 'all' })).toEqual([100, 100])
  expect(await days({ template: 'both', days: 20 })).toEqual([180, 20])
  expect(await days({ template: 'both', start_date: 130 })).toEqual([130, 70])
  expect(await days({ template: 'both', end_date: 120 })).toEqual([100, 21])
  // Four weeks and the open one; the months April to July of 1970 by default of the template, or as
  // requested.
  expect(await days({ template: 'monthly', days: 30 })).toEqual([171, 5])
  expect(await days({ template: 'monthly', start_date: 170 })).toEqual([171, 5])
  expect(await days({ template: 'monthly', days: 30, interval: 'month' })).toEqual([180, 2])
  expect((await days({ template: 'monthly' }))[1]).toBe(4)
})

test('a table of months has ten years or as many as fit, however few days are asked for, and tells from which day on', async () => {
  const days = 12 * 365
  const values = Float64Array.from({ length: days }, (_, i) => i + 1)
  const long: ChartSource = { ...source, firstDay: 0, lastDay: days - 1, readValues: async () => [values] }
  const table = async (ask: Partial<ChartBody>) => {
    const asked = { ...defaultChart, calendar: { metric: 'price' }, ...ask }
    const { dateLine, monthGrid } = (await composeChart(long, asked)).specification
    return [dateLine.replace(/ –.*/, ''), monthGrid!.years.length, monthGrid!.years[0]]
  }
  // Day 4379 is 28 December 1981.
  expect(await table({ days: 30, height: 300 })).toEqual(['1 Jan 1972', 10, 1972])
  expect(await table({ days: 30, height: 450 })).toEqual(['1 Jan 1971', 11, 1971])
  expect(await table({ days: 30 })).toEqual(['1 Jan 1970', 12, 1970])
  expect(await table({ range: 'all' })).toEqual(['1 Jan 1970', 12, 1970])
  expect(await table({ start_date: 4100 })).toEqual(['1 Jan 1981', 1, 1981])
})

test('cycles into which a metric came late are left out, but for the newest', async () => {
  const from = async (firstDay: number | undefined) => {
    const late: ChartSource = {
      ...source,
      cycleStarts: async () => ({ firstDays: [100, 130, 160], isLastProvisional: true }),
      series: (id, parameter) => ({ ...source.series(id, parameter), firstDay }),
    }
    const { specification } = await composeChart(late, { ...defaultChart, metric: 'price', x_axis: 'day_offset' })
    return specification.series.map(({ cycleStart }) => cycleStart)
  }
  expect(await from(110)).toEqual([100, 130, 160])
  expect(await from(111)).toEqual([130, 160])
  expect(await from(199)).toEqual([160])
  expect(await from(undefined)).toEqual([100, 130, 160])
})

test('an index of series that begin on different days says where each is 100', async () => {
  const late = new Map([...columns, ['fees', columns.get('fees')!.map((value, i) => (i < 20 ? Number.NaN : value))]])
  const labels = async (values: typeof columns) => {
    const found: ChartSource = { ...source, readValues: async (ids) => ids.map((id) => values.get(id)!) }
    const asked = { ...defaultChart, metrics: ['price', 'fees'], normalize: 'index' as const, range: 'all' as const }
    return (await composeChart(found, asked)).specification.series.map(({ label }) => label)
  }
  expect(await labels(columns)).toEqual(['price', 'fees'])
  expect(await labels(late)).toEqual(['price (100 on 11 Apr 1970)', 'fees (100 on 1 May 1970)'])
  const none = columns.get('fees')!.map(() => Number.NaN)
  expect(await labels(new Map([...columns, ['fees', none]]))).toEqual(['price', 'fees'])
})

import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseDay } from '#base/days.ts'
import { date, parameters, timeParameters } from '#mcp/answers/parameters.ts'
import { readArguments } from '#mcp/answers/read-arguments.ts'

const series = readArguments(
  parameters({
    metrics: z.array(z.string()).optional(),
    ...timeParameters,
    interval: z.enum(['1d', 'day', 'week']).optional(),
  }),
)
const rankingOf = readArguments(
  parameters({
    of: z.enum(['funds', 'treasuries', 'exchanges', 'pools']),
    order: z.enum(['highest', 'lowest']).optional(),
    limit: z.int().optional(),
  }),
)

test.each([
  [
    { metric: 'mvrv', limit: '5' },
    { metrics: ['mvrv'], rows: 5, days: 30 },
  ],
  [
    { metrics: 'mvrv, sopr', start: '2024-01-01' },
    { metrics: ['mvrv', 'sopr'], start_date: '2024-01-01', days: 30 },
  ],
  [
    { metrics: ['mvrv'], rows: 2, limit: 9 },
    { metrics: ['mvrv'], rows: 2, days: 9 },
  ],
  [
    { metrics: ['mvrv'], period: 'weekly' },
    { metrics: ['mvrv'], interval: 'week', days: 30 },
  ],
])('names and forms that assistants guess are read: %j', (given, read) => {
  expect(series.parse(given)).toEqual(read)
})

test.each([
  [{ of: 'ETFs' }, { of: 'funds' }],
  [
    { of: 'exchange', rows: 3 },
    { of: 'exchanges', limit: 3 },
  ],
  [
    { kind: 'treasury', sort: 'asc' },
    { of: 'treasuries', order: 'lowest' },
  ],
  [
    { of: 'Mining Pools', sortOrder: 'DESC', top_n: '1,000' },
    { of: 'pools', order: 'highest', limit: 1000 },
  ],
])('values in singular, plural and other words are read: %j', (given, read) => {
  expect(rankingOf.parse(given)).toEqual(read)
})

const dated = parameters({
  metric: z.string().min(1).optional(),
  metrics: z.array(z.string()).min(1).optional(),
  ...timeParameters,
  items: z.array(parameters({ x: date.optional(), label: z.string().optional() })).optional(),
})
const today = parseDay('2024-03-14')

test('empty values of optional parameters, and what clients add, are as if they were not there', () => {
  const given = {
    ...{ metric: '', metrics: [], start_date: null, end_date: 'null', rows: '', items: [null, { x: null, label: '' }] },
    ...{
      task_progress: '- [x] done',
      sessionId: 's',
      toolCallId: 't',
      random_string: 'x',
      action: 'sendMessage',
      _meta: {},
    },
  }
  expect(readArguments(dated).parse(given)).toEqual({ days: 30, items: [{}] })
  expect(readArguments(parameters({})).parse(null)).toEqual({})
  expect(readArguments(parameters({})).parse({ random_string: 'dummy' })).toEqual({})
  // A tool's own parameter is no addition.
  expect(readArguments(parameters({ action: z.string() })).parse({ action: 'list' })).toEqual({ action: 'list' })
  expect(readArguments(parameters({ query: z.string().min(1) })).safeParse({ query: null }).success).toBe(false)
})

test('dates in words are read, and said', () => {
  const notes: string[] = []
  const read = readArguments(dated, notes, today)
  const given = { start_date: 2021, end: 'last month', items: [{ x: '31.12.2021' }] }
  expect(read.parse(given)).toEqual({
    days: 30,
    start_date: '2021-01-01',
    end_date: '2024-02-29',
    items: [{ x: '2021-12-31' }],
  })
  expect(notes).toEqual([
    "start_date '2021' is read as 2021-01-01.",
    "x '31.12.2021' is read as 2021-12-31.",
    "end_date 'last month' is read as 2024-02-29.",
  ])
  expect(read.parse({ end_date: 'now', days: '90 days' })).toEqual({ days: 90 })
  expect(read.safeParse({ start_date: '03/04/2021' }).error?.message).toContain('must be a day, such as 2021-12-31')
  expect(notes).toHaveLength(3)
})

test('near misses are refused with the right name', () => {
  expect(readArguments(dated).safeParse({ strat_date: '2021' }).error?.message).toContain(
    'unknown parameter strat_date (did you mean start_date?)',
  )
  const single = readArguments(parameters({ query: z.string(), limit: z.int().optional() }))
  expect(single.safeParse({ query: 'x', start: '2021' }).error?.message).toContain('unknown parameter start')
})

test('what a tool declares is never read as something else, and what it does not know is refused', () => {
  const both = readArguments(parameters({ type: z.string().optional(), of: z.string().optional(), limit: z.int() }))
  expect(both.parse({ type: 'public', limit: 2 })).toEqual({ type: 'public', limit: 2 })
  expect(both.safeParse({ limit: 2, active: true }).error?.message).toContain('unknown parameter active')
  expect(rankingOf.safeParse({ of: 'planets' }).success).toBe(false)
  // Bands contain all coins: fewer of them are not a part of the answer.
  const distribution = readArguments(parameters({ bands: z.int() }))
  expect(distribution.parse({ rows: 5 })).toEqual({ bands: 5 })
  expect(distribution.safeParse({ limit: 5 }).error?.message).toContain('unknown parameter limit; this tool has bands')
  expect(series.safeParse({ metrics: ['mvrv'], days: 7, rows: 2, limit: 9 }).error?.message).toContain(
    'parameter limit',
  )
})

test.each([
  [{ date: '2021-11-10' }, { start_date: '2021-11-10', end_date: '2021-11-10', days: 30 }],
  [
    { date: '2021', end_date: '2021-06-30' },
    { start_date: '2021-01-01', end_date: '2021-06-30', days: 30 },
  ],
  [{ startDate: 'Q3 2021' }, { start_date: '2021-07-01', days: 30 }],
  [{ days: 'last 7 days' }, { days: 7 }],
  [{ range: '1 week' }, { days: 7 }],
  [{ lookback: 'year' }, { days: 366 }],
  [{ days: '60,000', rows: 0 }, undefined],
  [
    { days: '1,000', rows: 0 },
    { days: 1_000, rows: 'none' },
  ],
])('ranges that assistants guess are read: %j', (given, read) => {
  expect(readArguments(parameters(timeParameters), [], today).safeParse(given).data).toEqual(read)
})

const mixed = readArguments(
  parameters({
    condition: z.string().optional(),
    exchange: z.string().optional(),
    price: z.number().optional(),
    symbol: z.literal('BTC').optional(),
    isLong: z.boolean().optional(),
    cohort: z.string().optional(),
    fields: z.array(z.string()).min(2).optional(),
  }),
)
test.each([
  [{ query: 'price > 100k' }, { condition: 'price > 100000' }],
  [{ condition: 'price>=$60,000 and mvrv < 1.5' }, { condition: 'price>=60000 and mvrv < 1.5' }],
  [{ condition: 'price > 1.5M' }, { condition: 'price > 1500000' }],
  // A comma may be between arguments, and names have such parts.
  [{ condition: 'if(price > 10,100,0)' }, { condition: 'if(price > 10,100,0)' }],
  [{ condition: 'a <addresses_over_1k_btc' }, { condition: 'a <addresses_over_1k_btc' }],
  [{ exchange: 'All', price: '$60k' }, { price: 60_000 }],
  [{ exchange: 'null', price: '60,000.5' }, { price: 60_000.5 }],
  [
    { symbol: 'btc/usd', isLong: 'False' },
    { symbol: 'BTC', isLong: false },
  ],
  [{ cohort_id: 2021 }, { cohort: '2021' }],
  [{ metrics: 'price and mvrv' }, { fields: ['price', 'mvrv'] }],
])('values that assistants guess are read: %j', (given, read) => {
  expect(mixed.parse(given)).toEqual(read)
})

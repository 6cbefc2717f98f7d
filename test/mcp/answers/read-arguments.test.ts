import { expect, test } from 'vitest'
import { z } from 'zod'
import { parameters, timeParameters } from '#mcp/answers/parameters.ts'
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
    of: z.enum(['funds', 'treasuries', 'exchanges']),
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
])('values in singular, plural and other words are read: %j', (given, read) => {
  expect(rankingOf.parse(given)).toEqual(read)
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

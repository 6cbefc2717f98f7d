import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { type Assistant, http } from '../support/clients.ts'
import { dataDir, key, serveDemo, service } from '../support/demo-service.ts'
import { countTokens } from '../support/tokens.ts'
import { questions, type Told, unanswerable } from './forty-questions.ts'

/**
 * Asks forty questions of users, compares each answer with SQL on the published tables, and prints a table with the tokens
 * that each answer costs.
 */

const mostCalls = 2
const mostTokens = 1_500
const usualTokens = 500

serveDemo()
let assistant: Assistant
const table: { question: string; calls: string; tokens: number; answer: string }[] = []

beforeAll(async () => {
  assistant = await http.connect(service, key)
})
afterAll(async () => {
  await assistant?.close()
  const lines = table.map(({ question, calls, tokens, answer }) => `${tokens}\t${question}\t${calls}\t${answer}`)
  process.stdout.write(`tokens\tquestion\tcalls\tanswer\n${lines.join('\n')}\n`)
})

async function asked({ question, calls }: { question: string; calls: (typeof questions)[number]['calls'] }) {
  expect(calls.length).toBeLessThanOrEqual(mostCalls)
  const answers: unknown[] = []
  let tokens = 0
  for (const [tool, given] of calls) {
    const { isError, content, structuredContent } = await assistant.call(tool, given)
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
    if (isError) throw new Error(text)
    tokens += countTokens(text)
    answers.push(structuredContent)
  }
  const row = { question, calls: calls.map(([tool, given]) => `${tool} ${JSON.stringify(given)}`).join('; '), tokens }
  expect(tokens).toBeLessThanOrEqual(mostTokens)
  return { answers, row }
}

const rank = z.object({ value: z.number(), since: z.iso.date() })

const inSixDigits = (value: Told): Told => (typeof value === 'number' ? Number(value.toPrecision(6)) : value)

describe('questions', () => {
  test.each(questions)('$question', async ({ question, calls, read, sql }) => {
    const { answers, row } = await asked({ question, calls })
    const told = read(...answers)
    const query = sql
      .replaceAll('{today}', '(SELECT max(date) FROM {metrics_valuation})')
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => publishedTable(dataDir, name))
    const [expected = []] = await rowsOf(query)
    expect(told).toHaveLength(expected.length)
    for (const [i, value] of expected.entries()) {
      const one = told[i]!
      if (typeof one === 'number' && value !== null) {
        // Both are rounded, so the sixth digit may differ.
        expect(Math.abs(one - Number(value))).toBeLessThanOrEqual(2e-5 * Math.abs(Number(value)))
      } else expect(one === null ? null : String(one)).toBe(value)
    }
    table.push({ ...row, answer: told.map(inSixDigits).join(', ') })
  })

  test.each(unanswerable)('$question', async ({ question, calls, about }) => {
    const { answers, row } = await asked({ question, calls })
    expect(answers).toEqual([
      expect.objectContaining({ not_tracked: expect.stringContaining(`not tracked: ${about};`) }),
    ])
    table.push({ ...row, answer: 'not tracked' })
  })

  test('most cost few tokens', () => {
    const tokens = table.map((row) => row.tokens).sort((one, other) => one - other)
    expect(tokens).toHaveLength(40)
    expect(tokens[Math.floor(tokens.length / 2)]).toBeLessThanOrEqual(usualTokens)
  })
})

test('numbers of one fund, exchange and entity have the units of their columns', async () => {
  const unitsOf = async (tool: string, given: Record<string, unknown>) => {
    const statistics = z.array(z.object({ field: z.string(), unit: z.string().optional() }))
    const answer = z.object({ statistics }).parse(await assistant.ask(tool, { ...given, rows: 'none' }))
    return Object.fromEntries(answer.statistics.map(({ field, unit }) => [field, unit]))
  }
  expect(await unitsOf('get_treasuries', { entity_id: 1 })).toMatchObject({
    ...{ btc_amount: 'BTC', total_current_value_usd: 'USD', percentage_of_total_supply: 'percent' },
  })
  expect(await unitsOf('get_etf', { ticker: 'IBIT' })).toMatchObject({
    ...{ cumulative_flow_btc: 'BTC', realized_cap: 'USD', premium: 'ratio' },
  })
  expect(await unitsOf('get_open_interest', { exchange: 'binance' })).toMatchObject({ oi_usd: 'USD', oi_btc: 'BTC' })
})

test('a single price bounds the supply on its side', async () => {
  const sums = z.object({ from_usd: z.number(), to_usd: z.number().nullable(), supply_btc: z.number() })
  const between = async (given: Record<string, unknown>) =>
    z.object({ between: sums }).parse(await assistant.ask('get_cost_basis', { ...given, rows: 0 })).between
  const [[below, above] = []] = await rowsOf(
    `WITH bins AS (SELECT supply_sats / 1e8 AS supply, CASE WHEN upper_price > lower_price
         THEN least(1, greatest(0, (40000 - lower_price) / (upper_price - lower_price)))
         ELSE (lower_price < 40000)::INT END AS share
       FROM ${publishedTable(dataDir, 'cost_basis')} QUALIFY date = max(date) OVER ())
     SELECT sum(supply * share), sum(supply * (1 - share)) FROM bins`,
  )
  const six = (value: string | null | undefined): number => Number(Number(value).toPrecision(6))
  expect(await between({ price_to: 40_000 })).toEqual({ from_usd: 0, to_usd: 40_000, supply_btc: six(below) })
  expect(await between({ price_from: 40_000 })).toEqual({ from_usd: 40_000, to_usd: null, supply_btc: six(above) })
  expect(Math.min(six(below), six(above))).toBeGreaterThan(0)
})

describe('without a key', () => {
  let stranger: Assistant
  beforeAll(async () => {
    stranger = await http.connect(service)
  })
  afterAll(() => stranger?.close())

  const one = z.object({ statistics: z.array(z.looseObject({ percentile: rank.nullable() })).length(1) })
  const percentileIn = (answer: unknown) => one.parse(answer).statistics[0]!.percentile

  test('the percentile of the newest value is that of all history', async () => {
    const asked = { metrics: ['mvrv'], rows: 'none' }
    const all = percentileIn(await assistant.ask('get_series', asked))
    expect(all?.value).toBeLessThan(100)
    expect(percentileIn(await stranger.ask('get_series', asked))).toEqual(all)
    expect(percentileIn(await stranger.ask('get_series', { ...asked, days: 10_000 }))).toEqual(all)
  })

  test('formulas, earlier days and single funds have no percentile', async () => {
    const { statistics } = z
      .object({ statistics: z.array(z.looseObject({ percentile: z.null(), history_only_since: z.iso.date() })) })
      .parse(await stranger.ask('get_series', { formula: 'cummax(price)' }))
    expect(statistics).toHaveLength(1)
    const before = isoDate(parseDay(new Date().toISOString().slice(0, 10)) - 10)
    expect(percentileIn(await stranger.ask('get_series', { metrics: ['mvrv'], end_date: before }))).toBeNull()
    expect(percentilesIn(await stranger.ask('get_etf', { ticker: 'IBIT' }))).toEqual([])
  })

  test('nothing that is told of more days than are seen goes without saying since when', async () => {
    const all = { days: 10_000 }
    const calls: [tool: string, given: Record<string, unknown>][] = [
      ...['get_prices', 'get_holder_supply', 'get_holder_valuation', 'get_coindays', 'get_blockchain', 'get_etf'].map(
        (tool): [string, Record<string, unknown>] => [tool, all],
      ),
      ...['get_funding', 'get_open_interest', 'get_treasuries'].map((tool): [string, typeof all] => [tool, all]),
      ['get_treasuries', { ...all, entity_id: 1 }],
      ['get_cohort_metrics', { cohort: 'lth', fields: ['supply', 'realized_price'], ...all }],
      ['compare_metrics', { metrics: ['price', 'mvrv'], ...all }],
      ['get_series', { metrics: ['price'], formula: 'price / realized_price', interval: '1m', ...all }],
      ['find_days', { condition: 'mvrv > 0' }],
      ['top_days', { metric: 'price' }],
      ['compare_cycles', {}],
      ['get_cycle_performance', { type: 'halving' }],
    ]
    for (const [tool, given] of calls) {
      const answer = await stranger.ask(tool, given)
      expect(answer.notes, tool).toEqual(
        expect.arrayContaining([expect.stringContaining('This connection sees days from')]),
      )
      const extremes = objectsUnder(answer, [
        'min',
        'max',
        'until_day',
        'whole',
        'longest',
        'last',
        'top',
        'afterwards',
        'now',
      ])
      expect(extremes.length, tool).toBeGreaterThan(0)
      for (const extreme of extremes) expect(extreme, tool).toHaveProperty('only_since')
      for (const { since } of percentilesIn(answer)) expect(since < '2024-12-01', `${tool} ${since}`).toBe(true)
    }
  })
})

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Every object under one of these names, or in a list under one. */
function objectsUnder(value: unknown, names: readonly string[]): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap((one) => objectsUnder(one, names))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, one]) => {
    const own = names.includes(name) ? [one].flat().filter(isObject) : []
    return [...own, ...objectsUnder(one, names)]
  })
}

const percentilesIn = (answer: unknown) => objectsUnder(answer, ['percentile']).map((one) => rank.parse(one))

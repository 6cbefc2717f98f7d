import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { zonesByMetric } from '#contract/zones.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { type Assistant, http } from '../support/clients.ts'
import { dataDir, key, serveDemo, service } from '../support/demo-service.ts'
import { countTokens } from '../support/tokens.ts'
import { askChanges, changeSql, places, readChanges, testChanges } from '../support/what-changed.ts'
import { questions, type Told, unanswerable } from './forty-questions.ts'

/**
 * Asks forty questions of users, compares each answer with SQL on the published tables, and prints
 * a table with the tokens that each answer costs.
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

/** Numbers as text, dates as Germans write them. */
const makeSloppy = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'number'
        ? String(value).replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$3.$2.$1')
        : value,
    ]),
  )

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

  test('answers are the same for arguments as sloppy as models and clients send them', {
    timeout: 60_000,
  }, async () => {
    const calls = questions.flatMap((one) => one.calls)
    expect(calls.length).toBeGreaterThan(35)
    for (const [tool, given] of calls) {
      const withoutNotes = async (arguments_: Record<string, unknown>) => {
        const { notes = [], ...answer } = await assistant.ask(tool, arguments_)
        return { answer, notes: z.array(z.string()).parse(notes) }
      }
      const added = {
        task_progress: '- [ ] x',
        sessionId: 's',
        toolCallId: 't',
        random_string: 'x',
        action: 'sendMessage',
      }
      const neat = await withoutNotes(given)
      const sloppy = await withoutNotes({ ...added, end_date: null, rows: '', ...makeSloppy(given) })
      expect(sloppy.answer, `${tool} ${JSON.stringify(given)}`).toEqual(neat.answer)
      const dates = Object.entries(given).filter(([, value]) => /^\d{4}-\d\d-\d\d$/.test(String(value)))
      for (const [name, value] of dates)
        expect(sloppy.notes.join()).toMatch(new RegExp(`${name} '.*' is read as ${value}`))
    }
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

test('numbers, switches and lists may be text, and intervals have two names', async () => {
  const asked = { metrics: ['price', 'mvrv'], days: 21, rows: 2, interval: '1w' }
  const expected = await assistant.ask('get_series', asked)
  expect(expected.notes).toContainEqual(expect.stringContaining('the newest has only the days so far'))
  const listed = { metrics: 'price, mvrv', days: '21', rows: '2', interval: 'week' }
  expect(await assistant.ask('get_series', listed)).toEqual(expected)
  expect(await assistant.ask('get_series', { ...listed, metrics: '["price","mvrv"]' })).toEqual(expected)
  const drawn = { metric: 'price', days: '60', overlay: 'price', format: 'json' }
  expect((await assistant.ask('render_chart', { ...drawn, interval: '1w' })).series).toEqual(
    (await assistant.ask('render_chart', { ...drawn, interval: 'week' })).series,
  )
  const variants = { category: 'supply', include_variants: 'true', limit: '1' }
  expect(await assistant.ask('list_metrics', variants)).toEqual(
    await assistant.ask('list_metrics', { ...variants, include_variants: true, limit: 1 }),
  )
  const wrong = await assistant.call('get_series', { metrics: 'price', days: 'many' })
  expect([wrong.isError, JSON.stringify(wrong.content)]).toEqual([true, expect.stringContaining('days: ')])
})

test('rows by hour have its beginning, and add up to the day', async () => {
  const day = '2024-03-01'
  const asked = { metrics: ['tx_count'], start_date: day, end_date: day }
  const { rows, columns, notes } = z
    .looseObject({ rows: z.array(z.tuple([z.string(), z.number()])), columns: z.array(z.string()), notes: z.unknown() })
    .parse(await assistant.ask('get_series', { ...asked, interval: 'hourly', rows: 'all' }))
  expect(columns).toEqual(['time', 'tx_count'])
  expect(rows).toHaveLength(24)
  expect(rows[0]![0]).toBe(`${day}T23:00:00Z`)
  const { statistics } = await assistant.ask('get_series', asked)
  expect(statistics).toMatchObject([{ last: rows.reduce((sum, [, value]) => sum + value, 0) }])
  expect(notes).toContainEqual(expect.stringContaining('Statistics are of closed days'))
  const { metrics, ...days } = asked
  const drawn = await assistant.ask('render_chart', { metric: metrics[0], ...days, interval: '1h', format: 'json' })
  expect(drawn.series).toMatchObject([{ count: 24, last: { time: `${day}T23:00:00.000Z` } }])
  const refused = await assistant.call('get_series', { metrics: ['mvrv_1y_2y'], interval: '1h' })
  expect([refused.isError, JSON.stringify(refused.content)]).toEqual([
    true,
    expect.stringContaining('its intervals are 1d, 1w, 1m'),
  ])
})

test('errors of a condition name no parameter of the API', async () => {
  const { isError, content } = await assistant.call('find_days', { condition: 'mvrv <' })
  expect([isError, JSON.stringify(content)]).toEqual([
    true,
    expect.stringContaining('"the formula ends too early at position 7'),
  ])
})

test('one day of prices has no statistics, a single day of others only its values', async () => {
  const day = '2024-03-01'
  const prices = await assistant.ask('get_prices', { start_date: day, end_date: day, fields: 'close, high' })
  expect(prices).toMatchObject({
    columns: ['date', 'close', 'high'],
    rows: [[day, expect.any(Number), expect.any(Number)]],
    units: { close: 'USD', high: 'USD' },
  })
  expect(prices).not.toHaveProperty('statistics')
  const { statistics, rows } = await assistant.ask('get_series', { metrics: ['mvrv'], start_date: day, end_date: day })
  expect([Object.keys(z.array(z.looseObject({})).parse(statistics)[0]!), rows]).toEqual([
    ['field', 'unit', 'last', 'percentile'],
    undefined,
  ])
  expect(await assistant.ask('get_prices', { start_date: '2008-01-01', end_date: '2008-01-01' })).toMatchObject({
    notes: expect.arrayContaining([expect.stringContaining('No rows in this range')]),
  })
})

test.each([
  ['get_series', { metrics: ['price', 'mvrv'], days: 2_000 }],
  ['get_series', { formula: 'price / realized_price', days: 2_000 }],
  ['get_series', { metrics: ['fees'], interval: 'week', days: 3_000 }],
  ['get_holder_valuation', { days: 800 }],
  ['get_funding', { exchange: 'binance', days: 400 }],
])('%s %j links to all rows as CSV, for the rights of the caller', async (tool, given) => {
  const { csv_url, row_count } = z
    .object({ csv_url: z.url(), row_count: z.number() })
    .parse(await assistant.ask(tool, given))
  const fetched = await fetch(csv_url, { headers: { Authorization: `Bearer ${key}` } })
  expect(fetched.headers.get('Content-Type')).toContain('text/csv')
  const lines = (await fetched.text()).trimEnd().split('\n')
  expect(lines).toHaveLength(row_count + 1)
  const stranger = await fetch(csv_url)
  expect(stranger.ok ? (await stranger.text()).trimEnd().split('\n').length : 0).toBeLessThan(63)
  expect(await assistant.ask(tool, { ...given, days: 30 })).not.toHaveProperty('csv_url')
})

test('numbers of one fund, exchange and entity have the units of their columns', async () => {
  const unitsOf = async (tool: string, given: Record<string, unknown>) => {
    const statistics = z.array(z.object({ field: z.string(), unit: z.string().optional() }))
    const answer = z.object({ statistics }).parse(await assistant.ask(tool, { ...given, rows: 'none' }))
    return Object.fromEntries(answer.statistics.map(({ field, unit }) => [field, unit]))
  }
  expect(await unitsOf('get_treasuries', { entity_id: 1 })).toMatchObject({
    btc_amount: 'BTC',
    total_current_value_usd: 'USD',
    percentage_of_total_supply: 'percent',
  })
  expect(await unitsOf('get_etf', { ticker: 'IBIT' })).toMatchObject({
    cumulative_flow_btc: 'BTC',
    realized_cap: 'USD',
    premium: 'ratio',
  })
  expect(await unitsOf('get_open_interest', { exchange: 'binance' })).toMatchObject({ oi_usd: 'USD', oi_btc: 'BTC' })
})

test.each([
  ['nupl > 50', 'Never true on these days: nupl was from -', ' (ratio).'],
  [
    '(percent_change(price, 1) < -99) or nupl > 50',
    'Never true on these days: percent_change(price, 1) was from -',
    ' (ratio).',
  ],
  ['price > 0 and supply_in_profit_percent > 0.95', 'Always true on these days: price was from 0.05', ' (percent).'],
])('the condition %s, which expects another unit, is answered with units and ranges', async (condition, from, to) => {
  const { notes } = await assistant.ask('find_days', { condition })
  expect(notes).toContainEqual(expect.stringContaining(from))
  expect(notes).toContainEqual(expect.stringContaining(to))
  const { notes: usual } = await assistant.ask('find_days', { condition: 'nupl > 0.5' })
  expect(JSON.stringify(usual)).not.toContain('true on these days')
})

test('funds are ranked by flows in USD, at the close of each day', async () => {
  const { unit, items } = z
    .object({ unit: z.string(), items: z.array(z.object({ id: z.string(), value: z.number() })) })
    .parse(await assistant.ask('get_ranking', { of: 'funds', by: 'net_flow_usd', days: 30, limit: 100 }))
  const expected = await rowsOf(
    `SELECT sum(net_flow_btc * close) FROM ${publishedTable(dataDir, 'etf')} JOIN ${publishedTable(dataDir, 'prices')} USING (date)
     WHERE ticker = 'IBIT' AND date > (SELECT max(date) - 30 FROM ${publishedTable(dataDir, 'etf')})`,
  )
  expect(unit).toBe('USD')
  expect(items.find(({ id }) => id === 'IBIT')?.value).toBe(Number(Number(expected[0]![0]).toPrecision(6)))
})

test('answers name what overlaps, what is running, and what a change is of', async () => {
  const { items } = await assistant.ask('get_ranking', { of: 'cohorts', by: 'supply', limit: 2 })
  expect(items).toMatchObject([{ id: 'lth', about: 'several age bands together' }, { id: 'sth' }])
  const { cycles } = await assistant.ask('compare_cycles')
  const running = z.array(z.looseObject({ running: z.literal(true).optional() })).parse(cycles)
  expect(running.map((cycle) => cycle.running)).toEqual([true, ...running.slice(1).map(() => undefined)])
  expect((await assistant.ask('what_changed', { period: 'week' })).change).toContain('the mean of 7 days')
})

test('a single price bounds the supply on its side', async () => {
  const sums = z.object({ from_usd: z.number(), to_usd: z.number().nullable(), supply_btc: z.number() })
  const between = async (given: Record<string, unknown>) =>
    z.object({ between: sums }).parse(await assistant.ask('get_cost_basis', { ...given, bands: 0 })).between
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

describe('what changed', () => {
  testChanges(['day'], () => assistant)

  test('metrics that are told as one move together', async () => {
    const all = await places()
    const rows = (await readChanges('day')).filter(({ id, like }) => like !== null && all.has(id) && all.has(like))
    expect(rows.length).toBeGreaterThan(50)
    for (const { id, like } of rows.filter((_, i) => i % 25 === 0)) {
      const changes = [id, like!].map((one) => {
        const [table, column, kind] = all.get(one)!
        return changeSql(table!, column!, kind!, 1).replace(/newest AS[\s\S]*/, 'x AS (SELECT 1) SELECT * FROM changes')
      })
      const [[correlation] = []] = await rowsOf(
        `SELECT corr(one.change, other.change) FROM (${changes[0]}) AS one JOIN (${changes[1]}) AS other USING (date)
         WHERE date > (SELECT max(date) FROM ${publishedTable(dataDir, 'metrics_market')}) - 730`,
      )
      expect.soft(Math.abs(Number(correlation)), `${id} ${like}`).toBeGreaterThan(0.8999)
    }
  })

  test('without a key the ranks are the same, and the answer says which days are seen', async () => {
    const stranger = await http.connect(service)
    const { tokens, answer, notes } = await askChanges(stranger, 'week')
    await stranger.close()
    expect(tokens).toBeLessThanOrEqual(500)
    expect(notes).toContain('This connection sees days from')
    expect(notes).toContain('more metrics need tier pro')
    const all = new Map((await readChanges('week')).map((row) => [row.id, row]))
    for (const [, id, , , rank] of answer.moves) expect(rank).toBeCloseTo(all.get(id)!.change_percentile!, 1)
  })
})

describe('readings', () => {
  const reading = z.object({ value: z.number().optional(), zone: z.string().optional(), zones: z.array(z.string()) })
  const read = async (who: Assistant, metric_id: string) =>
    reading.parse((await who.ask('get_metric', { metric_id })).reading)

  test('zones ascend without gaps, of metrics that there are, and name who defines them', async () => {
    const known = new Set((await rowsOf(`SELECT id FROM ${publishedTable(dataDir, 'catalogue')}`)).flat())
    expect(zonesByMetric.size).toBeGreaterThan(12)
    for (const [id, { texts, bounds, source }] of zonesByMetric) {
      expect(known.has(id), id).toBe(true)
      expect(bounds, id).toEqual(bounds.toSorted((one, other) => one - other))
      const ranges = bounds.map((bound, i) =>
        i + 1 < bounds.length ? `${bound} to ${bounds[i + 1]}` : `${bound} or more`,
      )
      expect(texts.map((text) => text.split(': ')[0])).toEqual([`below ${bounds[0]}`, ...ranges])
      expect(source).toMatch(/^.+, https:\/\/\S+$/)
    }
  })

  test.each(['mvrv', 'reserve_risk', 'avg_funding_rate'])('shares of the zones of %s equal SQL', async (id) => {
    const { bounds, texts } = zonesByMetric.get(id)!
    const [[table, column] = []] = await rowsOf(
      `SELECT table_name, column_name FROM ${publishedTable(dataDir, 'catalogue')} WHERE id = '${id}'`,
    )
    const days = `SELECT date, "${column}" AS value FROM ${publishedTable(dataDir, table!)} WHERE value IS NOT NULL AND date >= '2012-01-01'`
    const zone = bounds.map((bound) => `(value >= ${bound})::INT`).join(' + ')
    const expected = await Promise.all(
      texts.map(async (text, i) => {
        const [[share, since] = []] = await rowsOf(
          `SELECT round(100 * avg((${zone} = ${i})::INT), 1), min(date) FROM (${days})`,
        )
        return `${text}, ${Number(share).toFixed(1)} % of days since ${since}`
      }),
    )
    const [[value, current] = []] = await rowsOf(`SELECT value, ${zone} FROM (${days}) ORDER BY date DESC LIMIT 1`)
    const { notes } = await assistant.ask('get_metric', { metric_id: id })
    expect(notes).toContainEqual(expect.stringContaining('Made-up'))
    const told = await read(assistant, id)
    expect(told.zones).toEqual(expected)
    expect(told.value).toBe(Number(Number(value).toPrecision(6)))
    expect(told.zone).toBe(texts[Number(current)]!.split(': ')[1])
  })

  test('without a key shares are of the days that are seen, and zones of withheld metrics have none', async () => {
    const stranger = await http.connect(service)
    const [seen, withheld, none] = [
      await read(stranger, 'mvrv'),
      await read(stranger, 'sopr'),
      await stranger.ask('get_metric', { metric_id: 'price' }),
    ]
    await stranger.close()
    expect(seen.zones[0]).toMatch(/% of days since 202\d/)
    expect(withheld).toEqual({ zones: zonesByMetric.get('sopr')!.texts })
    expect(none.reading).toBeUndefined()
  })
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

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Assistant, ways } from '../support/clients.ts'
import { key, serveDemo, service } from '../support/demo-service.ts'

/** For each tool arguments that it answers, and such that it refuses, with a part of what it says. */
const calls: Readonly<
  Record<string, { valid: Record<string, unknown>[]; invalid: [Record<string, unknown>, string][] }>
> = {
  list_metrics: {
    valid: [{}, { category: 'market' }, { offset: 3_000 }],
    invalid: [[{ category: 'x' }, 'use one of market']],
  },
  search_metrics: {
    valid: [{ query: 'overvalued' }, { query: 'prix réalisé' }, { query: 'exchange balance' }],
    invalid: [
      [{ query: 'qqqqq' }, 'other or fewer words'],
      [{}, 'query'],
    ],
  },
  get_metric: { valid: [{ metric_id: 'mvrv' }], invalid: [[{ metric_id: 'mvvr' }, "did you mean 'mvrv'"]] },
  get_categories: { valid: [{}], invalid: [[{ active: true }, 'unknown parameter active']] },
  get_latest_metrics: { valid: [{}, { category: 'market' }], invalid: [[{ category: 'x' }, 'use one of market']] },
  get_series: {
    valid: [
      { metrics: ['price', 'mvrv'] },
      { metrics: ['price', 'mvrv', 'sopr'], days: 10_000 },
      { formula: 'price / realized_price', days: 400, interval: '1m' },
    ],
    invalid: [
      [{}, 'neither metrics nor formula'],
      [{ metrics: ['nothing_such'] }, "there is no metric 'nothing_such'"],
      [{ formula: 'price +' }, "parameter 'formula'"],
      [{ metrics: ['price'], interval: '1h' }, '1d'],
    ],
  },
  compare_metrics: {
    valid: [{ metrics: ['price', 'lth_supply'] }],
    invalid: [[{ metrics: ['price'] }, 'metrics']],
  },
  get_prices: {
    valid: [{}, { symbol: 'BTC', days: 400 }, { start_date: '2020-04-01', end_date: '2020-04-03' }],
    invalid: [
      [{ symbol: 'ETH' }, 'must be BTC'],
      [{ days: 0 }, 'days'],
      [{ days: 10_001 }, '10000'],
      [{ limit: 5 }, 'this tool has symbol, days'],
      [{ start_date: '2010-02-30' }, 'is no real date'],
      [{ start_date: '2010-02-03', end_date: '2010-02-01' }, 'later than end_date'],
      [{ fields: ['closing'] }, 'close'],
    ],
  },
  get_holder_supply: { valid: [{ days: 400 }], invalid: [[{ fields: [] }, 'fields']] },
  get_holder_valuation: { valid: [{}], invalid: [[{ days: '30' }, 'days']] },
  get_holder_profit: { valid: [{ fields: ['nupl', 'sopr'] }], invalid: [[{ end_date: 'today' }, 'YYYY-MM-DD']] },
  get_coindays: { valid: [{}], invalid: [[{ fields: ['x'] }, "there is no field 'x'"]] },
  get_blockchain: {
    valid: [{ metric: 'block_height' }, { metric: 'blocks_mined', days: 400 }, {}],
    invalid: [[{ metric: 'height' }, 'block_height']],
  },
  get_cohort_metrics: {
    valid: [{ cohort: 'lth' }, { cohort: '1m_3m', fields: ['supply'] }, { cohort: 'over_1m' }],
    invalid: [
      [{ cohort: 'old' }, '10y_plus'],
      [{ cohort: 'lth', fields: ['x'] }, "there is no measure 'x'"],
      [{}, 'cohort'],
    ],
  },
  get_utxo_history: {
    valid: [{ days: 10_000 }, { date_processed: '2020-06-01', cohort_start: '2020-05-01', cohort_end: '2020-05-31' }],
    invalid: [[{ date_processed: '01.06.2020' }, 'YYYY-MM-DD']],
  },
  get_cost_basis: { valid: [{}, { date: '2020-12-31' }], invalid: [[{ date: 'x' }, 'date']] },
  get_cycle_performance: { valid: [{}, { type: 'halving' }], invalid: [[{ type: 'moon' }, 'halving']] },
  get_cycle_boundaries: { valid: [{}, { family: 'low' }], invalid: [[{ family: 'moon' }, 'halving']] },
  get_etf: { valid: [{}, { ticker: 'IBIT' }], invalid: [[{ ticker: 'NONE' }, 'list_etfs']] },
  get_funding: { valid: [{ days: 90 }, { exchange: 'binance' }], invalid: [[{ exchange: 'mtgox' }, 'list_exchanges']] },
  get_open_interest: { valid: [{}, { exchange: 'okx' }], invalid: [[{ exchange: 'mtgox' }, 'list_exchanges']] },
  get_treasuries: { valid: [{}, { entity_id: 1 }], invalid: [[{ entity_id: 999_999 }, 'list_treasuries']] },
  list_etfs: { valid: [{}], invalid: [[{ offset: -1 }, 'offset']] },
  list_exchanges: { valid: [{}], invalid: [[{ x: 1 }, 'this tool has offset']] },
  list_treasuries: { valid: [{}, { offset: 100_000 }], invalid: [[{ offset: 'a' }, 'offset']] },
  get_treasury_reports: { valid: [{ entity_id: 2 }], invalid: [[{ entity_id: 999_999 }, 'list_treasuries']] },
  get_treasury_stats: { valid: [{}], invalid: [[{ id: 1 }, 'unknown parameter id']] },
  render_chart: {
    valid: [
      { metric: 'price' },
      { metrics: ['price', { id: 'mvrv', axis_id: 'ratio', dash: '4 3' }], y_axes: [{ id: 'ratio' }], format: 'svg' },
      { template: 'mvrv_ratio', format: 'json', days: 60 },
      { heatmap: { metric: 'cost_basis_distribution' }, format: 'json' },
      {
        metrics: ['price'],
        formulas: [{ expression: 'sma(m1, 7)', label: 'Week' }],
        reference_lines: [{ y: 2, dash: '2 2', label: 'two' }],
        reference_areas: [{ y1: 1, y2_formula: 'm1' }],
        start_date: '2020-06-01',
      },
    ],
    invalid: [
      [{}, 'exactly one of metric'],
      [{ metric: 'price', template: 'price' }, 'exactly one of metric'],
      [{ metric: 'price', width: 100 }, '600'],
      [{ metric: 'nothing_such' }, "there is no metric 'nothing_such'"],
      [{ metric: 'price', reference_lines: [{ y: 1, stroke_dasharray: '4' }] }, 'stroke_dasharray'],
    ],
  },
  get_status: { valid: [{}], invalid: [[{ x: 1 }, 'this tool has none']] },
}

serveDemo()

describe.each(ways)('$name', (way) => {
  let assistant: Assistant
  beforeAll(async () => {
    assistant = await way.connect(service, key)
  })
  afterAll(() => assistant?.close())

  test('lists the tools, each with schemas, a description and the promise to change nothing', async () => {
    const tools = await assistant.tools()
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort())
    for (const { name, description, annotations, inputSchema } of tools) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/)
      expect(description.length).toBeGreaterThan(60)
      expect(annotations.readOnlyHint).toBe(true)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    }
  })

  test('every tool answers valid input within its schema and within 25,000 characters', async () => {
    const schemas = new Map(
      (await assistant.tools()).map(({ name, outputSchema }) => [name, z.fromJSONSchema(outputSchema)]),
    )
    for (const [name, { valid }] of Object.entries(calls)) {
      for (const given of valid) {
        const { isError, content, structuredContent } = await assistant.call(name, given)
        const texts = content.flatMap((block) => (block.type === 'text' ? [block] : []))
        expect(isError ?? false, `${name} ${JSON.stringify(given)}: ${texts[0]?.text.slice(0, 300)}`).toBe(false)
        expect(schemas.get(name)!.safeParse(structuredContent).error, name).toBeUndefined()
        expect(texts).toHaveLength(1)
        expect(JSON.parse(texts[0]!.text)).toEqual(structuredContent)
        expect(JSON.stringify(texts).length, name).toBeLessThan(25_000)
      }
    }
  })

  test('every tool says of invalid input what is wrong', async () => {
    for (const [name, { invalid }] of Object.entries(calls)) {
      for (const [given, part] of invalid) expect(await assistant.fail(name, given), name).toContain(part)
    }
  })

  test('resources and prompts can be listed and read', async () => {
    expect(await assistant.resourceNames()).toEqual([
      'coinstrata://catalogue',
      'coinstrata://changelog',
      'coinstrata://metrics/{metric_id}',
    ])
    const catalogue = z
      .array(z.looseObject({ id: z.string() }))
      .parse(JSON.parse(await assistant.resource('coinstrata://catalogue')))
    const served = z.object({ count: z.number() }).parse(await (await fetch(`${service.url}/v1/metrics`)).json())
    expect(catalogue).toHaveLength(served.count)
    expect(JSON.parse(await assistant.resource('coinstrata://metrics/mvrv'))).toMatchObject({ id: 'mvrv' })
    expect(await assistant.resource('coinstrata://changelog')).toMatch(/^# Changelog/)
    expect(await assistant.complete('coinstrata://metrics/{metric_id}', 'metric_id', 'mvr')).toContain('mvrv')
    await expect(assistant.resource('coinstrata://metrics/nothing_such')).rejects.toThrow('there is no metric')
    for (const name of await assistant.prompts()) expect(await assistant.prompt(name), name).toContain('Rules:')
    expect(await assistant.prompts()).toHaveLength(5)
    expect(await assistant.prompt('cycle_comparison', { family: 'low' })).toContain('type low')
    await expect(assistant.prompt('market_overview', { days: 'many' })).rejects.toThrow('whole number')
  })
})

test('nothing of all this was logged as a failure', () => {
  expect(service.log()).toBe('')
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Assistant, Transport } from './clients.ts'
import { key, serveDemo, service } from './demo-service.ts'

/** Valid and invalid arguments of each tool, with part of the error message. */
const calls: Readonly<
  Record<string, { valid: Record<string, unknown>[]; invalid: [Record<string, unknown>, string][] }>
> = {
  list_metrics: {
    valid: [{}, { category: 'Market', limit: 1_000 }, { offset: 3_000 }],
    invalid: [[{ category: 'x' }, 'use one of market']],
  },
  search_metrics: {
    valid: [{ query: 'overvalued' }, { query: 'prix réalisé' }, { query: 'exchange balance' }],
    invalid: [
      [{ query: 'qqqqq' }, 'use other'],
      [{}, 'query'],
    ],
  },
  get_metric: {
    valid: [{ metric_id: 'mvrv' }, { metric_id: ' MVRV' }],
    invalid: [
      [{ metric_id: 'mvvr' }, "did you mean 'mvrv'"],
      [{ metric_id: 'exchange_balance' }, 'not tracked: balances and flows of exchanges; '],
    ],
  },
  get_categories: { valid: [{}], invalid: [[{ active: true }, 'unknown parameter active']] },
  get_latest_metrics: {
    valid: [{}, { category: 'market', limit: 1_000 }],
    invalid: [[{ category: 'x' }, 'use one of market']],
  },
  get_series: {
    valid: [
      { metrics: ['price', 'mvrv'] },
      { metrics: ['price', 'mvrv', 'sopr'], days: 10_000, rows: 'all' },
      { formula: 'price / realized_price', days: 400, interval: '1m' },
      { metrics: ['price'], interval: '1h', limit: 24 },
    ],
    invalid: [
      [{}, 'neither metrics nor formula'],
      [{ metrics: ['nothing_such'] }, "there is no metric 'nothing_such'"],
      [{ metrics: ['price', 'MicroStrategy'] }, "did you mean 'dat_"],
      [{ formula: 'price +' }, 'the formula ends too early'],
      [{ metrics: ['price'], interval: '2h' }, '1d'],
      [{ metrics: ['price'], rows: 'some' }, 'rows'],
      [{ formula: 'sma(price)' }, 'call it as sma(s, n)'],
    ],
  },
  find_days: {
    valid: [
      { condition: 'mvrv < 1 AND price > 100' },
      { condition: 'price > 1e12' },
      { condition: 'not mvrv >= 1', outcome: 'Realized Price', start_date: '2020-01-01', limit: 50 },
    ],
    invalid: [
      [{}, 'condition'],
      [{ condition: 'mvrv <' }, 'the formula ends too early'],
    ],
  },
  what_changed: { valid: [{}, { period: 'month' }], invalid: [[{ period: 'decade' }, 'period']] },
  top_days: {
    valid: [{ metric: 'price' }, { formula: 'percent_change(price, 1)', order: 'lowest', days: 400, limit: 100 }],
    invalid: [
      [{}, 'one of metric and formula'],
      [{ metric: 'price', formula: 'price' }, 'one of metric and formula'],
    ],
  },
  get_ranking: {
    valid: [
      ...[{ of: 'exchanges' }, { of: 'exchanges', by: 'Funding Rate', order: 'lowest' }, { of: 'pools' }],
      ...[
        { of: 'etfs', rows: 100 },
        { of: 'funds', by: 'net_flow_btc', days: 30 },
        { of: 'funds', by: 'fee' },
      ],
      ...[
        { of: 'treasuries', type: 'government' },
        { of: 'cohorts', by: 'mvrv' },
      ],
    ],
    invalid: [
      [{}, 'exchanges'],
      [{ of: 'funds', by: 'taste' }, 'btc_holdings'],
      [{ of: 'cohorts', by: 'taste' }, 'realized_price'],
    ],
  },
  compare_metrics: {
    valid: [{ metrics: ['price', 'lth_supply'] }],
    invalid: [[{ metrics: ['price'] }, 'metrics']],
  },
  compare_cycles: {
    valid: [{}, { metric: 'MVRV', family: 'ath', day: 100 }],
    invalid: [[{ family: 'moon' }, 'halving']],
  },
  get_prices: {
    valid: [{ limit: 5 }, { symbol: 'BTC', days: 400 }, { start_date: '2020-04-01', end_date: '2020-04-03' }],
    invalid: [
      [{ symbol: 'ETH' }, 'must be BTC'],
      [{ days: 0 }, 'days'],
      [{ days: 10_001 }, '10000'],
      [{ height: 5 }, 'this tool has symbol, days'],
      [{ start_date: '2010-02-30' }, 'is not a real date'],
      [{ start_date: '2010-02-03', end_date: '2010-02-01' }, 'later than end_date'],
      [{ fields: ['closing'] }, 'close'],
    ],
  },
  get_holder_supply: {
    valid: [{ days: 400 }],
    invalid: [
      [{ fields: 'x' }, 'fields'],
      [{ fields: ['long_term_holders'] }, 'use fields such as lth_supply,'],
    ],
  },
  get_holder_valuation: { valid: [{ days: '30' }], invalid: [[{ days: 'many' }, 'days']] },
  get_holder_profit: { valid: [{ fields: ['nupl', 'sopr'] }], invalid: [[{ end_date: 'soon' }, 'such as 2021-12-31']] },
  get_coindays: { valid: [{}], invalid: [[{ fields: ['x'] }, "there is no field 'x'"]] },
  get_blockchain: {
    valid: [{ metric: 'block_height' }, { metric: 'blocks_mined', days: 400 }, {}],
    invalid: [[{ metric: 'height' }, 'block_height']],
  },
  get_cohort_metrics: {
    valid: [
      { cohort: 'LTH' },
      { cohort: 'Long-term holders' },
      { cohort: '1m_3m', fields: ['Supply'] },
      { cohort: 'over_1m' },
      { cohort: '1 to 2 years' },
      { cohort: 'taproot', fields: null },
    ],
    invalid: [
      [{ cohort: 'old' }, '10y_plus'],
      [{ cohort: 'lth', fields: ['x'] }, "there is no measure 'x'"],
      [{}, 'cohort'],
    ],
  },
  get_utxo_history: {
    valid: [
      { days: 10_000, rows: 'all' },
      { date_processed: '2020-06-01', cohort_start: '2020-05-01', cohort_end: '2020-05-31' },
    ],
    invalid: [[{ date_processed: '06/01/2020' }, 'such as 2021-12-31']],
  },
  get_cost_basis: {
    valid: [{}, { date: '2020-12-31', bands: 100 }, { price_from: 100, price_to: 1_000 }],
    invalid: [
      [{ date: 'x' }, 'date'],
      [{ price_from: 10, price_to: 5 }, 'not below'],
      [{ limit: 5 }, 'bands'],
    ],
  },
  get_cycle_performance: { valid: [{}, { type: 'halving', rows: 'all' }], invalid: [[{ type: 'moon' }, 'halving']] },
  get_cycle_boundaries: { valid: [{}, { family: 'low' }], invalid: [[{ family: 'moon' }, 'halving']] },
  get_etf: {
    valid: [{}, { ticker: 'ibit' }, { ticker: 'iShares Bitcoin Trust' }, { ticker: '' }],
    invalid: [
      [{ ticker: 'NONE' }, 'get_ranking'],
      [{ ticker: 'BlackRock' }, 'IBIT ('],
    ],
  },
  get_funding: {
    valid: [{ days: 90 }, { exchange: 'Binance Futures' }],
    invalid: [[{ exchange: 'mtgox' }, 'get_ranking']],
  },
  get_open_interest: { valid: [{}, { exchange: 'okx' }], invalid: [[{ exchange: 'mtgox' }, 'get_ranking']] },
  get_treasuries: {
    valid: [{}, { entity_id: 1 }, { entity: 'mstr' }, { entity: 'Strategy Inc.' }],
    invalid: [
      [{ entity_id: 999_999 }, 'get_ranking'],
      [{ entity: 'Nobody' }, 'get_ranking'],
    ],
  },
  get_treasury_reports: {
    valid: [{ entity_id: 2 }, { entity: 'Strategy Inc' }],
    invalid: [[{ entity_id: 999_999 }, 'get_ranking']],
  },
  render_chart: {
    valid: [
      { metric: 'price' },
      { metrics: ['price', { id: 'mvrv', axis_id: 'ratio', dash: '4 3' }], y_axes: [{ id: 'ratio' }], format: 'svg' },
      { template: 'mvrv_ratio', format: 'json', days: 60 },
      { template: 'HODL waves chart', format: 'json', metric: '', heatmap: null, theme: null },
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
  manage_alerts: {
    valid: [
      { action: 'list' },
      { action: 'try', metric: 'MVRV', condition: { kind: 'above', value: 1 } },
      { action: 'try', formula: 'price / sma(price, 50)', condition: '{"kind": "percentile", "percentile": 90}' },
      { action: 'create', metric: 'price', condition: { kind: 'all_time_high' }, email: false },
    ],
    invalid: [
      [{ action: 'create', metric: 'price', condition: { kind: 'above', value: 1 } }, 'sends no mail'],
      [{ action: 'try', metric: 'price', condition: { kind: 'above' } }, "'condition.value'"],
      [{ action: 'try', metric: 'price' }, "'condition'"],
      [{ action: 'try', metric: 'mvvr', condition: { kind: 'above', value: 1 } }, "did you mean 'mvrv'"],
      [{ action: 'remove' }, 'give the id'],
      [{ action: 'remove', id: 'al_0' }, 'no such alert'],
    ],
  },
  get_status: { valid: [{}, { random_string: 'x' }], invalid: [[{ x: 1 }, 'this tool has none']] },
  search: { valid: [{ query: 'overvalued' }, { query: 'qqqqq' }, { query: 'mempool' }], invalid: [[{}, 'query']] },
  fetch: {
    valid: [{ id: 'MVRV' }, { id: 'cost_basis_distribution' }],
    invalid: [[{ id: 'mvvr' }, "did you mean 'mvrv'"]],
  },
}

const manual = z.object({ outputSchema: z.record(z.string(), z.any()) })

/** Tests all tools of the demo chain over each transport. */
export function testTools(transports: readonly Transport[]): void {
  serveDemo()

  describe.each(transports)('$name', (way) => {
    let assistant: Assistant
    beforeAll(async () => {
      assistant = await way.connect(service, key)
    })
    afterAll(() => assistant?.close())

    test('lists the tools, each with schemas, a description and, but for one, the promise to change nothing', async () => {
      const tools = await assistant.tools()
      expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort())
      for (const { name, description, annotations, inputSchema } of tools) {
        expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
        expect(description.length).toBeGreaterThan(50)
        expect(annotations.readOnlyHint).toBe(name !== 'manage_alerts')
        expect(inputSchema).toMatchObject({ type: 'object', properties: {} })
      }
    })

    test('every tool answers valid input within its schema and within 25,000 characters', async () => {
      for (const [name, { valid }] of Object.entries(calls)) {
        const { outputSchema } = manual.parse(JSON.parse(await assistant.resource(`coinstrata://tools/${name}`)))
        const schema = z.fromJSONSchema(outputSchema)
        for (const given of valid) {
          const { isError, content, structuredContent } = await assistant.call(name, given)
          const texts = content.flatMap((block) => (block.type === 'text' ? [block] : []))
          expect(isError ?? false, `${name} ${JSON.stringify(given)}: ${texts[0]?.text.slice(0, 300)}`).toBe(false)
          expect(schema.safeParse(structuredContent).error, name).toBeUndefined()
          expect(texts).toHaveLength(1)
          expect(JSON.parse(texts[0]!.text)).toEqual(structuredContent)
          expect(JSON.stringify(texts).length, name).toBeLessThan(25_000)
        }
      }
    })

    test('every tool says of invalid input what is wrong', async () => {
      for (const [name, { invalid }] of Object.entries(calls)) {
        for (const [given, part] of invalid) {
          const told = await assistant.fail(name, given)
          expect(told, name).toContain(part)
          expect(told, name).not.toContain('/v1/')
        }
      }
    })

    test('resources and prompts can be listed and read', async () => {
      expect(await assistant.resourceNames()).toEqual([
        'coinstrata://catalogue',
        'coinstrata://changelog',
        'coinstrata://catalogue/{page}',
        'coinstrata://tools/{name}',
        'coinstrata://metrics/{metric_id}',
      ])
      const catalogue = z
        .array(z.looseObject({ id: z.string() }))
        .parse(JSON.parse(await assistant.resource('coinstrata://catalogue')))
      const served = z.object({ count: z.number() }).parse(await (await fetch(`${service.url}/v1/metrics`)).json())
      expect(catalogue).toHaveLength(served.count)
      expect((await assistant.resource('coinstrata://catalogue/all')).length).toBeGreaterThan(2_000_000)
      const page = z.object({
        page: z.literal(2),
        pages: z.number(),
        metrics: z.array(z.looseObject({ id: z.string() })),
      })
      const text = await assistant.resource('coinstrata://catalogue/2')
      expect(text.length).toBeLessThan(25_000)
      const { pages } = page.parse(JSON.parse(text))
      expect(pages).toBeGreaterThan(5)
      const paged = new Set<string>()
      for (let number = 1; number <= pages; number++) {
        const { metrics } = page
          .omit({ page: true })
          .parse(JSON.parse(await assistant.resource(`coinstrata://catalogue/${number}`)))
        for (const { id } of metrics) paged.add(id)
      }
      expect(['price', 'mvrv', 'lth_mvrv'].map((id) => paged.has(id))).toEqual([true, true, true])
      expect(['over_6m_supply', 'etf_holdings_btc_ibit'].filter((id) => paged.has(id))).toEqual([])
      await expect(assistant.resource('coinstrata://catalogue/1000')).rejects.toThrow()
      expect(JSON.parse(await assistant.resource('coinstrata://tools/get_series')).more).toContain('sma(s, n): mean (')
      expect(JSON.parse(await assistant.resource('coinstrata://metrics/mvrv'))).toMatchObject({ id: 'mvrv' })
      expect(await assistant.resource('coinstrata://changelog')).toMatch(/^# Changelog/)
      expect(await assistant.complete('coinstrata://metrics/{metric_id}', 'metric_id', 'mvr')).toContain('mvrv')
      expect(await assistant.completePrompt('cycle_comparison', 'family', 'h')).toEqual(['halving'])
      expect(await assistant.completePrompt('market_overview', 'days', '3')).toEqual(['30', '365'])
      await expect(assistant.resource('coinstrata://metrics/nothing_such')).rejects.toThrow('there is no metric')
      for (const name of await assistant.prompts()) expect(await assistant.prompt(name), name).toContain('Rules:')
      expect(await assistant.prompts()).toHaveLength(5)
      expect(await assistant.prompt('cycle_comparison', { family: 'low' })).toContain('family low')
      await expect(assistant.prompt('market_overview', { days: 'many' })).rejects.toThrow('whole number')
    })
  })

  test('nothing of all this was logged as a failure', () => {
    expect(service.log()).toBe('')
  })
}

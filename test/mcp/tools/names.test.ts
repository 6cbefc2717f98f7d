import { type Client, InMemoryTransport, Client as ProtocolClient } from '@modelcontextprotocol/client'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { tools } from '#mcp/tools/all.ts'
import { createShared, createToolServer } from '#mcp/transport/server.ts'
import { catalogue } from '../support/mainnet-catalogue.ts'

let client: Client

beforeAll(async () => {
  const [one, other] = InMemoryTransport.createLinkedPair()
  const shared = createShared(pino({ level: 'silent' }))
  const nowhere = { baseUrl: 'http://127.0.0.1:1', publicUrl: 'http://127.0.0.1:1' }
  await createToolServer({ ...nowhere, shared, authorization: undefined, forwarded: undefined }).connect(other)
  client = new ProtocolClient({ name: 'test', version: '1' })
  await client.connect(one)
})

afterAll(() => client.close())

const toolNames = new Set(tools.map(({ name }) => name))
/** Words with underscores are names of tools, of their parameters and answers, or of metrics. */
const names = (text: string): string[] => text.match(/\b[a-z0-9]+(_[a-z0-9]+)+\b/g) ?? []

const otherNames = new Set([
  ...['history_from', 'history_days', 'percentile_of_last', 'change_30d', 'at_same_day', 'day_offset', 'x_axis'],
  ...['cycle_family', 'date_processed', 'start_date', 'end_date', 'percent_change'],
])

test('prompts name tools and metrics that there are', async () => {
  const { prompts } = await client.listPrompts()
  expect(prompts.map(({ name }) => name)).toEqual([
    ...['market_overview', 'valuation_check', 'holder_behaviour', 'cycle_comparison', 'miner_health'],
  ])
  for (const { name } of prompts) {
    const { messages } = await client.getPrompt({ name, arguments: {} })
    const text = JSON.stringify(messages)
    const unknown = names(text).filter((one) => !toolNames.has(one) && !otherNames.has(one) && !catalogue.find(one))
    expect(unknown, name).toEqual([])
    expect(names(text).filter((one) => toolNames.has(one)).length, name).toBeGreaterThan(2)
  }
})

test('descriptions of tools name metrics and tools that there are', async () => {
  const fields = new Set(catalogue.metrics.map(({ field }) => field))
  const { tools: listed } = await client.listTools()
  expect(listed.length).toBeGreaterThanOrEqual(19)
  for (const { name, inputSchema } of listed) {
    const { fields: parameter } = z
      .looseObject({ fields: z.object({ description: z.string() }).optional() })
      .parse(inputSchema.properties ?? {})
    const named = names(parameter?.description ?? '')
    expect(
      named.filter((one) => !fields.has(one) && !catalogue.find(`${one}_1y_2y`)),
      name,
    ).toEqual([])
  }
})

test('the tools of the interface are there, with the parameters that assistants know', async () => {
  const time = ['days', 'start_date', 'end_date']
  const expected: Record<string, string[]> = {
    list_metrics: [],
    search_metrics: ['query'],
    get_metric: ['metric_id'],
    get_categories: [],
    get_prices: ['symbol', ...time],
    get_holder_supply: time,
    get_holder_valuation: time,
    get_holder_profit: time,
    get_cohort_metrics: ['cohort', ...time],
    get_utxo_history: ['date_processed', 'cohort_start', 'cohort_end', 'days'],
    get_coindays: time,
    get_blockchain: ['metric', ...time],
    get_cycle_performance: ['type', ...time],
    get_cycle_boundaries: [],
    get_latest_metrics: [],
    get_etf: time,
    get_funding: time,
    get_open_interest: time,
    get_treasuries: time,
    render_chart: [
      ...['metric', 'metrics', 'template', 'heatmap', 'start_date', 'end_date', 'days', 'style', 'scale', 'x_axis'],
      ...['cycle_family', 'overlay', 'title', 'theme', 'width', 'height', 'format', 'y_axes', 'reference_lines'],
      ...['reference_areas', 'formulas'],
    ],
  }
  const { tools: listed } = await client.listTools()
  for (const [name, parameters] of Object.entries(expected)) {
    const properties = listed.find((tool) => tool.name === name)?.inputSchema.properties
    expect(Object.keys(properties ?? { missing: 0 }), name).toEqual(expect.arrayContaining(parameters))
  }
})

import { readFileSync } from 'node:fs'
import { type Client, InMemoryTransport, Client as ProtocolClient } from '@modelcontextprotocol/client'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { formulaFunctionDescriptions } from '#contract/formula-language.ts'
import { rows } from '#contract/rows.ts'
import { listedTools, tools } from '#mcp/tools/all.ts'
import { findToolFor } from '#mcp/tools/definitions.ts'
import { createShared, createToolServer } from '#mcp/transport/server.ts'
import { templates } from '#render/request/templates.ts'
import { catalogue } from '../support/mainnet-catalogue.ts'
import { countTokens } from '../support/tokens.ts'

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

const toolNames = new Set(listedTools.map(({ name }) => name))
/** Words with underscores are names of tools, parameters, fields of answers, or metrics. */
const names = (text: string): string[] => text.match(/\b[a-z0-9]+(_[a-z0-9]+)+\b/g) ?? []

const otherNames = new Set([
  ...['only_since', 'day_offset', 'x_axis'],
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
    expect(text, name).toContain('where it is null say so')
  }
})

const described = z.looseObject({ description: z.string().default('') })

test('a search names tools that there are, for the metrics of every endpoint but that of any metric', () => {
  const served = [...new Set(catalogue.metrics.map(({ endpoint }) => endpoint))]
  const named = served.map((endpoint) => findToolFor(endpoint))
  expect(served.filter((_, i) => named[i] === undefined)).toEqual(['series', 'addresses'])
  expect(named.filter((tool) => tool !== undefined && !toolNames.has(tool))).toEqual([])
})

test('what is listed of tools names metrics, tools and parameters that there are', async () => {
  const { tools: listed } = await client.listTools()
  expect(listed.length).toBeGreaterThanOrEqual(19)
  const known = new Set([
    ...catalogue.metrics.map(({ field }) => field),
    ...listed.flatMap(({ name, inputSchema }) => [name, ...Object.keys(inputSchema.properties ?? {})]),
    ...Object.keys(formulaFunctionDescriptions).map((signature) => signature.slice(0, signature.indexOf('('))),
    ...Object.keys(rows.etfRegistry.shape),
    // The catalogue of this test ends in an earlier epoch.
    'epoch_4',
    // Fields of answers.
    ...['not_tracked', 'all_kinds', 'day_offset'],
    ...Object.keys(templates),
  ])
  const isKnown = (one: string): boolean =>
    known.has(one) || [one, `supply_${one}`, `${one}_1y_2y`].some((id) => catalogue.find(id) !== undefined)
  for (const { name, description = '', inputSchema } of listed) {
    const manual = tools.find((tool) => tool.name === name)!.manual()
    const more = z.object({ more: z.string().default('') }).parse(manual).more
    const descriptions = Object.values(inputSchema.properties ?? {}).map((one) => described.parse(one).description)
    const text = [description, ...descriptions, more].join(' ')
    expect(
      names(text).filter((one) => !isKnown(one)),
      name,
    ).toEqual([])
  }
})

/** What Gemini or OpenAI's strict mode refuses, or their SDKs lose. */
function findUnknownForms(schema: unknown, place: string): string[] {
  const node = z.record(z.string(), z.unknown()).parse(schema)
  const { type, properties, items, anyOf } = node
  const words = ['type', 'enum', 'required', 'properties', 'items', 'anyOf', 'description']
  const children = [
    ...Object.entries(z.record(z.string(), z.unknown()).default({}).parse(properties)),
    ...(items === undefined ? [] : [['items', items] as const]),
    ...z
      .array(z.unknown())
      .default([])
      .parse(anyOf)
      .map((one, i) => [String(i), one] as const),
  ]
  return [
    ...Object.keys(node).filter((word) => !words.includes(word)),
    ...(anyOf === undefined && typeof type !== 'string' ? ['no type'] : []),
    ...(type === 'array' && items === undefined ? ['no items'] : []),
    ...(type === 'object' && properties === undefined ? ['no properties'] : []),
    ...('enum' in node && type !== 'string' ? ['an enum of no texts'] : []),
  ]
    .map((problem) => `${place}: ${problem}`)
    .concat(children.flatMap(([name, one]) => findUnknownForms(one, `${place}.${name}`)))
}

test('schemas have only what assistants of all vendors take', () => {
  expect(listedTools.flatMap(({ name, inputSchema }) => findUnknownForms(inputSchema, name))).toEqual([])
})

test('the skill of the plugin names tools, metrics and parameters that there are', async () => {
  const skill = readFileSync(
    new URL('../../../clients/claude-code/skills/bitcoin-metrics/SKILL.md', import.meta.url),
    'utf8',
  )
  const parameters = new Set(['start_date', 'end_date', 'csv_url'])
  const fields = new Set(catalogue.metrics.map(({ field }) => field))
  const isKnown = (one: string): boolean => toolNames.has(one) || parameters.has(one) || fields.has(one)
  expect(names(skill).filter((one) => !isKnown(one) && !catalogue.find(one))).toEqual([])
  expect(skill).toMatch(/^---\nname: bitcoin-metrics\ndescription: .{1,1000}\n---\n/)
})

test('all that assistants read of the tools before their first question is at most 8,000 tokens', async () => {
  const { tools: listed } = await client.listTools()
  expect(countTokens(JSON.stringify(listed))).toBeLessThanOrEqual(8_000)
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

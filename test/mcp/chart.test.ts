import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningToolServer, startToolServer } from '#mcp/tool-server.ts'
import { type ChartStandIn, png, standInForCharts, svg } from './support/chart-stand-in.ts'
import { type Assistant, http } from './support/clients.ts'

let charts: ChartStandIn
let server: RunningToolServer
let assistant: Assistant

const renders = 'https://chain.example/v1/chart/renders/0123456789abcdef0123456789abcdef'

beforeAll(async () => {
  charts = await standInForCharts(() => 'http://127.0.0.1:1', 1_500)
  server = await startToolServer({
    ...{ host: '127.0.0.1', port: 0, trustProxy: '', secret: undefined, publicUrl: 'https://chain.example' },
    ...{ allowedHosts: [], allowedOrigins: [], baseUrl: () => charts.url, log: pino({ level: 'silent' }) },
  })
  assistant = await http.connect({ url: charts.url, toolUrl: server.url })
})

afterAll(async () => {
  await assistant?.close()
  await server?.close()
  await charts?.close()
})

test('an image comes as a block of its type, with a summary that has its addresses', async () => {
  const drawn = await assistant.call('render_chart', { metric: 'price' })
  expect(drawn.content[0]).toEqual({ type: 'image', mimeType: 'image/png', data: png.toString('base64') })
  expect(drawn.structuredContent).toMatchObject({
    title: 'Price',
    png_url: `${renders}.png`,
    svg_url: `${renders}.svg`,
  })
  const vector = await assistant.call('render_chart', { metric: 'price', format: 'svg' })
  expect(vector.content[0]).toEqual({
    type: 'image',
    mimeType: 'image/svg+xml',
    data: Buffer.from(svg).toString('base64'),
  })
  expect(vector.content[1]).toMatchObject({ type: 'text', text: expect.stringContaining(`${renders}.svg`) })
})

test('as JSON there is only the summary', async () => {
  const { content } = await assistant.call('render_chart', { template: 'price', format: 'json' })
  expect(content.map(({ type }) => type)).toEqual(['text'])
})

test('the API is asked in its own words', async () => {
  charts.requests.length = 0
  await assistant.ask('render_chart', {
    metrics: ['price', { id: 'mvrv', axis_id: 'ratio', dash: '4 3' }],
    y_axes: [{ id: 'ratio', side: 'left', scale: 'log' }],
    reference_lines: [{ y: 1, axis_id: 'ratio', dash: '2 2', label: 'cost' }],
    reference_areas: [{ y1: 0, y2_formula: 'm1', axis_id: 'ratio' }],
    formulas: [{ expression: 'sma(m1, 200)', axis_id: 'ratio' }],
    start_date: '2020-01-01',
    format: 'json',
  })
  expect(charts.requests).toEqual([
    {
      metrics: ['price', { id: 'mvrv', y_axis_id: 'ratio', dash: '4 3' }],
      y_axes: [{ id: 'ratio', side: 'left', scale: 'log' }],
      reference_lines: [{ y: 1, y_axis_id: 'ratio', stroke_dasharray: '2 2', label: 'cost' }],
      reference_areas: [{ y1: 0, y2_formula: 'm1', y_axis_id: 'ratio' }],
      formulas: [{ expression: 'sma(m1, 200)', y_axis_id: 'ratio' }],
      start_date: '2020-01-01',
      format: 'json',
    },
  ])
})

test('while it takes long, those who want to know are told', async () => {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  const told: string[] = []
  const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message ?? '')
  await client.callTool({ name: 'render_chart', arguments: { metric: 'price' } }, { onprogress })
  await client.close()
  expect(told[0]).toBe('drawing for 1 s')
})

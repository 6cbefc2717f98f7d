import { json } from 'node:stream/consumers'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RunningToolServer } from '#mcp/transport/serve-http.ts'
import { type Assistant, http } from '../support/clients.ts'
import { type FakeApi, fakeApi } from '../support/fake-api.ts'
import { serveToolsApart } from '../support/tool-service.ts'

const id = '0123456789abcdef0123456789abcdef'
const renders = `https://chain.example/v1/chart/renders/${id}`
const point = { date: '2010-03-08', value: 2 }
const cutPoint = { ...point, only_since: '2009-12-01' }
const metadata = {
  title: 'Price',
  theme: 'light',
  width: 1200,
  height: 600,
  heatmap: null,
  generation: 'g1',
  simulated: true,
  x: { kind: 'date', first: '2009-03-10', last: '2010-03-08' },
  series: [
    {
      id: 'price',
      label: 'Price',
      unit: 'USD',
      style: 'line',
      color: '#f7931a',
      count: 364,
      left_out: 0,
      axis: { id: 'y1', side: 'right', scale: 'linear', title: 'Price' },
      first: point,
      last: point,
      min: cutPoint,
      max: null,
    },
  ],
  render_id: id,
  png_url: 'http://127.0.0.1:1/of-the-inner-network.png',
  svg_url: 'http://127.0.0.1:1/of-the-inner-network.svg',
}
const smallPicture = { png: Buffer.from([0x89, 0x50, 0xff, 0x00]), svg: Buffer.from('<svg>₿</svg>') }
let picture = smallPicture

let api: FakeApi
let server: RunningToolServer
let assistant: Assistant
let delay = 0
const asked: unknown[] = []

beforeAll(async () => {
  api = await fakeApi((request, response) => {
    const format = request.url === `/v1/chart/renders/${id}.png` ? 'png' : 'svg'
    if (request.method === 'GET') return void response.end(picture[format])
    json(request).then((body) => {
      asked.push(body)
      setTimeout(() => response.end(JSON.stringify(metadata)), delay)
    }, response.destroy)
  })
  server = await serveToolsApart(api.url, { publicUrl: 'https://chain.example' })
  assistant = await http.connect({ url: api.url, toolUrl: server.url })
})

beforeEach(() => {
  delay = 0
  asked.length = 0
  picture = smallPicture
})

afterAll(async () => {
  await assistant?.close()
  await server?.close()
  await api?.close()
})

test('an image comes as a block of its type, with a summary that has its public addresses', async () => {
  const drawn = await assistant.call('render_chart', { metric: 'price' })
  expect(drawn.content[0]).toEqual({ type: 'image', mimeType: 'image/png', data: picture.png.toString('base64') })
  expect(drawn.structuredContent).toMatchObject({
    title: 'Price',
    png_url: `${renders}.png`,
    svg_url: `${renders}.svg`,
  })
  const vector = await assistant.call('render_chart', { metric: 'price', format: 'svg' })
  expect(vector.content[0]).toEqual({
    type: 'image',
    mimeType: 'image/svg+xml',
    data: picture.svg.toString('base64'),
  })
  expect(vector.content[1]).toMatchObject({ type: 'text', text: expect.stringContaining(`${renders}.svg`) })
  expect(vector.content[2]).toEqual({
    type: 'resource_link',
    uri: `${renders}.svg`,
    name: 'Price.svg',
    mimeType: 'image/svg+xml',
  })
})

test('a picture that no assistant accepts is not sent, but its links and a note are', async () => {
  picture = { ...smallPicture, svg: Buffer.alloc(700_001, 'a') }
  const { content, structuredContent } = await assistant.call('render_chart', { metric: 'price', format: 'svg' })
  expect(content.map(({ type }) => type)).toEqual(['text'])
  expect(structuredContent).toMatchObject({
    svg_url: `${renders}.svg`,
    notes: expect.arrayContaining([expect.stringMatching(/^The svg is too long .*open svg_url, or ask for png/)]),
  })
  picture = { ...smallPicture, svg: Buffer.alloc(700_000, 'a') }
  expect((await assistant.call('render_chart', { metric: 'price', format: 'svg' })).content[0]?.type).toBe('image')
})

test('as JSON there is only the summary, which says that the data are made up', async () => {
  const { content, structuredContent } = await assistant.call('render_chart', { template: 'price', format: 'json' })
  expect(content.map(({ type }) => type)).toEqual(['text'])
  expect(JSON.stringify(structuredContent?.notes)).toContain('Made-up')
})

test('where history is cut, extremes say so themselves', async () => {
  const { series } = await assistant.ask('render_chart', { template: 'price', format: 'json' })
  expect(series).toEqual([
    {
      id: 'price',
      label: 'Price',
      unit: 'USD',
      count: 364,
      first: point,
      last: point,
      min: cutPoint,
      max: null,
    },
  ])
})

test('the API is asked in its own words', async () => {
  const unchanged = { y_axes: [{ id: 'ratio', side: 'left', scale: 'log' }], start_date: '2020-01-01' }
  await assistant.ask('render_chart', {
    ...unchanged,
    metrics: ['price', { id: 'mvrv', axis_id: 'ratio', dash: '4 3' }],
    reference_lines: [{ y: 1, axis_id: 'ratio', dash: '2 2', label: 'cost' }],
    reference_areas: [{ y1: 0, y2_formula: 'm1', axis_id: 'ratio' }],
    formulas: [{ expression: 'sma(m1, 200)', axis_id: 'ratio' }],
  })
  expect(asked).toEqual([
    {
      ...unchanged,
      metrics: ['price', { id: 'mvrv', y_axis_id: 'ratio', dash: '4 3' }],
      reference_lines: [{ y: 1, y_axis_id: 'ratio', stroke_dasharray: '2 2', label: 'cost' }],
      reference_areas: [{ y1: 0, y2_formula: 'm1', y_axis_id: 'ratio' }],
      formulas: [{ expression: 'sma(m1, 200)', y_axis_id: 'ratio' }],
      format: 'json',
    },
  ])
})

test('while it takes long, those who want to know are told', async () => {
  delay = 1_500
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  const told: string[] = []
  const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message ?? '')
  await client.callTool({ name: 'render_chart', arguments: { metric: 'price' } }, { onprogress })
  await client.close()
  expect(told[0]).toBe('drawing for 1 s')
})

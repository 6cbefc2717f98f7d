import { createServer, type IncomingMessage } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { z } from 'zod'

export interface ChartStandIn {
  readonly url: string
  /** Every chart that was asked for, as it was asked. */
  readonly requests: unknown[]
  readonly close: () => Promise<void>
}

const renderId = '0123456789abcdef0123456789abcdef'
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'

const point = { date: '2010-03-08', value: 2 }
const metadata = {
  title: 'Price',
  x: { kind: 'date', first: '2009-03-10', last: '2010-03-08' },
  series: [
    ...[
      { id: 'price', label: 'Price', unit: 'USD', color: '#f7931a', count: 364, first: point, last: point, min: point },
    ],
  ].map((series) => ({ ...series, max: null })),
  render_id: renderId,
}

/** Answers requests for charts as the wire contract says, after `delay` milliseconds, and passes on all others. */
export async function standInForCharts(apiUrl: () => string, delay = 0): Promise<ChartStandIn> {
  const requests: unknown[] = []
  const answer = async (request: IncomingMessage): Promise<Response> => {
    const path = request.url ?? '/'
    if (path === '/v1/chart/snapshot' && request.method === 'POST') {
      requests.push(await json(request))
      await new Promise((resolve) => setTimeout(resolve, delay))
      return Response.json(metadata)
    }
    if (path === `/v1/chart/renders/${renderId}.png`)
      return new Response(png, { headers: { 'Content-Type': 'image/png' } })
    if (path === `/v1/chart/renders/${renderId}.svg`) {
      return new Response(svg, { headers: { 'Content-Type': 'image/svg+xml' } })
    }
    const body = await text(request)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const passed = z.record(z.string(), z.string()).parse(headers)
    return fetch(apiUrl() + path, {
      headers: { ...passed, 'accept-encoding': 'identity' },
      method: request.method ?? 'GET',
      ...(body !== '' && { body }),
    })
  }
  const server = createServer((request, response) => {
    answer(request).then(
      async (given) => {
        response.writeHead(given.status, [...given.headers].flat())
        response.end(Buffer.from(await given.arrayBuffer()))
      },
      (error: unknown) => response.writeHead(502).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export interface FakeApi {
  readonly url: string
  /** Paths and queries of all requests in order. */
  readonly requests: string[]
  readonly close: () => Promise<void>
}

export async function fakeApi(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<FakeApi> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    answer(request, response)
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

export const meta = { generation: 'g1' }

export const success = (data: readonly unknown[]): string =>
  JSON.stringify({ success: true, data, count: data.length, meta, timestamp: '2026-01-01T00:00:00.000Z' })

export const failure = (code: string, message: string, extra: object = {}): string =>
  JSON.stringify({ success: false, error: { code, message }, message, timestamp: '2026-01-01T00:00:00.000Z', ...extra })

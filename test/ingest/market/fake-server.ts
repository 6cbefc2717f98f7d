import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '#test/support/listen.ts'

export interface Asked {
  readonly path: string
  readonly query: URLSearchParams
  /** The parsed JSON body of a POST. */
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: http.IncomingHttpHeaders
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, unless it is bytes. */
  readonly body: unknown
  /** Ends the connection in the middle of the body. */
  readonly cut?: boolean
}

/** A venue as its documentation describes it. */
export interface FakeVenue {
  readonly answer: (asked: Asked) => Answer
  /** Response for a period without data. */
  readonly nothing: (asked: Asked) => Answer
  /** Parameter that identifies the series in a request. */
  readonly stream: (asked: Asked) => string
}

export interface FakeServer {
  readonly url: string
  readonly asked: Asked[]
  readonly close: () => Promise<void>
}

/** Serves answers on a free port of this machine and keeps what was asked. */
export async function serve(answer: (asked: Asked) => Answer | Promise<Answer>): Promise<FakeServer> {
  const asked: Asked[] = []
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const sent = await text(request)
    const body: Record<string, unknown> = sent === '' ? {} : JSON.parse(sent)
    const question = { path: url.pathname, query: url.searchParams, body, headers: request.headers }
    asked.push(question)
    const reply = await answer(question)
    if (reply.cut) {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"re', () => request.socket.destroy())
      return
    }
    response.writeHead(reply.status ?? 200, reply.headers)
    response.end(reply.body instanceof Uint8Array ? reply.body : JSON.stringify(reply.body))
  })
  return {
    url: await listen(server),
    asked,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Settings that lead a source to that address, and let it ask without a pause. */
export function addressed(source: string, url: string): Record<string, string> {
  const name = `SOURCES_${source.toUpperCase().replaceAll('-', '_')}`
  return { [`${name}_BASE_URL`]: url, [`${name}_REQUESTS_PER_MINUTE`]: '1000000' }
}

export const faults = [
  'no fault',
  'a 5xx',
  'a 429 with Retry-After',
  'a cut connection',
  'a page twice',
  'a missing page',
] as const
export type Fault = (typeof faults)[number]

/** The venue with one fault in each of its series, at the second request. */
export function withFault(venue: FakeVenue, fault: Fault): (asked: Asked) => Answer {
  const counts = new Map<string, number>()
  const previous = new Map<string, Answer>()
  return (asked) => {
    const stream = venue.stream(asked)
    const count = (counts.get(stream) ?? 0) + 1
    counts.set(stream, count)
    if (count === 2) {
      if (fault === 'a 5xx') return { status: 502, body: 'Bad Gateway' }
      if (fault === 'a 429 with Retry-After') return { status: 429, headers: { 'retry-after': '0' }, body: {} }
      if (fault === 'a cut connection') return { body: undefined, cut: true }
      if (fault === 'a page twice') return previous.get(stream) ?? venue.answer(asked)
      if (fault === 'a missing page') return venue.nothing(asked)
    }
    const answer = venue.answer(asked)
    previous.set(stream, answer)
    return answer
  }
}

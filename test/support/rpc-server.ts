import http from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { listen } from './listen.ts'

const callsSchema = z.array(z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) }))
export type ReceivedCall = z.infer<typeof callsSchema>[number]

export interface RpcServer {
  readonly url: string
  /** Number of requests so far. */
  readonly requests: () => number
  readonly stop: () => void
}

/** An answer in the form of Bitcoin Core's HTTP server; undefined closes the connection without one. */
export type Answer = { readonly status: number; readonly body: string } | undefined

/**
 * A server that stands in for a node in situations which a real one cannot be brought into at will; over https where it is
 * given a certificate.
 */
export async function startRpcServer(
  answer: (calls: readonly ReceivedCall[], requests: number) => Answer | Promise<Answer>,
  certificate?: { readonly key: Buffer; readonly cert: Buffer },
): Promise<RpcServer> {
  let requests = 0
  const listener: http.RequestListener = async (request, response) => {
    const calls = callsSchema.parse(JSON.parse(await text(request)))
    const answered = await answer(calls, ++requests)
    if (!answered) request.socket.destroy()
    else response.writeHead(answered.status, { 'content-type': 'application/json' }).end(answered.body)
  }
  const server = certificate ? https.createServer(certificate, listener) : http.createServer(listener)
  const url = await listen(server)
  return {
    url: certificate ? url.replace('http:', 'https:') : url,
    requests: () => requests,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The answer to these calls that gives each the result of `resultOf`. */
export function results(calls: readonly ReceivedCall[], resultOf: (call: ReceivedCall) => unknown): Answer {
  return {
    status: 200,
    body: JSON.stringify(calls.map((call) => ({ id: call.id, result: resultOf(call), error: null }))),
  }
}

import http from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { listen } from './listen.ts'

const callsSchema = z.array(z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) }))
export type ReceivedCall = z.infer<typeof callsSchema>[number]

export interface RpcServer {
  readonly url: string
  readonly requests: () => number
  readonly stop: () => void
}

/** An HTTP response like Bitcoin Core's; undefined closes the connection without one. */
export type Answer = { readonly status: number; readonly body: string } | undefined

/**
 * A stub of a node for situations that a real one cannot be brought into. With a certificate it
 * uses HTTPS.
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

/** The response to these calls with results from `findResult`. */
export function results(calls: readonly ReceivedCall[], findResult: (call: ReceivedCall) => unknown): Answer {
  return {
    status: 200,
    body: JSON.stringify(calls.map((call) => ({ id: call.id, result: findResult(call), error: null }))),
  }
}

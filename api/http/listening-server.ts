import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { CoinstrataError } from '#base/errors.ts'
import { disconnectIdleClients } from '#base/idle-clients.ts'
import { ApiError, errorBody } from '#contract/api-error.ts'
import type { Listener } from './first-handlers.ts'

/**
 * `setting` names the port in error messages. Clients that neither read nor send are disconnected
 * after `idleTimeoutMs`. Throws `invalid_configuration`.
 */
export function listen(
  listener: RequestListener,
  { HOST: host }: { readonly HOST: string },
  port: number,
  setting: string,
  idleTimeoutMs?: number,
  classes?: Listener['classes'],
): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 65_000, ...classes }, listener)
  disconnectIdleClients(server, idleTimeoutMs)
  return new Promise((resolve, reject) => {
    server.once('error', (cause: Error & { code?: string }) => {
      reject(
        new CoinstrataError('invalid_configuration', `cannot listen on ${host} port ${port}: ${cause.message}`, {
          cause,
          cure: `stop what listens there, or choose another ${cause.code === 'EADDRINUSE' ? setting : 'HOST'}`,
        }),
      )
    })
    server.listen(port, host, () => resolve(server))
  })
}

const maxRequestLineBytes = 8_192

/** Answers in JSON if a request is not valid HTTP, or too long to parse. */
export function answerUnreadableRequests(server: Server): void {
  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    refuse(socket, describeProblem(error))
  })
}

function describeProblem({ code, rawPacket }: { code?: string; rawPacket?: Buffer }): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const firstLine = rawPacket?.indexOf('\r\n') ?? -1
    if (firstLine < 0 || firstLine > maxRequestLineBytes) {
      return new ApiError('uri_too_long', 'the address is too long: ask for less at a time')
    }
    return new ApiError('headers_too_large', 'the headers are longer than 16 kB: send fewer')
  }
  return new ApiError('invalid_parameter', 'the request is not valid HTTP')
}

function refuse(socket: Duplex, problem: ApiError): void {
  const body = JSON.stringify(errorBody(problem))
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

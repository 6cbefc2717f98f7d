import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, errorBody } from '#contract/api-error.ts'

const maxRequestLineBytes = 8_192

/** Answers in JSON if a request is invalid HTTP or too long to parse. */
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

import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { CoinstrataError } from './errors.ts'

/**
 * `setting` names the port in errors. Clients that neither read nor send are disconnected after
 * `idleTimeoutMs`.
 */
export function listen(
  listener: RequestListener,
  { HOST: host }: { readonly HOST: string },
  port: number,
  setting: string,
  idleTimeoutMs?: number,
  classes?: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>,
): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 65_000, ...classes }, listener)
  disconnectIdleClients(server, idleTimeoutMs)
  return new Promise((resolve, reject) => {
    server.once('error', (cause: Error & { code?: string }) => {
      reject(
        new CoinstrataError('invalid_configuration', `cannot listen on ${host} port ${port}: ${cause.message}`, {
          cause,
          cure: `stop what listens there, or choose another ${cause.code === 'EADDRINUSE' ? setting : 'host'}`,
        }),
      )
    })
    server.listen(port, host, () => resolve(server))
  })
}

/** Disconnects clients that stop reading an answer or sending a body for `timeoutMs`. */
function disconnectIdleClients(server: Server, timeoutMs = 30_000): void {
  server.setTimeout(timeoutMs, (socket) => {
    // A socket that waits for its answer has nothing to read.
    if (socket.writableLength > 0) socket.destroy()
  })
  // Emitted only until the body is complete.
  server.on('request', (request) => request.once('timeout', () => request.destroy()))
}

import { createServer, type RequestListener, type Server } from 'node:http'
import { CoinstrataError } from '#base/errors.ts'

const defaultUnreadTimeoutMs = 30_000

/**
 * Starts a server; `setting` names the port in error messages. A client that does not read its answer is disconnected
 * after `unreadTimeoutMs`. Throws `invalid_configuration`.
 */
export function listen(
  listener: RequestListener,
  { HOST: host }: { readonly HOST: string },
  port: number,
  setting: string,
  unreadTimeoutMs = defaultUnreadTimeoutMs,
): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 65_000 }, listener)
  server.setTimeout(unreadTimeoutMs, (socket) => {
    // A socket that waits for its answer has nothing to read.
    if (socket.writableLength > 0) socket.destroy()
  })
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

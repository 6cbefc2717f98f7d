import { createServer, type RequestListener, type Server } from 'node:http'
import { CoinstrataError } from '#base/errors.ts'

const usualUnreadFor = 30_000

/**
 * A server that listens, as the setting of that name says; a client that takes nothing of its answer is cut off after `unreadFor`
 * milliseconds. Throws `invalid_configuration`.
 */
export function listen(
  listener: RequestListener,
  { HOST: host }: { readonly HOST: string },
  port: number,
  setting: string,
  unreadFor = usualUnreadFor,
): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 65_000 }, listener)
  server.setTimeout(unreadFor, (socket) => {
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

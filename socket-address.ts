import type { Socket } from 'node:net'

/**
 * The address of this service where a connection reached it, for links. The Host header is not asked: whoever sends a
 * request writes what they like into it.
 */
export function addressOfSocket({
  localAddress = '127.0.0.1',
  localPort = 80,
}: Pick<Socket, 'localAddress' | 'localPort'>) {
  const host = localAddress.replace(/^::ffff:(?=\d)/, '')
  return `http://${host.includes(':') ? `[${host}]` : host}:${localPort}`
}

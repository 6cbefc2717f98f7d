import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** URL at which a connection reached this service, for links. Clients can forge the Host header. */
export const socketUrl = ({
  localAddress = '127.0.0.1',
  localPort = 80,
}: Pick<Socket, 'localAddress' | 'localPort'>): string => `http://${formatUrlHost(localAddress)}:${localPort}`

/** URL at which this machine reaches a server. */
export function serverUrl(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('server has no port')
  return `http://${formatUrlHost(address.address)}:${address.port}`
}

/** Can be listened on but not connected to. */
const loopbackAddresses: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export const isWildcardHost = (host: string): boolean => host in loopbackAddresses

/** Names or addresses, IPv6 without brackets. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

/** Turns a listening host into the host of a usable URL. */
export function formatUrlHost(host: string): string {
  const plain = host.replace(/^::ffff:(?=\d)/, '')
  const reachable = loopbackAddresses[plain] ?? plain
  return reachable.includes(':') ? `[${reachable}]` : reachable
}

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The address of this service where a connection reached it, for links. The Host header is not asked: whoever sends a
 * request writes what they like into it.
 */
export const socketUrl = ({
  localAddress = '127.0.0.1',
  localPort = 80,
}: Pick<Socket, 'localAddress' | 'localPort'>): string => `http://${formatUrlHost(localAddress)}:${localPort}`

/** The address by which this machine reaches a server that listens. */
export function serverUrl(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('server has no port')
  return `http://${formatUrlHost(address.address)}:${address.port}`
}

/** Addresses that mean every address of a machine can be listened on but not opened. */
const loopbackAddresses: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export const isWildcardHost = (host: string): boolean => host in loopbackAddresses

/** Takes names and addresses, IPv6 without brackets. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

/** A host to listen on as it stands in an address to open. */
export function formatUrlHost(host: string): string {
  const plain = host.replace(/^::ffff:(?=\d)/, '')
  const reachable = loopbackAddresses[plain] ?? plain
  return reachable.includes(':') ? `[${reachable}]` : reachable
}

import { BlockList, isIPv4, isIPv6 } from 'node:net'
import os from 'node:os'

/** IANA's special-purpose registry, and services of cloud providers. */
const reservedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's own services, including metadata.
  '168.63.129.16/32',
]
/** Global unicast. Excludes loopback, link-local, unique local, and mapped and translated IPv4. */
const globalV6 = '2000::/3'
/** Its ranges for protocols that carry IPv4 (Teredo, 6to4), and for documentation. */
const reservedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

const blockList = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}
const noHostV4 = blockList(reservedV4, 'ipv4')
const noHostV6 = blockList(reservedV6, 'ipv6')
const hostV6 = blockList([globalV6], 'ipv6')

/** True for a host on the internet other than this machine. */
export function isPublicAddress(address: string): boolean {
  const own = Object.values(os.networkInterfaces()).flatMap((addresses) => addresses ?? [])
  if (own.some((one) => one.address === address)) return false
  if (isIPv4(address)) return !noHostV4.check(address)
  return isIPv6(address) && hostV6.check(address, 'ipv6') && !noHostV6.check(address, 'ipv6')
}

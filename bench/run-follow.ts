import { follow } from '#compute/follow.ts'
import { spreadHalvings, updateSettings } from './mainnet-shape.ts'
import { cpuSeconds, peakMegabytes } from './report.ts'

/** Follows the node at a URL; sends each row's measurement to the parent process. */
const [dataDir = '', rpcUrl = ''] = process.argv.slice(2)
spreadHalvings()
let cpu = process.cpuUsage()
await follow(updateSettings({ dataDir, source: 'rpc', rpcUrl, rpcUser: 'bench', rpcPassword: 'bench' }), {
  published: ({ blocks, milliseconds }) => {
    const seconds = milliseconds / 1000
    process.send?.({ blocks, seconds, cpuSeconds: cpuSeconds(cpu), peakMegabytes: peakMegabytes() })
    cpu = process.cpuUsage()
  },
  waiting: (reason) => {
    throw reason
  },
})

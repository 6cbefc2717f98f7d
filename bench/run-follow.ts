import { follow } from '#compute/follow.ts'
import { spreadHalvings } from './mainnet-shape.ts'
import { cpuSeconds, peakMegabytes } from './report.ts'

/** Follows the node at a URL, and sends the measurement of each row to the parent process. */
const [dataDir = '', rpcUrl = ''] = process.argv.slice(2)
spreadHalvings()
let cpu = process.cpuUsage()
await follow(
  {
    ...{ dataDir, blocksdir: undefined, datadir: undefined, network: 'regtest', source: 'rpc' },
    ...{ defaultDatadir: '/nonexistent', rpcUrl, rpcUser: 'bench', rpcPassword: 'bench' },
    ...{ simulatedSeed: 1, pricing: 'hourly', memory: '1GB' },
  },
  {
    published: ({ blocks, milliseconds }) => {
      const cpuMilliseconds = 1000 * cpuSeconds(cpu)
      process.send?.({ blocks, milliseconds, cpuMilliseconds, peakMegabytes: peakMegabytes() })
      cpu = process.cpuUsage()
    },
    waiting: (reason) => {
      throw reason
    },
  },
)

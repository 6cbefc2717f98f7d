import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { networks } from '#ingest/chain/networks.ts'

/** Measures reading a header tree and its best chain. Arguments: blocks folder, cache folder. */
const [blocksFolder = '', cacheFolder = ''] = process.argv.slice(2)
const before = { cpu: process.cpuUsage(), memory: process.memoryUsage().rss, begin: performance.now() }
const tree = await readBlockTree(openBlockFolder(blocksFolder), networks.regtest, cacheFolder)
const { chain } = tree.bestChain()
const { user, system } = process.cpuUsage(before.cpu)
console.log(
  JSON.stringify({
    seconds: (performance.now() - before.begin) / 1000,
    cpuSeconds: (user + system) / 1e6,
    megabytes: (1024 * process.resourceUsage().maxRSS - before.memory) / 1e6,
    blocks: chain.tipHeight + 1 + tree.unconnected,
  }),
)

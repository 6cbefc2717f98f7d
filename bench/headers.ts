import { rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { networks } from '#ingest/chain/networks.ts'
import { mainnetShape, makeHeaderFiles } from './header-files.ts'
import { measure, peakMegabytes, print, runChild } from './report.ts'

const resultSchema = z.object({ seconds: z.number(), cpuSeconds: z.number(), megabytes: z.number(), blocks: z.int() })

/**
 * The header tree of mainnet's size from block files, then from the cache, in separate processes.
 */
export async function benchHeaders(folder: string): Promise<void> {
  const blocksFolder = path.join(folder, 'header-files')
  const cacheFolder = path.join(folder, 'header-cache')
  await makeHeaderFiles(blocksFolder, mainnetShape)
  rmSync(cacheFolder, { recursive: true, force: true })
  const read = () => resultSchema.parse(runChild(import.meta.filename, blocksFolder, cacheFolder))
  const { blocks, files } = mainnetShape
  console.log(`\nheaders: ${blocks} blocks in ${files} files`)
  for (const [work, aim] of [
    ['tree and chain, from the block files', undefined],
    ['tree and chain, from the cache', '1 s, 150 MB'],
  ] as const) {
    const { seconds, cpuSeconds, megabytes, blocks: found } = read()
    if (found !== blocks) throw new Error(`${found} of ${blocks} blocks were found`)
    const figure = `${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s CPU)`
    print(work, figure, { beside: `${megabytes.toFixed(0)} MB more than an empty process`, aim })
  }
}

/** Measures reading a header tree and its best chain, in a process of its own. */
async function measureReading(blocksFolder = '', cacheFolder = ''): Promise<z.infer<typeof resultSchema>> {
  const memory = process.memoryUsage().rss
  const { result, seconds, cpuSeconds } = await measure(async () => {
    const tree = await readBlockTree(openBlockFolder(blocksFolder), networks.regtest, cacheFolder)
    return tree.bestChain().chain.tipHeight + 1 + tree.unconnected
  })
  return { seconds, cpuSeconds, megabytes: peakMegabytes() - memory / 1e6, blocks: result }
}

if (import.meta.main) console.log(JSON.stringify(await measureReading(...process.argv.slice(2))))

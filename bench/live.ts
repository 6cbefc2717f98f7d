import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { z } from 'zod'
import { mainnetShape } from './header-files.ts'
import { withNight } from './nightly.ts'
import { print } from './report.ts'
import { StubNode } from './stub-node.ts'

const rowSchema = z.object({
  blocks: z.int(),
  milliseconds: z.number(),
  cpuMilliseconds: z.number(),
  peakMegabytes: z.number(),
})
type Row = z.infer<typeof rowSchema>

const blocksToFollow = 12

/**
 * The open day at mainnet's size: its first row, and rows after full blocks. The node is a stub in
 * this process.
 */
export async function benchLive(folder: string): Promise<void> {
  const blocksFolder = path.join(folder, 'header-files')
  const rows = await withNight(path.join(folder, 'nightly'), blocksFolder, mainnetShape, ({ dataDir, newFiles }) =>
    followNewest(dataDir, blocksFolder, newFiles),
  )
  const [first, ...later] = rows
  if (!first || later.length < blocksToFollow) throw new Error(`only ${rows.length} rows were published`)
  console.log(`\nlive: the open day after each of ${blocksToFollow} full blocks, over RPC`)
  const memory = (row: Row): string => `${(row.peakMegabytes / 1000).toFixed(2)} GB peak memory`
  const formatTimes = (row: Row): string =>
    `${(row.milliseconds / 1000).toFixed(2)} s (${(row.cpuMilliseconds / 1000).toFixed(2)} s CPU)`
  print(`first row, with ${first.blocks} blocks of the day`, formatTimes(first), { beside: memory(first) })
  const byTime = later.toSorted((one, other) => one.milliseconds - other.milliseconds)
  print('a block, median', formatTimes(byTime[Math.floor(byTime.length / 2)]!), {
    beside: memory(later.at(-1)!),
    aim: '2 s',
  })
  print('a block, slowest', formatTimes(byTime.at(-1)!), { aim: '2 s' })
}

async function followNewest(dataDir: string, blocksFolder: string, newFiles: readonly string[]): Promise<Row[]> {
  const cacheFolder = path.join(dataDir, 'raw', 'headers')
  const node = await StubNode.start(blocksFolder, cacheFolder, newFiles, blocksToFollow)
  const follower = fork(new URL('./run-follow.ts', import.meta.url), [dataDir, node.url])
  const rows: Row[] = []
  try {
    follower.on('message', (message) => {
      rows.push(rowSchema.parse(message))
      if (!node.advance()) follower.kill()
    })
    await once(follower, 'exit')
    return rows
  } finally {
    follower.kill()
    node.stop()
  }
}

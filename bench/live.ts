import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { z } from 'zod'
import { mainnetShape } from './header-files.ts'
import { type Night, withNight } from './nightly.ts'
import { formatPeak, formatTimes, measurementSchema, print } from './report.ts'
import { startStubNode } from './stub-node.ts'

const rowSchema = measurementSchema.extend({ blocks: z.int() })
type Row = z.infer<typeof rowSchema>

const blocksToFollow = 12

/**
 * The open day at mainnet's size: its first row, and rows after full blocks. The node is a stub in
 * this process.
 */
export async function benchLive(folder: string): Promise<void> {
  const rows = await withNight(folder, mainnetShape, followNewest)
  const [first, ...later] = rows
  if (!first || later.length < blocksToFollow) throw new Error(`only ${rows.length} rows were published`)
  console.log(`\nlive: the open day after each of ${blocksToFollow} full blocks, over RPC`)
  print(`first row, with ${first.blocks} blocks of the day`, formatTimes(first), {
    beside: formatPeak(first.peakMegabytes),
  })
  const byTime = later.toSorted((one, other) => one.seconds - other.seconds)
  print('a block, median', formatTimes(byTime[Math.floor(byTime.length / 2)]!), {
    beside: formatPeak(later.at(-1)!.peakMegabytes),
    aim: '2 s',
  })
  print('a block, slowest', formatTimes(byTime.at(-1)!), { aim: '2 s' })
}

async function followNewest({ dataDir, blocksFolder, newFiles }: Night): Promise<Row[]> {
  const cacheFolder = path.join(dataDir, 'raw', 'headers')
  const node = await startStubNode(blocksFolder, cacheFolder, newFiles, blocksToFollow)
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

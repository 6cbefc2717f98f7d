import { rmSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { switchToGeneration } from '#sql/generation.ts'
import { measure, print } from './report.ts'
import { copyGeneration, demoDataFolder, type MemoryUse, measureMemory, startChild } from './served-demo.ts'

const listeners = 1_000
const switches = 200
/** Switches until memory use is steady. */
const warmUp = 20
const ids = ['one', 'two']

/**
 * Time until all listeners of `/v1/events` receive a switch of generations, and the server's memory
 * for them.
 */
export async function benchEvents(folder: string): Promise<void> {
  const dataDir = path.join(folder, 'events')
  rmSync(dataDir, { recursive: true, force: true })
  const demo = await demoDataFolder(folder)
  for (const id of ids) copyGeneration(demo, dataDir, id)
  switchToGeneration(dataDir, ids[0]!)
  await using server = await startChild('open', dataDir, ['--expose-gc'])
  const alone = await measureMemory(server)
  let delivered = 0
  let wake = (): void => {}
  const requests = await Promise.all(
    Array.from({ length: listeners }, () =>
      listen(`${server.url}/v1/events`, (count) => {
        delivered += count
        wake()
      }),
    ),
  )
  const waitForAll = async (times: number): Promise<void> => {
    while (delivered < listeners * times) await new Promise<void>((resolve) => (wake = resolve))
  }
  await waitForAll(1)
  const times: number[] = []
  const memory: MemoryUse[] = []
  for (let i = 1; i <= switches; i++) {
    const { seconds } = await measure(() => {
      switchToGeneration(dataDir, ids[i % 2]!)
      return waitForAll(i + 1)
    })
    times.push(1000 * seconds)
    if (i === warmUp || i % (switches / 4) === 0) memory.push(await measureMemory(server))
  }
  times.sort((a, b) => a - b)
  const milliseconds = (time = Number.NaN): string => `${time.toFixed(0)} ms`
  print(`events, ${listeners} listeners, ${switches} switches`, `all received within ${milliseconds(times.at(-1))}`, {
    beside: `median ${milliseconds(times[switches >> 1])}`,
    aim: '1000 ms',
  })
  const formatUsed = ({ heapUsed, external }: MemoryUse): string => formatMegabytes(heapUsed + external)
  print(
    `memory after ${warmUp}, 50, 100, 150 and ${switches} switches`,
    `used ${memory.map(formatUsed).join(', ')} MB`,
    {
      beside: `resident ${memory.map(({ rss }) => formatMegabytes(rss)).join(', ')} MB; without listeners used ${formatUsed(alone)} MB, resident ${formatMegabytes(alone.rss)} MB; each after a forced collection`,
      aim: 'used is flat',
    },
  )
  for (const request of requests) request.destroy()
}

const formatMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

/** Resolves when the connection is open; reports the number of events in each chunk. */
function listen(url: string, onEvents: (events: number) => void): Promise<http.ClientRequest> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`events answered ${response.statusCode}`))
      response.setEncoding('utf8').on('data', (text: string) => {
        onEvents(text.split('\nevent: generation\n').length - 1)
      })
      response.on('error', () => undefined)
      resolve(request)
    })
    request.on('error', reject)
  })
}

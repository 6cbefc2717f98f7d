import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { currentGeneration, publishedFolder, switchToGeneration } from '#sql/generation.ts'
import { print } from './report.ts'
import { demoDataFolder, type Kept, keptBytes, startChild, stop } from './served-demo.ts'

const listeners = 1_000
const switches = 200
/** After so many switches every part of the server has done its work, and the memory that it keeps is that of the last. */
const warmUp = 20
const ids = ['one', 'two']

/** How soon all who listen to events hear of another generation, and what the server holds for them. */
export async function benchEvents(folder: string): Promise<void> {
  const dataDir = makeTwoGenerations(await demoDataFolder(folder), path.join(folder, 'events'))
  const server = await startChild('open', dataDir, ['--expose-gc'])
  try {
    const alone = await keptBytes(server)
    let told = 0
    let wake = (): void => {}
    const requests = await Promise.all(
      Array.from({ length: listeners }, () =>
        listen(`${server.url}/v1/events`, (count) => {
          told += count
          wake()
        }),
      ),
    )
    const allTold = async (times: number): Promise<void> => {
      while (told < listeners * times) await new Promise<void>((resolve) => (wake = resolve))
    }
    await allTold(1)
    const times: number[] = []
    const memory: Kept[] = []
    for (let i = 1; i <= switches; i++) {
      const begin = performance.now()
      switchToGeneration(dataDir, ids[i % 2]!)
      await allTold(i + 1)
      times.push(performance.now() - begin)
      if (i === warmUp || i % (switches / 4) === 0) memory.push(await keptBytes(server))
    }
    times.sort((a, b) => a - b)
    const milliseconds = (time = Number.NaN): string => `${time.toFixed(0)} ms`
    print({
      work: `events, ${listeners} listeners, ${switches} switches`,
      figure: `all told within ${milliseconds(times.at(-1))}`,
      beside: `median ${milliseconds(times[switches >> 1])}`,
      aim: '1000 ms',
    })
    print({
      work: `memory after ${warmUp}, 50, 100, 150 and ${switches} switches`,
      figure: `used ${memory.map(({ used }) => megabytes(used)).join(', ')} MB`,
      beside: `resident ${memory.map(({ resident }) => megabytes(resident)).join(', ')} MB; without listeners used ${megabytes(alone.used)} MB, resident ${megabytes(alone.resident)} MB; each after a forced collection`,
      aim: 'used is flat',
    })
    for (const request of requests) request.destroy()
  } finally {
    await stop(server)
  }
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

/** Two generations that differ by their ids alone; nothing of them is read but their descriptions and definitions. */
function makeTwoGenerations(demo: string, dataDir: string): string {
  const { folder, generation } = currentGeneration(demo)!
  rmSync(dataDir, { recursive: true, force: true })
  for (const id of ids) {
    const copy = path.join(publishedFolder(dataDir), id)
    mkdirSync(copy, { recursive: true })
    copyFileSync(path.join(folder, 'catalogue.parquet'), path.join(copy, 'catalogue.parquet'))
    writeFileSync(path.join(copy, 'generation.json'), JSON.stringify({ ...generation, id }))
  }
  switchToGeneration(dataDir, ids[0]!)
  return dataDir
}

/** Listens until it is destroyed, and says how many events have come each time. */
function listen(url: string, heard: (events: number) => void): Promise<http.ClientRequest> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`events answered ${response.statusCode}`))
      response.setEncoding('utf8').on('data', (text: string) => {
        heard(text.split('\nevent: generation\n').length - 1)
      })
      // Those of a request that is destroyed in the end.
      response.on('error', () => undefined)
      resolve(request)
    })
    request.on('error', reject)
  })
}

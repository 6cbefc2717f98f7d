import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { print } from './report.ts'

const runs = 3
/** Requests take processor time from the update: 20 in a second a fifth of it. */
const pollMs = 500

interface FirstStart {
  /** Seconds until a page shows progress. */
  readonly page: number
  /** Seconds until pages and API have data. */
  readonly data: number
}

/** Starts the service without data or node, as `npm start` does in a fresh clone after `npm ci`. */
export async function benchFirstStart(folder: string): Promise<void> {
  const starts: FirstStart[] = []
  for (let run = 0; run < runs; run++) starts.push(await measureStart(folder))
  const figure = (name: keyof FirstStart): string => {
    const seconds = starts.map((start) => start[name]).sort((one, other) => one - other)
    return `${seconds[1]!.toFixed(1)} s (${seconds.map((one) => one.toFixed(1)).join(', ')})`
  }
  print('first start: a page with progress', figure('page'), { aim: '2 s' })
  print('first start: pages and API with data', figure('data'), { aim: '20 s' })
}

async function measureStart(folder: string): Promise<FirstStart> {
  const dataDir = mkdtempSync(path.join(folder, 'first-start-'))
  const begin = performance.now()
  const child = spawn(process.execPath, [path.resolve('build/run-program.ts'), 'start', '--data-dir', dataDir], {
    env: { ...process.env, HOME: dataDir, BITCOIN_SOURCE: 'simulated', PORT: '0', LOG_FORMAT: 'json' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  try {
    const url = await readUrl(child.stderr)
    const until = async (isReached: () => Promise<boolean>): Promise<number> => {
      while (!(await isReached())) await sleep(pollMs)
      return (performance.now() - begin) / 1000
    }
    const isOk = async (at: string): Promise<boolean> => (await fetch(url + at)).ok
    const page = await until(() => isOk('/'))
    return { page, data: await until(async () => (await isOk('/v1/prices?limit=1')) && isOk('/health')) }
  } finally {
    child.kill()
    await ended
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function readUrl(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stderr)) {
    const [, url] = /nothing is published yet: (\S+)\/ /.exec(line) ?? []
    if (url === undefined) continue
    // The pipe must not fill.
    stderr.resume()
    return url
  }
  throw new Error('the service ended before it answered')
}

import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { createTrialKey } from '#accounts/commands.ts'
import { cliProgram } from '#root/cli/child-commands.ts'
import { openStore } from '#store/open-store.ts'
import { publishToStore } from '#store/publish.ts'
import { load } from './api.ts'
import { measure, print } from './report.ts'
import {
  type Child,
  copyGeneration,
  cpuSecondsOf,
  createChild,
  demoDataFolder,
  endedCpuSeconds,
  unlimited,
} from './served-demo.ts'

const target = '/v1/series?metrics=price,mvrv,realized_price,nupl&limit=100'
const machines = 3
const publications = 3

/**
 * Requests per second by number of workers, and the time until the last of three machines serves a
 * publication.
 */
export async function benchScale(folder: string): Promise<void> {
  const dataDir = await demoDataFolder(folder)
  console.log('\nscale: serve --workers N, with a load that takes its part of the same cores')
  const one = await measureWorkers(dataDir, 1)
  const two = await measureWorkers(dataDir, 2)
  print('two workers beside one', `${(two.perSecond / one.perSecond).toFixed(2)} times the requests/s`, {
    beside: `${(two.perCpuSecond / one.perCpuSecond).toFixed(2)} times the requests per CPU-second`,
  })
  await measurePublication(dataDir, path.join(folder, 'scale'))
}

async function measureWorkers(dataDir: string, workers: number): Promise<{ perSecond: number; perCpuSecond: number }> {
  const key = await createTrialKey({ DATA_DIR: dataDir })
  await using server = await startServe({ ...unlimited, DATA_DIR: dataDir, WORKERS: `${workers}` })
  await load(server.url + target, key)
  const [before, ownBefore] = [cpuSecondsOf(server), endedCpuSeconds()]
  const { requests, latency } = await load(server.url + target, key)
  const [used, usedByLoad] = [cpuSecondsOf(server) - before, endedCpuSeconds() - ownBefore]
  const perCpuSecond = requests.total / used
  const work = `${workers} ${workers === 1 ? 'worker' : 'workers'}, 100 rows of four metrics`
  print(work, `${Math.round(requests.average)} requests/s`, {
    beside: `${Math.round(perCpuSecond)} per CPU-second of the server, p99 ${latency.p99} ms; CPU-seconds: server ${used.toFixed(1)}, load ${usedByLoad.toFixed(1)}`,
  })
  return { perSecond: requests.average, perCpuSecond }
}

async function measurePublication(dataDir: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const writer = path.join(folder, 'writer')
  const store = pathToFileURL(path.join(folder, 'store')).href
  const publish = async (id: string): Promise<void> => {
    copyGeneration(dataDir, writer, id)
    await publishToStore(await openStore(store), writer)
  }
  await publish('publication-0')
  const servers: Child[] = []
  try {
    for (let i = 0; i < machines; i++) {
      servers.push(await startServe({ DATA_DIR: path.join(folder, `machine-${i}`), PULL_URL: store }))
    }
    await Promise.all(servers.map((server) => serves(server, 'publication-0')))
    const times: number[] = []
    for (let i = 1; i <= publications; i++) {
      await publish(`publication-${i}`)
      const { seconds } = await measure(() => Promise.all(servers.map((server) => serves(server, `publication-${i}`))))
      times.push(seconds)
    }
    const figure = times.map((time) => `${time.toFixed(1)} s`).join(', ')
    print(`published to served by the last of ${machines} machines`, figure, {
      beside: 'each asks every 10 s (PULL_SECONDS)',
      aim: '10 s',
    })
  } finally {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
    rmSync(folder, { recursive: true, force: true })
  }
}

async function serves({ url }: Child, id: string): Promise<void> {
  for (;;) {
    const answer: unknown = await (await fetch(`${url}/health`)).json()
    if (typeof answer === 'object' && answer !== null && 'generation' in answer && answer.generation === id) return
    await sleep(50)
  }
}

function startServe(settings: Readonly<Record<string, string>>): Promise<Child> {
  const child = spawn(process.execPath, [cliProgram, 'serve', '--port', '0'], {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, LOG_FORMAT: 'json', ...settings },
  })
  return new Promise((resolve, reject) => {
    let output = ''
    child.stderr.on('data', (chunk) => {
      output += String(chunk)
      const [, url] = /"serving on ([^\s"]+)"/.exec(output) ?? []
      if (url !== undefined) resolve(createChild(url, child))
    })
    child.once('exit', () => reject(new Error(`it serves nothing: ${output}`)))
  })
}

import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseDay } from '#base/days.ts'
import { currentGeneration, listGenerationIds } from '#sql/generation.ts'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { addressOf, coinstrata, type RunningProgram, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { RegtestChain } from '#test/support/regtest.ts'

const bitcoind = findBitcoind()
/**
 * Number of updates, which take minutes: `SOAK=50 npm run test:one -- test/program/soak.extended.test.ts`.
 */
const updates = Number(process.env.SOAK ?? 0)
const readers = 20
/** Between two requests of a reader, in milliseconds. */
const pause = 200
const idleSeconds = 20

const answerSchema = z.object({ success: z.literal(true), data: z.array(z.object({ date: z.string() })).min(30) })

/** Readers ask until they are told to stop; how long each answer took, in milliseconds. */
async function read(url: string, stop: AbortSignal): Promise<{ times: number[]; failures: string[] }> {
  const times: number[] = []
  const failures: string[] = []
  const reader = async (number: number): Promise<void> => {
    await sleep((number * pause) / readers)
    while (!stop.aborted) {
      const begin = performance.now()
      try {
        const response = await fetch(`${url}/v1/prices?limit=100`)
        const body: unknown = await response.json()
        times.push(performance.now() - begin)
        if (!answerSchema.safeParse(body).success)
          failures.push(`${response.status} ${JSON.stringify(body).slice(0, 200)}`)
      } catch (error) {
        failures.push(String(error))
      }
      await sleep(pause)
    }
  }
  await Promise.all(Array.from({ length: readers }, (_, number) => reader(number)))
  return { times, failures }
}

function createPrices(days: number): string {
  const date = (day: number): string => new Date(Date.UTC(2011, 1, 3 + day)).toISOString().slice(0, 10)
  const lines = Array.from({ length: days }, (_, day) => `${date(day)},1,2,1,${1 + (day % 10) / 10}`)
  return `date,open,high,low,close\n${lines.join('\n')}\n`
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0)

/**
 * The service collects its garbage when it is told to: what is no longer used lies around for
 * minutes otherwise.
 */
const collecting = [
  '--expose-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent("process.on('SIGUSR2', () => gc())")}`,
]

/** After a collection. */
async function residentMegabytes({ process: child }: RunningProgram): Promise<number> {
  const { pid } = child
  child.kill('SIGUSR2')
  await sleep(500)
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

describe.skipIf(!bitcoind || updates === 0)(
  `${updates} updates beside a node that makes blocks and reorganises`,
  () => {
    const folder = temporaryFolder('soak')
    const dataDir = path.join(folder, 'data')
    let chain: RegtestChain
    let service: RunningProgram
    let url: string

    const update = async (): Promise<void> => {
      const { datadir, endpoint } = chain.node
      const args = [
        'update',
        '--network',
        'regtest',
        '--datadir',
        datadir,
        '--rpc-url',
        endpoint.url,
        '--data-dir',
        dataDir,
      ]
      const { exitCode, stderr } = await startCoinstrata(args).outcome
      expect(exitCode, stderr).toBe(0)
    }

    beforeAll(async () => {
      chain = await RegtestChain.start(bitcoind!)
      await chain.growYears()
      const prices = path.join(folder, 'prices.csv')
      writeFileSync(prices, createPrices(5_000))
      const imported = await coinstrata(['import', 'prices', prices, '--data-dir', dataDir])
      expect(imported.exitCode, imported.stderr).toBe(0)
      await update()
      const environment = {
        ACCESS: 'open',
        REQUESTS_PER_MINUTE: '1000000',
        CELLS_PER_MINUTE: '1000000000000',
        // As on other machines: in tests memory is not given back to the system (vitest.config.ts).
        MALLOC_TRIM_THRESHOLD_: String(2 ** 17),
        MALLOC_MMAP_THRESHOLD_: String(2 ** 17),
        MALLOC_TOP_PAD_: String(2 ** 17),
      }
      service = startCoinstrata(['serve', '--port', '0', '--data-dir', dataDir], {
        environment,
        nodeArguments: collecting,
      })
      url = await addressOf(service)
    })
    afterAll(async () => {
      service?.process.kill('SIGTERM')
      await service?.outcome
      await chain?.stop()
      rmSync(folder, { recursive: true })
    })

    it('are read by twenty without a failure, on a bounded disk and in flat memory', {
      timeout: 3_600_000,
    }, async () => {
      // Code loaded and compiled first is not part of the idle memory.
      await read(url, AbortSignal.timeout(3_000))
      const idle = await read(url, AbortSignal.timeout(1_000 * idleSeconds))
      const stop = new AbortController()
      const reading = read(url, stop.signal)
      const disk: number[] = []
      const memory: number[] = []
      for (let i = 1; i <= updates; i++) {
        if (i % 5 === 0) await chain.reorganise(1 + (i % 4))
        else await chain.grow(3)
        await update()
        // Each update publishes some days more.
        const { first_date, last_date } = currentGeneration(dataDir)!.generation
        const days = parseDay(last_date) - parseDay(first_date) + 1
        disk.push(bytesIn(dataDir) / days)
        // Now and then, so that collections count little among the times of answers.
        if (i % 5 === 0) memory.push(await residentMegabytes(service))
        expect(listGenerationIds(dataDir).length).toBeLessThanOrEqual(3)
      }
      stop.abort()
      const busy = await reading
      // The first fifth fills what is kept: generations, checkpoints, compiled code.
      const fifth = (all: readonly number[]) => Math.ceil(all.length / 5)
      const early = (all: readonly number[]): number => Math.max(...all.slice(fifth(all), 2 * fifth(all)))
      const late = (all: readonly number[]): number => Math.max(...all.slice(-fifth(all)))
      const figures = {
        requests: [idle.times.length, busy.times.length],
        p50: [percentile(idle.times, 0.5), percentile(busy.times, 0.5)],
        p99: [percentile(idle.times, 0.99), percentile(busy.times, 0.99)],
        megabytes: memory,
        bytesPerDay: [early(disk), late(disk)],
      }
      console.log(JSON.stringify(figures))
      expect([...idle.failures, ...busy.failures]).toEqual([])
      expect(late(disk)).toBeLessThan(1.1 * early(disk))
      expect(late(memory)).toBeLessThan(1.1 * early(memory))
      expect(figures.p99[1]).toBeLessThanOrEqual(5 * figures.p99[0]!)
    })
  },
)

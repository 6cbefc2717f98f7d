import { once } from 'node:events'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { currentGeneration, publishedFolder, switchToGeneration } from '#sql/generation.ts'
import { openStore } from '#store/open-store.ts'
import { publishToStore } from '#store/publish.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { updateFolder } from '#test/support/made-folder.ts'
import { addressOf, type RunningProgram, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { hasRedis, type RunningRedis, startRedis } from '#test/support/redis.ts'
import { trials } from '#test/support/trials.ts'
import { hasMoto, type S3Server, startS3 } from './support/stores.ts'

/**
 * Three machines that serve, one that publishes, a store and a Redis, each of which fails in turn while callers ask at an even pace. What they ask for
 * reaches a machine as by a load balancer: where one does not answer within a second, the next one is asked.
 */

const healthSchema = z.object({ generation: z.string().nullable(), problems: z.array(z.object({ code: z.string() })) })

const limit = 40
const longestSwitch = 10_000
const patience = 1_000

/** Passes on what lies behind it: late, or not at all. */
class Line {
  delay = 0
  isCut = false
  url = ''
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(target: URL) {
    this.#server = createServer((near) => {
      if (this.isCut) return void near.destroy()
      const far = connect(Number(target.port), target.hostname)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from)
        from.on('data', (chunk) => void setTimeout(() => to.write(chunk), from === near ? this.delay : 0))
        from.on('error', () => {})
        from.on('close', () => {
          this.#sockets.delete(from)
          to.destroy()
        })
      }
    })
  }

  async open(protocol: string): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    this.url = `${protocol}//127.0.0.1:${address.port}`
  }

  cut(): void {
    this.isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.cut()
    this.#server.close()
  }
}

interface Machine {
  readonly dataDir: string
  program: RunningProgram
  url: string
}

describe.skipIf(!hasRedis || !hasMoto)('three machines behind a load balancer', () => {
  const folder = temporaryFolder('machines')
  const writer = path.join(folder, 'writer')
  const machines: Machine[] = []
  let s3: S3Server
  let redis: RunningRedis
  let storeLine: Line
  let redisLine: Line
  let isOver = false
  let published = 0
  let callers = 0
  const statuses = new Map<number, number>()
  let pacing: Promise<void>

  beforeAll(async () => {
    const made = path.join(folder, 'made')
    await writeChain(`${made}-blocks`, makeChain(13), 12)
    await updateFolder(made, `${made}-blocks`)
    ;[s3, redis] = await Promise.all([startS3('tables'), startRedis()])
    storeLine = new Line(new URL(s3.environment.AWS_ENDPOINT_URL!))
    redisLine = new Line(new URL(redis.url))
    await storeLine.open('http:')
    await redisLine.open('redis:')
    for (const [name, value] of Object.entries(s3.environment)) vi.stubEnv(name, value)
    await publish()
    await Promise.all(
      [0, 1, 2].map(async (i) => {
        const dataDir = path.join(folder, `machine-${i}`)
        machines[i] = { dataDir, ...(await start(dataDir)) }
      }),
    )
    await switched()
    pacing = keepAsking()
  }, 60_000)

  afterAll(async () => {
    isOver = true
    await pacing
    vi.unstubAllEnvs()
    for (const { program } of machines) program.process.kill('SIGKILL')
    await Promise.all(machines.map(({ program }) => program.outcome))
    s3.process.kill('SIGKILL')
    await redis.kill()
    storeLine.close()
    redisLine.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(dataDir: string): Promise<Omit<Machine, 'dataDir'>> {
    const program = startCoinstrata(['serve', '--port', '0'], {
      environment: {
        ...s3.environment,
        AWS_ENDPOINT_URL: storeLine.url,
        DATA_DIR: dataDir,
        PULL_URL: 's3://tables/main',
        PULL_SECONDS: '1',
        RENDERS_URL: 's3://tables/charts',
        REDIS_URL: redisLine.url,
        REQUESTS_PER_MINUTE: `${limit}`,
        DEMO_DAILY_REQUESTS: '1000000',
        CHART_DEMO: 'on',
        TRUST_PROXY: '1',
        MAX_AGE: '99999d',
      },
    })
    return { program, url: await addressOf(program) }
  }

  /** The same tables under a new id. */
  async function publish(): Promise<void> {
    const { folder: from, generation } = currentGeneration(path.join(folder, 'made'))!
    const id = `generation-${++published}`
    const copy = path.join(publishedFolder(writer), id)
    cpSync(from, copy, { recursive: true })
    writeFileSync(path.join(copy, 'generation.json'), JSON.stringify({ ...generation, id }))
    switchToGeneration(writer, id)
    await publishToStore(await openStore('s3://tables/main'), writer)
  }

  /** Asks one machine, and the next where it does not answer; as a caller of its own unless there is one. */
  async function ask(first: number, target: string, caller: string): Promise<Response> {
    for (let i = first; i < first + 3; i++) {
      try {
        const answer = await fetch(`${machines[i % 3]!.url}${target}`, {
          headers: { 'x-forwarded-for': caller },
          signal: AbortSignal.timeout(patience),
        })
        await answer.clone().arrayBuffer()
        return answer
      } catch {
        // The next one.
      }
    }
    throw new Error('no machine answers')
  }

  const newCaller = (): string => `198.51.${callers >> 8}.${callers++ & 255}`

  /** Ten requests a second of callers of their own, over all machines. */
  async function keepAsking(): Promise<void> {
    const asked: Promise<void>[] = []
    for (let i = 0; !isOver; i++) {
      asked.push(
        ask(i, '/v1/prices?limit=1', newCaller()).then(({ status }) => {
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }),
      )
      await sleep(100)
    }
    await Promise.all(asked)
  }

  /** Resolves when all machines serve what was published last, and share their limits. */
  async function switched(): Promise<void> {
    const serves = ({ url }: Machine) =>
      vi.waitFor(
        async () => {
          const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(patience) })
          const { generation, problems } = healthSchema.parse(await answer.json())
          expect(generation).toBe(`generation-${published}`)
          expect(problems.map(({ code }) => code)).not.toContain('limits_not_shared')
        },
        { timeout: longestSwitch, interval: 50 },
      )
    await Promise.all(machines.map(serves))
  }

  /** What a new caller is granted that asks all machines twice as often as it may. */
  async function granted(): Promise<number> {
    const caller = newCaller()
    const asked: Promise<Response>[] = []
    for (let i = 0; i < 2 * limit; i++) {
      asked.push(ask(i, '/v1/metrics/price', caller))
      await sleep(10)
    }
    return (await Promise.all(asked)).filter(({ status }) => status === 200).length
  }

  const failures: readonly (readonly [string, () => unknown, () => unknown])[] = [
    ['nothing fails', () => {}, () => {}],
    ['Redis is killed', () => redis.kill(), async () => (redis = await startRedis(redis.port))],
    ['Redis stands still', () => redis.process.kill('SIGSTOP'), () => redis.process.kill('SIGCONT')],
    ['Redis takes two seconds', () => (redisLine.delay = 2_000), () => (redisLine.delay = 0)],
    ['the store is gone', () => storeLine.cut(), () => (storeLine.isCut = false)],
    ['the store stands still', () => s3.process.kill('SIGSTOP'), () => s3.process.kill('SIGCONT')],
    ['the store takes two seconds', () => (storeLine.delay = 2_000), () => (storeLine.delay = 0)],
    [
      'a machine is killed',
      () => machines[1]!.program.process.kill('SIGKILL'),
      async () => Object.assign(machines[1]!, await start(machines[1]!.dataDir)),
    ],
    [
      'a machine stands still',
      () => machines[2]!.program.process.kill('SIGSTOP'),
      () => machines[2]!.program.process.kill('SIGCONT'),
    ],
  ]
  const rounds = Array.from({ length: trials(1, 5) }, () => failures).flat()

  it.each(rounds)('go on answering and keep their limits while %s', { timeout: 40_000 }, async (_, fail, mend) => {
    const before = new Map(statuses)
    await fail()
    const passed = await granted()
    await mend()
    expect(passed).toBeLessThanOrEqual(1.1 * limit)
    // At the least what the machines that live have as their shares; on a busy machine some are asked twice.
    expect(passed).toBeGreaterThanOrEqual(limit / 2)
    expect([...statuses].filter(([status, count]) => status !== 200 && count > (before.get(status) ?? 0))).toEqual([])
    await publish()
    await switched()
  })

  it('answer for the charts of each other', async () => {
    const caller = newCaller()
    const made = await fetch(`${machines[0]!.url}/v1/chart/snapshot?metric=block_height&format=json`, {
      headers: { 'x-forwarded-for': caller },
    })
    expect(made.status).toBe(200)
    const id = made.headers.get('x-render-id')
    const picture = await fetch(`${machines[1]!.url}/v1/chart/renders/${id}.svg`, {
      headers: { 'x-forwarded-for': caller },
    })
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
  })
})

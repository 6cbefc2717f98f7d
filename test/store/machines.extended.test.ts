import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { objectKey } from '#store/current.ts'
import { openStore } from '#store/open-store.ts'
import { publishToStore } from '#store/publish.ts'
import { hasPostgres, type RunningPostgres, startPostgres } from '#test/support/postgres.ts'
import { type RunningProgram, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { hasRedis, type RunningRedis, startRedis } from '#test/support/redis.ts'
import { trials } from '#test/support/trials.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'
import { type Caller, makeAccounts, newAddress, questions, withMadeUpKey } from './support/callers.ts'
import { Line } from './support/line.ts'
import { askInTurn, Machine, renewGeneration, untilServed } from './support/machines.ts'
import { hasMoto, type S3Server, startS3 } from './support/stores.ts'

/**
 * Three machines that serve, one that publishes, a store, a PostgreSQL and a Redis, each of which
 * fails in turn while callers of all tiers ask at an even pace. What they ask for reaches a machine
 * as by a load balancer: where one does not answer within a second, the next one is asked.
 * LONG_TRIALS=1 has each part fail in every way, and prints the figures.
 */

const perMinute = 60
const demoPerDay = 50
/** Trials run on an idle machine. */
const maxSwitchMs = trials(0, 1) === 1 ? 10_000 : 30_000
/** Milliseconds; PostgreSQL is given up after five seconds. */
const longestLookUp = 10_000
/**
 * What each caller of the even pace asks in a minute stays below a third of the limit, its share
 * where machines cannot tell each other.
 */
const callersPerTier = 24
const bucket = 's3://machines'
const makeBucket = path.join(import.meta.dirname, '../../deploy/machines/make-bucket.ts')

interface Figures {
  readonly phase: string
  requests: number
  worstMs: number
  readonly answers: Record<string, number>
  /** What callers get whose keys no machine has seen before. */
  readonly newcomers: Record<string, number>
  granted: Readonly<Record<string, number>>
  readonly switchMs: number[]
}

interface Failure {
  readonly name: string
  readonly fail: () => unknown
  readonly mend: () => unknown
  /**
   * All machines serve a generation that is published meanwhile; otherwise one is published only
   * when all is well again.
   */
  readonly switchesMeanwhile?: true
  /** What may be found wrong meanwhile. */
  readonly problems?: readonly string[]
  /**
   * Whether keys that a machine does not know are looked up in vain: all of them, or those that
   * take too long.
   */
  readonly hidesAccounts?: 'all' | 'some'
}

describe.skipIf(!hasRedis || !hasMoto || !hasPostgres)('three machines behind a load balancer', () => {
  const folder = temporaryFolder('machines')
  const writer = path.join(folder, 'writer')
  let machines: Machine[] = []
  let s3: S3Server
  let redis: RunningRedis
  let postgres: RunningPostgres
  let storeLine: Line
  let redisLine: Line
  let postgresLine: Line
  let writerLine: Line
  let publication: RunningProgram
  let published = 0
  /** Of the machine that publishes. */
  let clockAheadMs = 0
  let joiner: Machine | undefined
  const generation = (): string => `generation-${String(published).padStart(3, '0')}`

  const callers = new Map<string, readonly Caller[]>()
  /** Of tier pro, each to be asked for once. */
  let strangers: Caller[] = []
  let grantees: Caller[] = []
  const figures: Figures[] = []
  const begin = (phase: string): Figures => {
    const made: Figures = { phase, requests: 0, worstMs: 0, answers: {}, newcomers: {}, granted: {}, switchMs: [] }
    figures.push(made)
    return made
  }
  const unexpected: string[] = []
  let isOver = false
  let pacing: Promise<void>

  beforeAll(async () => {
    await publishSmallGeneration(writer, generation())
    ;[s3, redis, postgres] = await Promise.all([startS3('others'), startRedis(), startPostgres()])
    for (const [name, value] of Object.entries(s3.environment)) vi.stubEnv(name, value)
    // As deploy/machines does before it publishes: the second time there is nothing to make.
    for (let i = 0; i < 2; i++)
      execFileSync(process.execPath, [makeBucket], { env: { ...process.env, PUBLISH_URL: `${bucket}/main` } })
    const storeUrl = s3.environment.AWS_ENDPOINT_URL!
    ;[storeLine, writerLine] = [await Line.to(storeUrl), await Line.to(storeUrl)]
    ;[redisLine, postgresLine] = [await Line.to(redis.url), await Line.to(postgres.url)]
    await publishToStore(await openStore(`${bucket}/main`), writer)
    const pro = await makeAccounts(postgres.url, 'pro', callersPerTier + 4 * rounds.length)
    callers.set('pro', pro.splice(0, callersPerTier))
    callers.set('enterprise', await makeAccounts(postgres.url, 'enterprise', callersPerTier))
    grantees = pro.splice(0, rounds.length)
    strangers = pro
    machines = await Promise.all([0, 1, 2].map((i) => Machine.start(environmentOf(`machine-${i}`))))
    await untilServed(machines, generation(), maxSwitchMs)
    // Each machine has seen them.
    const known = [...callers.values(), grantees].flat()
    const answers = machines.map((machine) => known.map((caller) => machine.answer('/v1/cycle-performance', caller)))
    for (const answer of await Promise.all(answers.flat())) expect(answer).toMatch(/^200/)
    pacing = keepAsking()
  })

  afterAll(async () => {
    isOver = true
    await pacing
    vi.unstubAllEnvs()
    await Promise.all([...machines, ...(joiner ? [joiner] : [])].map((machine) => machine.end()))
    s3.process.kill('SIGKILL')
    await redis.kill()
    await postgres.remove()
    for (const line of [storeLine, writerLine, redisLine, postgresLine]) line.close()
    rmSync(folder, { recursive: true, force: true })
    if (trials(0, 1) === 1) for (const one of figures) process.stdout.write(`${JSON.stringify(one)}\n`)
  })

  const environmentOf = (name: string) => ({
    ...s3.environment,
    AWS_ENDPOINT_URL: storeLine.url,
    DATA_DIR: path.join(folder, name),
    PULL_URL: `${bucket}/main`,
    PULL_SECONDS: '1',
    RENDERS_URL: `${bucket}/charts`,
    REDIS_URL: redisLine.url,
    DATABASE_URL: postgresLine.url,
    REQUESTS_PER_MINUTE: `${perMinute}`,
    DEMO_DAILY_REQUESTS: `${demoPerDay}`,
    CHART_DEMO: 'on',
    TRUST_PROXY: '1',
    MAX_AGE: '99999d',
  })

  /** Ten requests a second of callers of all tiers, over all machines. */
  async function keepAsking(): Promise<void> {
    const asked: Promise<void>[] = []
    for (let i = 0; !isOver; i++) {
      const { tier, path: target, expected } = questions[i % questions.length]!
      const one = tier === 'demo' ? newAddress() : callers.get(tier)![i % callersPerTier]!
      const now = figures.at(-1) ?? begin('before')
      const since = performance.now()
      asked.push(
        askInTurn(machines, i, target, one).then((answer) => {
          now.requests++
          now.worstMs = Math.max(now.worstMs, Math.round(performance.now() - since))
          const status = answer.slice(0, 3)
          now.answers[status] = (now.answers[status] ?? 0) + 1
          if (answer !== expected) unexpected.push(`${now.phase}: ${answer} to ${tier} for ${target}, not ${expected}`)
        }),
      )
      await sleep(100)
    }
    await Promise.all(asked)
  }

  /**
   * How often somebody gets an answer who asks all machines twice as often as they may; otherwise
   * they must be told of their limit.
   */
  async function granted(caller: Caller, target: string, refusal: string): Promise<number> {
    const asked: Promise<string>[] = []
    for (let i = 0; i < 2 * perMinute; i++) {
      asked.push(askInTurn(machines, i, target, caller))
      await sleep(25)
    }
    const answers = await Promise.all(asked)
    const good = answers.filter((answer) => answer.startsWith('200'))
    unexpected.push(...answers.filter((answer) => !answer.startsWith('200') && answer !== refusal))
    return good.length
  }

  async function publish(): Promise<void> {
    renew()
    await publishToStore(await openStore(`${bucket}/main`), writer, { now: () => Date.now() + clockAheadMs })
  }

  function renew(): void {
    const before = generation()
    published++
    renewGeneration(writer, before, generation())
  }

  const startPublication = (): RunningProgram =>
    startCoinstrata(['publish'], {
      environment: {
        ...s3.environment,
        AWS_ENDPOINT_URL: writerLine.url,
        DATA_DIR: writer,
        PUBLISH_URL: `${bucket}/main`,
      },
    })

  /**
   * Publishes by a process of its own, as far as one table lying in the store, and another thing
   * not.
   */
  async function publishHalf(): Promise<void> {
    renew()
    writerLine.delay = 500
    publication = startPublication()
    const store = await openStore(`${bucket}/main`)
    const isThere = async (name: string): Promise<boolean> => {
      const found = await store.read(objectKey(generation(), name))
      if (found instanceof Object) found.body.destroy()
      return found !== undefined
    }
    await vi.waitFor(async () => expect(await isThere('metrics_market.parquet')).toBe(true), {
      timeout: 20_000,
      interval: 20,
    })
    expect(await isThere('generation.json')).toBe(false)
  }

  async function endPublication(): Promise<void> {
    writerLine.delay = 0
    expect(await publication.outcome).toMatchObject({ exitCode: 0 })
  }

  const signalOf = (signal: NodeJS.Signals) => () => void publication.process.kill(signal)
  const limitsApart = { switchesMeanwhile: true, problems: ['limits_not_shared'] } as const
  const accountsAway = { switchesMeanwhile: true, problems: ['accounts_unavailable'] } as const
  const failures: readonly Failure[] = [
    { name: 'nothing fails', fail: () => {}, mend: () => {}, switchesMeanwhile: true },
    {
      name: 'Redis is killed',
      fail: () => redis.kill(),
      mend: async () => (redis = await startRedis(redis.port)),
      ...limitsApart,
    },
    {
      name: 'Redis stands still',
      fail: () => redis.process.kill('SIGSTOP'),
      mend: () => redis.process.kill('SIGCONT'),
      ...limitsApart,
    },
    {
      name: 'Redis takes two seconds',
      fail: () => (redisLine.delay = 2_000),
      mend: () => (redisLine.delay = 0),
      ...limitsApart,
    },
    {
      name: 'PostgreSQL is killed',
      fail: () => postgres.kill(),
      mend: () => postgres.start(),
      hidesAccounts: 'all',
      ...accountsAway,
    },
    {
      name: 'PostgreSQL stands still',
      fail: () => postgres.signal('SIGSTOP'),
      mend: () => postgres.signal('SIGCONT'),
      hidesAccounts: 'all',
      ...accountsAway,
    },
    {
      name: 'PostgreSQL takes two seconds',
      fail: () => (postgresLine.delay = 2_000),
      mend: () => (postgresLine.delay = 0),
      hidesAccounts: 'some',
      ...accountsAway,
    },
    { name: 'the store is gone', fail: () => storeLine.cut(), mend: () => (storeLine.isCut = false) },
    {
      name: 'the store stands still',
      fail: () => s3.process.kill('SIGSTOP'),
      mend: () => s3.process.kill('SIGCONT'),
    },
    {
      name: 'the store takes two seconds',
      fail: () => (storeLine.delay = 2_000),
      mend: () => (storeLine.delay = 0),
    },
    {
      name: 'the store answers 503',
      fail: () => (storeLine.refusal = { status: '503 Slow Down', body: '<Error><Code>SlowDown</Code></Error>' }),
      mend: () => (storeLine.refusal = undefined),
    },
    {
      name: 'the credentials of the store have expired',
      fail: () => (storeLine.refusal = { status: '403 Forbidden', body: '<Error><Code>ExpiredToken</Code></Error>' }),
      mend: () => (storeLine.refusal = undefined),
    },
    {
      name: 'bits of what the store sends are flipped',
      fail: async () => {
        storeLine.isNoisy = true
        await publish()
      },
      mend: () => (storeLine.isNoisy = false),
    },
    {
      name: 'the clock of the writer is an hour ahead, and then an hour behind',
      fail: () => (clockAheadMs = 3_600_000),
      mend: () => (clockAheadMs = -3_600_000),
      switchesMeanwhile: true,
    },
    {
      name: 'a machine joins during a publication',
      fail: async () => {
        await publishHalf()
        signalOf('SIGSTOP')()
        joiner = await Machine.start(environmentOf('joiner'))
      },
      mend: async () => {
        signalOf('SIGCONT')()
        await endPublication()
        await untilServed([joiner!], generation(), maxSwitchMs)
        // It answers for earlier generations, too.
        const earlier = `generation-${String(published - 1).padStart(3, '0')}`
        for (const machine of [...machines, joiner!])
          await expect
            .poll(() => machine.answer(`/v1/prices?generation=${earlier}`, newAddress()), { timeout: maxSwitchMs })
            .toBe('200, 60 rows')
      },
    },
    {
      name: 'a machine is killed',
      fail: () => machines[1]!.signal('SIGKILL'),
      mend: () => machines[1]!.startAgain(),
    },
    {
      name: 'a machine stands still',
      fail: () => machines[2]!.signal('SIGSTOP'),
      mend: () => machines[2]!.signal('SIGCONT'),
    },
    {
      name: 'a machine takes two seconds',
      fail: () => (machines[0]!.line.delay = 2_000),
      mend: () => (machines[0]!.line.delay = 0),
      switchesMeanwhile: true,
    },
    {
      name: 'the writer is killed in mid publication',
      fail: async () => {
        await publishHalf()
        signalOf('SIGKILL')()
      },
      mend: async () => {
        publication = startPublication()
        await endPublication()
      },
    },
    {
      name: 'the writer stands still in mid publication',
      fail: async () => {
        await publishHalf()
        signalOf('SIGSTOP')()
      },
      mend: async () => {
        signalOf('SIGCONT')()
        await endPublication()
      },
    },
  ]
  const few = [
    'Redis takes two seconds',
    'PostgreSQL is killed',
    'the store stands still',
    'a machine is killed',
    'the writer is killed in mid publication',
  ]
  const rounds = trials(0, 1) === 1 ? failures : failures.filter(({ name }) => few.includes(name))

  it.each(rounds)('go on answering and keep their limits while $name', async (failure) => {
    const now = begin(failure.name)
    const served = generation()
    await failure.fail()
    const away = '503 storage_unavailable'
    const mayGet = (usual: string): readonly string[] =>
      failure.hidesAccounts === 'all' ? [away] : failure.hidesAccounts === 'some' ? [usual, away] : [usual]
    const withNewKeys = strangers.splice(0, machines.length)
    const asNewcomer = (caller: Caller, first: number): Promise<string> =>
      askInTurn(machines, first, '/v1/holder/profit?limit=1', caller, failure.hidesAccounts && longestLookUp)
    const [demo, pro, impostor, ...newcomers] = await Promise.all([
      granted(newAddress(), '/v1/metrics/price', '429 quota_exceeded'),
      granted(grantees.pop()!, '/v1/metrics/nupl', '429 rate_limited'),
      asNewcomer(withMadeUpKey, 0),
      ...withNewKeys.map(asNewcomer),
    ])
    now.granted = { demo, pro }
    for (const answer of newcomers) now.newcomers[answer] = (now.newcomers[answer] ?? 0) + 1
    for (const machine of machines)
      expect((await machine.health().catch(() => undefined))?.generation ?? served).toBe(served)
    if (failure.switchesMeanwhile) {
      await publish()
      now.switchMs.push(await untilServed(machines, generation(), maxSwitchMs, failure.problems))
    }
    await failure.mend()
    now.switchMs.push(await untilServed(machines, generation(), maxSwitchMs))
    for (const [first, caller] of withNewKeys.entries())
      await expect.poll(() => asNewcomer(caller, first), { timeout: maxSwitchMs }).toBe('200, 1 rows')
    await publish()
    now.switchMs.push(await untilServed(machines, generation(), maxSwitchMs))

    for (const [passed, limit] of [
      [demo, demoPerDay],
      [pro, perMinute],
    ] as const) {
      expect(passed).toBeLessThanOrEqual(1.1 * limit)
      // At the least what the machines that live have as their shares; on a busy machine some are
      // asked twice.
      expect(passed).toBeGreaterThanOrEqual(limit / 2)
    }
    expect(mayGet('401 invalid_api_key')).toContain(impostor)
    for (const answer of newcomers) expect(mayGet('200, 1 rows')).toContain(answer)
    expect(unexpected).toEqual([])
  })

  it('answer for the charts of each other', async () => {
    begin('charts')
    const { headers } = newAddress()
    const made = await fetch(`${machines[0]!.line.url}/v1/chart/snapshot?metric=block_height&format=json`, { headers })
    expect(made.status).toBe(200)
    const id = made.headers.get('x-render-id')
    const picture = async () => {
      const answer = await fetch(`${machines[1]!.line.url}/v1/chart/renders/${id}.svg`, { headers })
      return `${answer.status} ${answer.headers.get('content-type')}`
    }
    // On a busy computer the store may be given up in between, with 503, and left alone for five
    // seconds.
    await expect.poll(picture, { timeout: 30_000, interval: 1_000 }).toBe('200 image/svg+xml; charset=utf-8')
  })
})

import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAttempts } from '#limits/attempts.ts'
import { createBudget } from '#limits/budget.ts'
import { Counters } from '#limits/counters.ts'
import type { PolicyCounters } from '#limits/policy-counters.ts'
import { openRedisCounts, type RedisCounts } from '#limits/redis-counts.ts'
import { temporaryDataDir } from '../api/support/test-server.ts'
import { hasRedis, type RunningRedis, startRedis } from '../support/redis.ts'

let folder: ReturnType<typeof temporaryDataDir>
let lines: string[]
const opened: Counters[] = []
const log = pino({ base: null }, { write: (line: string) => void lines.push(line) })

beforeEach(() => {
  folder = temporaryDataDir()
  lines = []
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((counters) => counters.close()))
  folder.remove()
})

function open(place = '', exchange?: RedisCounts): Counters {
  const counters = new Counters(path.join(folder.dataDir, place), log, exchange)
  opened.push(counters)
  return counters
}

/** Counts one more if it is allowed. */
function take(policy: PolicyCounters, caller: string, max: number): boolean {
  const count = policy.of(caller)
  const isAllowed = count.allows(max)
  if (isAllowed) count.add(1, max)
  return isAllowed
}
/** Returns how many tries are allowed. */
const taken = (policy: PolicyCounters, caller: string, tries: number, max = 100): number =>
  Array.from({ length: tries }, () => take(policy, caller, max)).filter(Boolean).length

describe('processes of one folder', () => {
  it('count the same callers in the same windows', () => {
    const [one, two] = [open(), open()]
    const [here, there] = [one.perWindow('minute', 60_000), two.perWindow('minute', 60_000)]
    expect(taken(here, 'somebody', 60)).toBe(60)
    one.save()
    expect(taken(there, 'somebody', 60)).toBe(40)
    two.save()
    expect(there.of('somebody')).toMatchObject({ hits: 100, windowEnds: here.of('somebody').windowEnds })
    // It has not heard of the other yet, and does so with what it counts next.
    expect(taken(here, 'somebody', 1)).toBe(1)
    one.save()
    expect(here.of('somebody').hits).toBe(101)
    expect(taken(here, 'somebody', 50)).toBe(0)
  })

  it('take their share of what is left until they hear of each other', () => {
    const [one, two] = [open(), open()]
    const [here, there] = [one.perWindow('minute', 60_000), two.perWindow('minute', 60_000)]
    for (const counters of [one, two, one]) counters.save()
    // (100 + 10) / 2 each, a tenth more than there is in all.
    expect(taken(here, 'somebody', 200)).toBe(55)
    expect(taken(there, 'somebody', 200)).toBe(55)
    one.save()
    two.save()
    expect(there.of('somebody').hits).toBe(110)
    // Windows that began at different times are one from the first exchange on.
    expect(there.of('somebody').windowEnds).toBe(here.of('somebody').windowEnds)
    expect(here.of('somebody').allowedAgain(100)).toBeGreaterThan(Date.now())
  })

  it('hear at once of what is much of a limit', async () => {
    const [one, two] = [open(), open()]
    const [here, there] = [one.perDay(), two.perDay()]
    for (const counters of [one, two, one]) counters.save()
    let granted = 0
    for (let i = 0; i < 100; i++) {
      granted += taken(i % 2 === 0 ? here : there, 'somebody', 2)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(granted).toBeGreaterThanOrEqual(100)
    expect(granted).toBeLessThanOrEqual(105)
  })

  it('share budgets of work and attempts to sign in', () => {
    const [one, two] = [open(), open()]
    const budgets = [one, two].map((counters) => createBudget('cells', 'cells', 600, counters))
    const attempts = [one, two].map((counters) => createAttempts(counters, 10))
    const pro = { name: 'account 1', tier: 'pro', isUnlimited: false } as const
    for (const budget of budgets) budget.spend(pro, 250)
    for (const counters of [one, two]) counters.save()
    expect(budgets[0]!.left(pro).remaining).toBe(350)
    expect(budgets[1]!.left(pro).remaining).toBe(100)
    budgets[0]!.spend(pro, 1)
    one.save()
    expect(budgets[0]!.left(pro).remaining).toBe(99)

    for (let i = 0; i < 10; i++) {
      attempts[0]!.count({ email: 'a@example.org' })
      one.save()
    }
    expect(() => attempts[1]!.count({ email: 'a@example.org' })).toThrow('more than 10 attempts')
  })

  it('keep to what they know where nothing can be saved', () => {
    const here = open().perWindow('minute', 60_000)
    vi.spyOn(Date, 'now').mockReturnValue(1_000_000)
    expect(taken(here, 'somebody', 101)).toBe(100)
    vi.restoreAllMocks()
  })
})

describe.skipIf(!hasRedis)('machines that share a Redis', () => {
  let redis: RunningRedis
  const exchanges: RedisCounts[] = []
  let machines: { counters: Counters; minutes: PolicyCounters }[]

  const waitForShare = () => sleep(600)
  beforeEach(async () => {
    redis = await startRedis()
    exchanges.splice(0)
    for (let i = 0; i < 3; i++) exchanges.push(await openRedisCounts(redis.url))
    machines = exchanges.map((exchange, i) => {
      const counters = open(`machine-${i}`, exchange)
      return { counters, minutes: counters.perWindow('minute', 60_000) }
    })
    await waitForShare()
  })
  afterEach(() => redis.kill())

  /** Returns how many requests all machines grant a caller that asks each in turn, 1 ms apart. */
  async function askAll(caller: string, times: number, max = 100): Promise<number> {
    let granted = 0
    for (let i = 0; i < times; i++) {
      for (const { minutes } of machines) granted += taken(minutes, caller, 1, max)
      await sleep(1)
    }
    return granted
  }

  it('allow a caller a tenth more than its limit at most', async () => {
    const granted = await askAll('somebody', 100)
    expect(granted).toBeGreaterThanOrEqual(100)
    expect(granted).toBeLessThanOrEqual(110)
    // One after the other all of it, wherever it asks.
    expect(taken(machines[0]!.minutes, 'other', 30)).toBe(30)
    await waitForShare()
    expect(taken(machines[1]!.minutes, 'other', 30)).toBe(30)
    await waitForShare()
    expect(machines[1]!.minutes.of('other')).toMatchObject({
      hits: 60,
      windowEnds: machines[0]!.minutes.of('other').windowEnds,
    })
    expect(lines).toEqual([])
  })

  it('grant their shares while it is away, say so, and go on with what they know when it is back', async () => {
    expect(await askAll('earlier', 20)).toBe(60)
    await waitForShare()
    await redis.kill()
    await waitForShare()
    for (const { counters } of machines) {
      expect(counters.problems()).toMatchObject([{ code: 'limits_not_shared', state: 'degraded' }])
    }
    expect(lines.filter((line) => line.includes('Redis does not answer'))).toHaveLength(3)
    // (100 + 10) / 3 each; of 40 that are left (40 + 10) / 3.
    expect(await askAll('new', 50)).toBe(3 * 36)
    expect(await askAll('earlier', 50)).toBe(3 * 16)

    redis = await startRedis(redis.port)
    await vi.waitFor(() => expect(machines.flatMap(({ counters }) => counters.problems())).toEqual([]), 9_000)
    await waitForShare()
    // It lost what it held, and the machines did not.
    expect(await askAll('earlier', 5)).toBe(0)
    expect(lines).toHaveLength(6)
  })

  it('go on while it stands still', async () => {
    redis.process.kill('SIGSTOP')
    expect(await askAll('somebody', 60)).toBe(3 * 36)
    await vi.waitFor(() => expect(machines[0]!.counters.problems()).toHaveLength(1), 3_000)
    redis.process.kill('SIGCONT')
    await vi.waitFor(() => expect(machines.flatMap(({ counters }) => counters.problems())).toEqual([]), 9_000)
    await waitForShare()
    for (const { minutes } of machines) expect(minutes.of('somebody').hits).toBe(108)
  })
})

it('an address that is none of a Redis is refused', async () => {
  await expect(openRedisCounts('http://127.0.0.1')).rejects.toMatchObject({ code: 'invalid_configuration' })
})

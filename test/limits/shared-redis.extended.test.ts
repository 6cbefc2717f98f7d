import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Counters } from '#limits/counters.ts'
import type { PolicyCounters } from '#limits/policy-counters.ts'
import { openRedisCounts, type RedisCounts } from '#limits/redis-counts.ts'
import { hasRedis, type RunningRedis, startRedis } from '../support/redis.ts'
import { lines, openCounters, taken, useCounters } from './opened-counters.ts'

useCounters()

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
      const counters = openCounters(`machine-${i}`, exchange)
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

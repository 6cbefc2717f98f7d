import { describe, expect, it, vi } from 'vitest'
import { createAttempts } from '#limits/attempts.ts'
import { createBudget } from '#limits/budget.ts'
import { openRedisCounts } from '#limits/redis-counts.ts'
import { openCounters, taken, useCounters } from './opened-counters.ts'

useCounters()

describe('processes of one folder', () => {
  it('count the same callers in the same windows', () => {
    const [one, two] = [openCounters(), openCounters()]
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
    const [one, two] = [openCounters(), openCounters()]
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
    const [one, two] = [openCounters(), openCounters()]
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

  it('share the counts of all callers, although more come than are saved at a time', () => {
    const [one, two] = [openCounters(), openCounters()]
    const [here, there] = [one.perDay(), two.perDay()]
    for (const counters of [one, two, one]) counters.save()
    const callers = Array.from({ length: 1_200 }, (_, i) => `caller ${i}`)
    for (let i = 0; i < 5; i++) {
      for (const caller of callers) taken(here, caller, 1)
      one.save()
    }
    expect(callers.filter((caller) => there.of(caller).hits === 0)).toEqual([])
  })

  it('share budgets of work and attempts to sign in', () => {
    const [one, two] = [openCounters(), openCounters()]
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
    const here = openCounters().perWindow('minute', 60_000)
    vi.spyOn(Date, 'now').mockReturnValue(1_000_000)
    expect(taken(here, 'somebody', 101)).toBe(100)
    vi.restoreAllMocks()
  })
})

it('an address that is none of a Redis is refused', async () => {
  await expect(openRedisCounts('http://127.0.0.1')).rejects.toMatchObject({ code: 'invalid_configuration' })
})

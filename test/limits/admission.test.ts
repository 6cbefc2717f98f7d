import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { createAdmission } from '#test/support/admission.ts'

/** Keeps the event loop busy. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

const callerOf = (name: string) => ({ name, tier: 'pro' as const, isUnlimited: true })

it('begins a request that arrives alone at once', async () => {
  const admission = createAdmission()
  for (let turn = 0; turn < 3; turn++) {
    let hasBegun = false
    admission.arrive('one', () => {
      hasBegun = true
    })
    expect(hasBegun).toBe(true)
    await nextTurn()
  }
})

it('begins some of many requests that arrive together in each turn, and that of another caller second', async () => {
  const admission = createAdmission()
  const begun: string[] = []
  const turnOf: number[] = []
  let turns = 0
  // Takes two milliseconds, half of them after a promise.
  const request = async (): Promise<void> => {
    spin(1)
    await undefined
    spin(1)
  }
  for (let i = 0; i < 20; i++) {
    admission.arrive('many', () => {
      begun.push(`many ${i}`)
      turnOf.push(turns)
      void request()
    })
    await undefined
  }
  // Those that this turn has time for.
  expect(begun.length).toBeLessThan(4)
  const before = begun.length
  admission.arrive('other', () => begun.push('other'))
  while (begun.length < 21) {
    await nextTurn()
    turns++
  }
  expect(begun.indexOf('other')).toBeLessThanOrEqual(before + 1)
  expect(begun.filter((name) => name !== 'other')).toEqual(Array.from({ length: 20 }, (_, i) => `many ${i}`))
  const maxInOneTurn = Math.max(...Object.values(Object.groupBy(turnOf, String)).map((own = []) => own.length))
  expect(maxInOneTurn).toBeLessThan(4)
  // All have begun, and the next one begins at once again.
  await nextTurn()
  let hasBegun = false
  admission.arrive('many', () => {
    hasBegun = true
  })
  expect(hasBegun).toBe(true)
})

it('begins small work at once, however much large work waits', async () => {
  const admission = createAdmission()
  const large = Array.from({ length: 30 }, (_, i) => admission.run(callerOf(`large ${i}`), 20, () => spin(1)))
  await nextTurn()
  let hasBegun = false
  const small = admission.run(callerOf('small'), 1, () => {
    hasBegun = true
  })
  expect(hasBegun).toBe(true)
  await Promise.all([small, ...large])
})

it('lets the event loop turn between large jobs, even if each ends or fails at once', async () => {
  const admission = createAdmission()
  const turnOf: number[] = []
  let turns = 0
  const large = Array.from({ length: 40 }, (_, i) =>
    admission.run(callerOf(`large ${i % 20}`), 1_000, () => {
      turnOf.push(turns)
      if (i % 2 === 1) throw new Error('has nothing left')
    }),
  )
  const outcomes = Promise.allSettled(large)
  while (turnOf.length < 40) {
    await nextTurn()
    turns++
  }
  expect((await outcomes).filter(({ status }) => status === 'rejected')).toHaveLength(20)
  const maxInOneTurn = Math.max(...Object.values(Object.groupBy(turnOf, String)).map((own = []) => own.length))
  expect(maxInOneTurn).toBeLessThanOrEqual(4)
})

it('gives one caller half of the places for large work', async () => {
  const admission = createAdmission()
  const running = { many: 0, other: 0 }
  const most = { many: 0, other: 0, all: 0 }
  const job = (name: 'many' | 'other') =>
    admission.run(callerOf(name), 100, async () => {
      running[name]++
      most[name] = Math.max(most[name], running[name])
      most.all = Math.max(most.all, running.many + running.other)
      for (let turn = 0; turn < 20; turn++) await nextTurn()
      running[name]--
    })
  await Promise.all(Array.from({ length: 40 }, (_, i) => job(i < 20 ? 'many' : 'other')))
  expect(most.many).toBe(most.other)
  expect(most.all).toBe(2 * most.many)
})

it('holds back all work of a caller who does not read its answers, and of nobody else', async () => {
  const admission = createAdmission({ MEGABYTES_IN_FLIGHT: '4' })
  const [unread, other] = [callerOf('unread'), callerOf('other')]
  const markRead = admission.send(unread, 2 ** 20)
  const begun: string[] = []
  const waiting = [1, 100].map((expectedMs) => admission.run(unread, expectedMs, () => begun.push('unread')))
  await admission.run(other, 100, () => begun.push('other'))
  expect(begun).toEqual(['other'])
  await expect(admission.run(unread, 50_000, () => {})).rejects.toMatchObject({
    code: 'budget_exceeded',
    details: { budget: 'bytes_in_flight' },
  })
  markRead()
  await Promise.all(waiting)
  expect(begun).toEqual(['other', 'unread', 'unread'])
  expect(admission.bytesInFlight).toBe(0)
})

it('begins no large work while too many bytes are unread in all', async () => {
  const admission = createAdmission({ MEGABYTES_IN_FLIGHT: '1' })
  const reads = Array.from({ length: 5 }, (_, i) => admission.send(callerOf(`caller ${i}`), 2 ** 18 - 1))
  let hasBegun = false
  const large = admission.run(callerOf('other'), 100, () => {
    hasBegun = true
  })
  await nextTurn()
  await nextTurn()
  expect(hasBegun).toBe(false)
  for (const markRead of reads) markRead()
  await large
  expect(hasBegun).toBe(true)
})

it('says whose work is too much', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const admission = createAdmission()
    const { promise, resolve } = Promise.withResolvers<void>()
    const others = ['a', 'b'].flatMap((name) => [1, 2].map(() => admission.run(callerOf(name), 100, () => promise)))
    const refusal = (expectedMs: number) =>
      admission.run(callerOf('late'), expectedMs, () => {}).catch(({ code, message }) => `${code}: ${message}`)
    expect(await refusal(60_000)).toMatch(/^overloaded: your large requests would wait/)
    const waiting = refusal(100)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await waiting).toMatch(/^overloaded: too much other work is waiting/)
    resolve()
    await Promise.all(others)
  } finally {
    vi.useRealTimers()
  }
})

it('shares the threads between callers, whatever waits', async () => {
  const admission = createAdmission()
  const order: string[] = []
  const job = (name: string) => admission.workFor(callerOf(name)).inThread(10, async () => void order.push(name))
  await Promise.all([...Array.from({ length: 5 }, () => job('many')), job('other')])
  expect(order.indexOf('other')).toBeLessThanOrEqual(2)
})

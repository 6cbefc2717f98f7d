import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from '#limits/turns.ts'
import { createWork } from '#test/support/work.ts'

/** Keeps the event loop busy. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** Takes two milliseconds, half of it behind a promise. */
async function request(): Promise<void> {
  spin(1)
  await undefined
  spin(1)
}

test('a request that comes alone begins at once', async () => {
  const turnsOfLoop = new Turns()
  for (let turn = 0; turn < 3; turn++) {
    let begun = false
    turnsOfLoop.enter('one', () => {
      begun = true
    })
    expect(begun).toBe(true)
    await setImmediate()
  }
})

test('of many requests that arrive together some begin in each turn, and that of another caller is the second of them', async () => {
  const turnsOfLoop = new Turns()
  const begun: string[] = []
  let turns = 0
  const turnOf: number[] = []
  for (let i = 0; i < 20; i++) {
    turnsOfLoop.enter('many', () => {
      begun.push(`many ${i}`)
      turnOf.push(turns)
      void request()
    })
    await undefined
  }
  // As much as has time in the turn in which they came.
  expect(begun.length).toBeLessThan(4)
  const before = begun.length
  turnsOfLoop.enter('other', () => begun.push('other'))
  while (begun.length < 21) {
    await setImmediate()
    turns++
  }
  expect(begun.indexOf('other')).toBeLessThanOrEqual(before + 1)
  expect(begun.filter((name) => name !== 'other')).toEqual(Array.from({ length: 20 }, (_, i) => `many ${i}`))
  const maxInOneTurn = Math.max(...Object.values(Object.groupBy(turnOf, String)).map((own = []) => own.length))
  expect(maxInOneTurn).toBeLessThan(4)
  // All of them have been begun, and the next one is again begun at once.
  await setImmediate()
  let isBegun = false
  turnsOfLoop.enter('many', () => {
    isBegun = true
  })
  expect(isBegun).toBe(true)
})

test('waiting jobs that are refused one after the other take many turns', async () => {
  const work = createWork()
  let turns = 0
  const turnOf: number[] = []
  const refused = Array.from({ length: 20 }, () =>
    work.make({ name: 'many', tier: 'pro', isUnlimited: false }, 1, () => {
      turnOf.push(turns)
      spin(1)
      throw new Error('has nothing left')
    }),
  )
  const outcomes = Promise.allSettled(refused)
  while (turnOf.length < 20) {
    await setImmediate()
    turns++
  }
  expect(new Set((await outcomes).map(({ status }) => status))).toEqual(new Set(['rejected']))
  const maxInOneTurn = Math.max(...Object.values(Object.groupBy(turnOf, String)).map((own = []) => own.length))
  expect(maxInOneTurn).toBeLessThan(6)
})

test('each turn continues one piece of heavy work, whose caller received least, besides quick work', async () => {
  const turns = new Turns()
  const order: string[] = []
  const heavy = async (caller: string, pieces: number): Promise<void> => {
    for (let i = 0; i < pieces; i++) {
      await turns.heavy(caller)
      order.push(caller)
      spin(1)
    }
  }
  const jobs = [...Array.from({ length: 5 }, () => heavy('a', 4)), heavy('b', 4)]
  let loops = 0
  let isDone = false
  const counting = (async () => {
    while (!isDone) {
      await setImmediate()
      loops++
    }
  })()
  let quickWaits = 0
  for (let i = 0; i < 10; i++) {
    const before = order.length
    await turns.quick('c')
    quickWaits = Math.max(quickWaits, order.length - before)
    await setImmediate()
  }
  await Promise.all(jobs)
  isDone = true
  await counting
  expect(quickWaits).toBeLessThanOrEqual(2)
  expect(order.filter((caller) => caller === 'b')).toHaveLength(4)
  // b alternates with a, however many jobs of a wait.
  expect(order.lastIndexOf('b')).toBeLessThanOrEqual(9)
  expect(loops).toBeGreaterThanOrEqual(20)
})

import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Arrivals } from '#limits/arrivals.ts'
import { Work } from '#limits/work.ts'

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

test('who comes alone is begun at once', async () => {
  const arrivals = new Arrivals()
  for (let turn = 0; turn < 3; turn++) {
    let begun = false
    arrivals.enter('one', () => {
      begun = true
    })
    expect(begun).toBe(true)
    await setImmediate()
  }
})

test('of hundreds that arrive together some are begun in each turn, and the one of another caller is the second of them', async () => {
  const arrivals = new Arrivals()
  const begun: string[] = []
  let turns = 0
  const turnOf: number[] = []
  for (let i = 0; i < 20; i++) {
    arrivals.enter('many', () => {
      begun.push(`many ${i}`)
      turnOf.push(turns)
      void request()
    })
    await undefined
  }
  // As much as has time in the turn in which they came.
  expect(begun.length).toBeLessThan(4)
  const before = begun.length
  arrivals.enter('other', () => begun.push('other'))
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
  arrivals.enter('many', () => {
    isBegun = true
  })
  expect(isBegun).toBe(true)
})

test('waiting jobs that are refused one after the other take many turns', async () => {
  const work = new Work({ CELLS_PER_MINUTE: 1e9, RENDER_SECONDS_PER_MINUTE: 1e9, MEGABYTES_IN_FLIGHT: 1e3 })
  let turns = 0
  const turnOf: number[] = []
  const refused = Array.from({ length: 20 }, () =>
    work.make({ name: 'many', tier: 'pro', isUnlimited: false }, () => {
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

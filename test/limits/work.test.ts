import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createWork } from '#test/support/work.ts'

/** Keeps the event loop busy. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

const callerOf = (name: string) => ({ name, tier: 'pro' as const, isUnlimited: true })

it('large requests begin in turns with small ones, also if each ends at once', async () => {
  const work = createWork()
  const begun: string[] = []
  const large = Array.from({ length: 20 }, (_, i) =>
    work.make(callerOf(`large ${i}`), 1_000, () => {
      begun.push('large')
    }),
  )
  await setImmediate()
  await work.make(callerOf('small'), 1, () => {
    begun.push('small')
  })
  await Promise.all(large)
  expect(begun).toHaveLength(21)
  expect(begun.indexOf('small')).toBeLessThan(5)
})

it('a small request waits for one or two of others that are not small, however many callers have some', async () => {
  const work = createWork()
  let begun = 0
  const medium = Array.from({ length: 30 }, async (_, i) => {
    for (let n = 0; n < 5; n++) {
      await work.make(callerOf(`medium ${i}`), 20, () => {
        begun++
        spin(3)
      })
    }
  })
  await setImmediate()
  let longest = 0
  for (let n = 0; n < 10; n++) {
    const before = begun
    await work.make(callerOf('small'), 1, () => {})
    longest = Math.max(longest, begun - before)
    await setImmediate()
  }
  expect(longest).toBeLessThan(4)
  await Promise.all(medium)
  expect(begun).toBe(150)
})

it('requests that are sent at once count by what they may send, so that not all of them begin', async () => {
  const work = createWork({ MEGABYTES_IN_FLIGHT: '4' })
  const caller = callerOf('pipelined')
  let most = 0
  await Promise.all(
    Array.from({ length: 50 }, () =>
      work.make(caller, 20, async () => {
        most = Math.max(most, work.bytesInFlight)
        await setImmediate()
      }),
    ),
  )
  expect(most).toBeGreaterThan(2 ** 20)
  expect(most).toBeLessThan(2 * 2 ** 20)
  expect(work.bytesInFlight).toBe(0)
})

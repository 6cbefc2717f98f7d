import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createWork } from '#test/support/work.ts'

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

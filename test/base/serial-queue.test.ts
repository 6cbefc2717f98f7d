import { expect, test } from 'vitest'
import { createSerialQueue } from '#base/serial-queue.ts'

test('work begins when all that was given before has ended, also where it failed', async () => {
  const inTurn = createSerialQueue()
  const steps: string[] = []
  const work =
    (name: string, fails = false) =>
    async () => {
      steps.push(`${name} begins`)
      await new Promise((resolve) => setTimeout(resolve, 5))
      steps.push(`${name} ends`)
      if (fails) throw new Error(`${name} failed`)
      return name
    }
  const results = await Promise.allSettled([inTurn(work('one')), inTurn(work('two', true)), inTurn(work('three'))])
  expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends'])
  expect(results).toMatchObject([
    { status: 'fulfilled', value: 'one' },
    { status: 'rejected', reason: { message: 'two failed' } },
    { status: 'fulfilled', value: 'three' },
  ])
})

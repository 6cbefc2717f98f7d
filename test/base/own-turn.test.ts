import { expect, test } from 'vitest'
import { pacedTurns } from '#base/own-turn.ts'

test('large work lets others run after some milliseconds, and small work does not wait', async () => {
  let isOver = false
  let others = 0
  const look = (): void => {
    others++
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  const turn = pacedTurns()
  for (let i = 0; i < 10; i++) await turn()
  expect(others).toBe(0)
  const end = performance.now() + 50
  while (performance.now() < end) await turn()
  isOver = true
  expect(others).toBeGreaterThan(2)
})

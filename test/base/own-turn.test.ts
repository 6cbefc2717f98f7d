import { expect, test } from 'vitest'
import { mapInTurns, pacedTurns } from '#base/own-turn.ts'

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
  // On a busy machine turns take longer.
  const end = performance.now() + 10_000
  while (others < 3 && performance.now() < end) await turn()
  isOver = true
  expect(others).toBeGreaterThan(2)
})

test('items are mapped in their order', async () => {
  const spin = (ms: number): void => {
    const end = performance.now() + ms
    while (performance.now() < end);
  }
  let isOthersTurn = false
  setImmediate(() => {
    isOthersTurn = true
  })
  const mapped = await mapInTurns(new Set(['a', 'b', 'c']), (name, i) => {
    spin(4)
    return `${name}${i}${isOthersTurn}`
  })
  expect(mapped).toEqual(['a0false', 'b1true', 'c2true'])
})

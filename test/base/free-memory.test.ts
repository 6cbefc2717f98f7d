import { expect, test } from 'vitest'
import { freeMemory } from '#base/free-memory.ts'

test('the memory of an array is freed, unless others have parts of it', () => {
  const own = new Float64Array(100_000)
  freeMemory(own)
  expect(own.length).toBe(0)
  freeMemory(own)
  const pooled = Buffer.from('a few letters')
  freeMemory(pooled)
  expect(pooled.toString()).toBe('a few letters')
})

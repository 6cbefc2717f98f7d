import { expect, test } from 'vitest'
import { encodedLength, firstThatFit, maxCharacters, thinToFit } from '#mcp/answers/bounded.ts'

const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => [`2024-01-${String(i % 28).padStart(2, '0')}`, i])

test('rows that fit stay as they are', async () => {
  expect(await thinToFit(rows(3), {})).toEqual({ rows: rows(3), step: 1 })
})

test('too many rows are thinned by the smallest step that fits, from the first on', async () => {
  const all = rows(5_000)
  const otherParts = { notes: ['x'.repeat(1_000)] }
  const { rows: kept, step } = await thinToFit(all, otherParts)
  expect(kept).toEqual(all.filter((_, i) => i % step === 0))
  expect(encodedLength({ ...otherParts, rows: kept })).toBeLessThan(maxCharacters + 20)
  expect(encodedLength({ ...otherParts, rows: all.filter((_, i) => i % (step - 1) === 0) })).toBeGreaterThan(
    maxCharacters,
  )
})

test('one row is left even where there is no room', async () => {
  expect((await thinToFit(rows(10), 'x'.repeat(maxCharacters))).rows).toEqual(rows(1))
})

test('of a list as many items as fit are taken', () => {
  const items = Array.from({ length: 400 }, (_, i) => ({ name: `"${'n'.repeat(90)}"`, i }))
  const fitting = firstThatFit(items, {})
  expect(fitting).toEqual(items.slice(0, fitting.length))
  expect(fitting.length).toBeGreaterThan(150)
  expect(encodedLength(fitting)).toBeLessThan(maxCharacters)
  expect(firstThatFit(items.slice(0, 3), {})).toHaveLength(3)
})

import { expect, test } from 'vitest'
import { writeValue } from '#web/parts/numbers.ts'

test.each([
  ['count', 0, '0'],
  ['count', 181, '181'],
  ['count', -181, '\u2212181'],
  ['count', 181.25, '181.3'],
  ['count', 1_204, '1,204'],
  ['ratio', 1, '1.00'],
  ['USD', 181, '$181.00'],
])('a value in %s: %s is written %s', (unit, value, text) => {
  expect(writeValue(unit, value)).toBe(text)
})

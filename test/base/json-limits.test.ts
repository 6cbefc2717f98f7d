import { expect, test } from 'vitest'
import { limitJson } from '#base/json-limits.ts'

const check = (text: string): void => limitJson(undefined, undefined, Buffer.from(text))

test('JSON with many levels, values or names is refused before it is parsed; text is not counted', () => {
  const named = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join()}}`
  expect(() => check('['.repeat(101))).toThrow('too many levels')
  expect(() => check(named(5_001))).toThrow('too many values')
  expect(() => check(`[${'[],'.repeat(5_000)}0]`)).toThrow('too many values')
  for (const text of ['['.repeat(100), named(5_000), `"${'[,'.repeat(10_000)}"`, `"\\"${',['.repeat(10_000)}"`])
    check(text)
})

import { expect, test } from 'vitest'
import { CoinstrataError } from '#base/errors.ts'
import { textTable } from '#base/text-table.ts'

test('messages and tables show no control characters of files, and an end', () => {
  const evil = '\u001b[2J\u001b]0;owned\u0007\r\u009b31mred'
  const { message } = new CoinstrataError('invalid_configuration', `line 3:\n\t"${evil}"`)
  expect(message).toBe('line 3:\n\t"�[2J�]0;owned��31mred"'.replace('��', '���'))
  expect(textTable(['name'], [[evil]])).not.toMatch(/[^\P{Cc}\n]/u)
  expect(new CoinstrataError('invalid_configuration', 'x'.repeat(1_000_000)).message).toHaveLength(4_002)
})

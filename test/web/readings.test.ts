import { expect, test } from 'vitest'
import { writeDifference, writeReading } from '#web/chart/readings.ts'

test.each([
  ['USD', 49_183.27, '$49,183.27'],
  ['USD', 1_234_567_890_123.4, '$1,234,567,890,123.40'],
  ['USD', -0.1234567, '−$0.12346'],
  ['USD', 0, '$0'],
  ['count', 2007, '2,007'],
  ['count', 143.857142, '143.86'],
  ['ratio', 1.02341, '1.0234'],
  ['ratio', 0.000012, '0.000012'],
  ['ratio', 1.2e-9, '1.2e−9'],
  ['sats', 2_100_000_000_000_000, '2,100,000,000,000,000\u00a0sats'],
  ['BTC', -15_353_421.3245, '−15,353,421.32\u00a0BTC'],
  ['percent', 62.43219, '62.432\u00a0%'],
  ['H/s', 1_043.21e18, '1,043.21\u00a0EH/s'],
  ['hashes', 1.23456789e28, '1.2346e28\u00a0hashes'],
  ['first day = 100', 123.456, '123.46'],
  ['ratio', Number.NaN, 'not known'],
])('a reading in %s of %d is %s', (unit, value, text) => {
  expect(writeReading(unit, value)).toBe(text)
})

test.each([
  ['USD', 49_183.27, 49_000, '−$183.27'],
  ['percent', 10.5, 12.25, '+1.7500\u00a0points'],
  ['count', 5, 5, '0'],
  ['ratio', Number.NaN, 1, ''],
])('the difference in %s from %d to %d is %s', (unit, from, to, text) => {
  expect(writeDifference(unit, from, to)).toBe(text)
})

import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { blockWork, decodeTarget } from '#ingest/chain/proof-of-work.ts'
import { bitsForDay } from '#ingest/simulated/difficulty.ts'

test('targets are written as Bitcoin Core writes them, and none takes long to meet', () => {
  expect(bitsForDay(parseDay('2009-06-01'))).toBe(0x207f_ffff)
  for (let day = parseDay('2009-01-03'); day < parseDay('2030-01-01'); day += 14) {
    // A first byte of zero would be left out, and one of 0x80 or more a sign.
    const first = (bitsForDay(day) >>> 16) & 0xff
    expect(first > 0 ? first < 0x80 : (bitsForDay(day) & 0xffff) >= 0x8000).toBe(true)
    expect(Number(blockWork(bitsForDay(day)))).toBeLessThan(1000)
  }
})

test('the difficulty of each quarter moves more than the number of blocks in a month varies', () => {
  // 87 or 88 blocks in 30 days are apart by little more than one percent.
  for (let day = parseDay('2022-06-01'); day < parseDay('2027-02-01'); day += 30) {
    const work = [0, 30, 60, 90].map((later) => Number(decodeTarget(bitsForDay(day + later))))
    expect(Math.max(...work) / Math.min(...work)).toBeGreaterThan(1.03)
  }
})

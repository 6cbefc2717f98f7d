import { describe, expect, it } from 'vitest'
import { parseDay } from '#base/days.ts'
import { blockDay, blockTime, lastHeightOn } from '#ingest/simulated/calendar.ts'

describe('the calendar of the simulated chain', () => {
  it.each([
    [4200, '2012-11-28'],
    [8400, '2016-07-09'],
    [12_600, '2020-05-11'],
    [16_800, '2024-04-20'],
  ])('puts the halving at %d on %s', (height, date) => {
    expect(blockDay(height)).toBe(parseDay(date))
    expect(blockDay(height - 1)).toBe(parseDay(date) - 1)
  })

  it('has blocks on every day but 4 to 8 January 2009, as Bitcoin has', () => {
    const withBlocks = new Set<number>()
    for (let height = 0; height <= 25_000; height++) withBlocks.add(Math.floor(blockTime(1, height) / 86_400))
    const empty: string[] = []
    for (let day = parseDay('2009-01-03'); day < blockDay(25_000); day++) {
      if (!withBlocks.has(day)) empty.push(new Date(day * 86_400_000).toISOString().slice(0, 10))
    }
    expect(empty).toEqual(['2009-01-04', '2009-01-05', '2009-01-06', '2009-01-07', '2009-01-08'])
  })

  it('keeps every block on its day, with times that now and then go back by minutes only', () => {
    let back = 0
    for (let height = 1; height <= 25_000; height++) {
      const time = blockTime(1, height)
      expect(Math.floor(time / 86_400)).toBe(blockDay(height))
      const before = blockTime(1, height - 1)
      if (time < before) back++
      expect(before - time).toBeLessThan(3600)
    }
    expect(back).toBeGreaterThan(100)
    expect(back).toBeLessThan(1000)
  })

  it('finds the last block on or before a day', () => {
    for (let day = parseDay('2009-01-03'); day < parseDay('2034-01-01'); day += 13) {
      const height = lastHeightOn(day)
      expect(blockDay(height)).toBeLessThanOrEqual(day)
      expect(blockDay(height + 1)).toBeGreaterThan(day)
    }
  })

  it.each([parseDay('2009-01-02'), 14_250.5, Number.NaN])('refuses to end on day %d', (day) => {
    expect(() => lastHeightOn(day)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })
})

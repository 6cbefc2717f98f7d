import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { halvingCycles, priceCycles } from '#compute/publish/cycle-starts.ts'

/** First days of confirmed and provisional cycles. */
const starts = (closes: readonly number[], family: 'ath' | 'low'): number[] =>
  priceCycles(Float64Array.from(closes)).flatMap((cycle) => (cycle.family === family ? [cycle.firstDay] : []))

describe('tops and lows', () => {
  test('a top is the highest close before a fall by 75 %, its low the lowest before the top is passed', () => {
    const closes = [1, 8, 100, 60, 90, 25, 40, 20, 30, 101, 150]
    expect(starts(closes, 'ath')).toEqual([2, 10])
    expect(starts(closes, 'low')).toEqual([7])
  })

  test('a smaller fall makes none', () => {
    expect(starts([1, 100, 25.01, 101, 26, 102], 'low')).toEqual([])
    expect(starts([1, 100, 25.01, 101, 26, 102], 'ath')).toEqual([5])
  })

  test('the highest close after the last top is provisional until the price has fallen by 75 %', () => {
    const ends = (closes: readonly number[]) =>
      priceCycles(Float64Array.from(closes))
        .filter(({ family }) => family === 'ath')
        .map(({ cycle, firstDay, provisional }) => [cycle, firstDay, provisional])
    const once = [100, 20, 90]
    expect(ends(once)).toEqual([[1, 0, undefined]])
    const again = [...once, 110, 120, 31]
    expect(ends(again)).toEqual([
      [1, 0, undefined],
      [2, 4, true],
    ])
    expect(ends([...again, 130]).at(-1)).toEqual([2, 6, true])
    expect(ends([...again, 30])).toEqual([
      [1, 0, undefined],
      [2, 4, undefined],
    ])
    expect(ends([Number.NaN])).toEqual([])
    expect(ends([Number.NaN, 1])).toEqual([[1, 1, true]])
  })

  test('a low is not known before the price has passed the top', () => {
    expect(starts([100, 20, 30, 10, 99], 'ath')).toEqual([0])
    expect(starts([100, 20, 30, 10, 99, 100], 'low')).toEqual([])
    expect(starts([100, 20, 30, 10, 99, 101], 'low')).toEqual([3])
  })

  test('the first of equal closes counts, and days without a price are passed over', () => {
    expect(starts([Number.NaN, 100, 100, Number.NaN, 20, 20, 200], 'ath')).toEqual([1, 6])
    expect(starts([Number.NaN, 100, 100, Number.NaN, 20, 20, 200], 'low')).toEqual([4])
  })

  const csv = path.join(import.meta.dirname, '../../../../shared/data/price/btc-usd-daily.csv')

  test.skipIf(!existsSync(csv))('of the real price fall on the known days', () => {
    const rows = readFileSync(csv, 'utf8').trim().split('\n').slice(1)
    const dates = rows.map((row) => row.split(',')[0]!)
    const closes = rows.map((row) => Number(row.split(',')[4]))
    // The high of 2025 is provisional until the price has fallen by 75 %.
    expect(starts(closes.slice(0, dates.indexOf('2026-02-01')), 'ath').map((day) => dates[day])).toEqual([
      '2011-06-08',
      '2013-12-04',
      '2017-12-16',
      '2021-11-08',
      '2025-10-06',
    ])
    expect(starts(closes, 'low').map((day) => dates[day])).toEqual([
      '2011-11-18',
      '2015-01-14',
      '2018-12-15',
      '2022-11-21',
    ])
  })
})

test('a halving epoch begins on the day of its first block, which may come with others', () => {
  const heights = Float64Array.of(0, 0, 9, 10, 25, 31, 49)
  const days = halvingCycles(heights, 10).map(({ cycle, firstDay }) => [cycle, firstDay])
  expect(days).toEqual([
    [1, 0],
    [2, 3],
    [3, 4],
    [4, 5],
    [5, 6],
  ])
})

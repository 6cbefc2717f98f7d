import { describe, expect, it } from 'vitest'
import { parseDay } from '#base/days.ts'
import { simulatedHours } from '#ingest/simulated/hourly-prices.ts'
import { type SimulatedPrice, simulatedPrices } from '#ingest/simulated/prices.ts'

const endDay = parseDay('2026-11-20')

function month(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 7)
}

/** Highest closes before the price fell by three quarters. */
function tops(prices: readonly SimulatedPrice[]): SimulatedPrice[] {
  const found: SimulatedPrice[] = []
  let top = prices[0]
  let fallen = false
  for (const price of prices) {
    if (top === undefined || price.close > top.close) {
      top = price
      fallen = false
    } else if (!fallen && price.close <= top.close / 4) {
      found.push(top)
      fallen = true
    }
  }
  return found
}

describe.each([1, 2, 3, 20_090_103])('simulated prices, seed %d', (seed) => {
  const prices = simulatedPrices({ seed, endDay })

  it('cover every day from the first on', () => {
    expect(prices.map(({ day }) => day)).toEqual(
      Array.from({ length: endDay - parseDay('2010-07-18') + 1 }, (_, i) => parseDay('2010-07-18') + i),
    )
  })

  it('are whole: low ≤ open, close ≤ high, and a day opens where the last one closed', () => {
    const wrong = prices.filter(({ open, high, low, close, volume }, i) => {
      const isWhole = low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close) && volume > 0
      return !isWhole || (i > 0 && open !== prices[i - 1]!.close)
    })
    expect(wrong).toEqual([])
  })

  it('have hours from 2023 on that are together the open, high, low, close and volume of each day', () => {
    const days = prices.filter(({ day }) => day >= parseDay('2023-01-01'))
    const hours = Map.groupBy(simulatedHours(seed, prices), ({ time }) => Math.floor(time / 86_400_000))
    expect([...hours.keys()]).toEqual(days.map(({ day }) => day))
    for (const { day, ...bar } of days) {
      const own = hours.get(day)!
      expect(own.map(({ time }) => time)).toEqual(
        Array.from({ length: 24 }, (_, i) => day * 86_400_000 + i * 3_600_000),
      )
      expect({
        open: own[0]!.open,
        close: own[23]!.close,
        high: Math.max(...own.map(({ high }) => high)),
        low: Math.min(...own.map(({ low }) => low)),
        volume: own.reduce((sum, { volume }) => sum + volume, 0),
      }).toEqual(bar)
      // A matcher for each hour takes seconds.
      const wrong = own.filter(({ open, high, low, close, volume }, i) => {
        const isWhole = low <= Math.min(open, close) && high >= Math.max(open, close) && volume > 0
        return !isWhole || (i > 0 && open !== own[i - 1]!.close)
      })
      expect(wrong).toEqual([])
    }
    const moves = [...hours.values()].flat().filter(({ open, close }) => open !== close)
    expect(moves.length).toBeGreaterThan(0.9 * 24 * days.length)
  })

  it('have the four known tops before falls by three quarters, and the highest price in autumn 2025', () => {
    const found = tops(prices)
    expect(found).toHaveLength(4)
    expect(month(found[0]?.day ?? 0)).toBe('2011-06')
    expect(['2013-11', '2013-12']).toContain(month(found[1]?.day ?? 0))
    expect(month(found[2]?.day ?? 0)).toBe('2017-12')
    expect(['2021-10', '2021-11']).toContain(month(found[3]?.day ?? 0))
    const highest = prices.reduce((a, b) => (b.close > a.close ? b : a))
    expect(['2025-08', '2025-09', '2025-10']).toContain(month(highest.day))
  })

  it.each([
    ['2010-07-18', 0.08],
    ['2012-11-28', 12.3],
    ['2015-01-14', 180],
    ['2017-12-17', 19_100],
    ['2020-05-11', 8600],
    ['2025-10-06', 124_700],
  ])('are on %s near %d', (date, real) => {
    const close = prices[parseDay(date) - parseDay('2010-07-18')]?.close ?? 0
    expect(Math.abs(Math.log(close / real))).toBeLessThan(0.2)
  })
})

describe('a later end', () => {
  it('adds days and changes none', () => {
    const prices = simulatedPrices({ seed: 7, endDay: endDay - 400 })
    const later = simulatedPrices({ seed: 7, endDay })
    expect(later.slice(0, prices.length)).toEqual(prices)
    const hours = simulatedHours(7, prices)
    expect(simulatedHours(7, later).slice(0, hours.length)).toEqual(hours)
  })

  it('far in the future still has sensible prices', () => {
    for (const { close } of simulatedPrices({ seed: 1, endDay: parseDay('2040-01-01') }).slice(-5000)) {
      expect(close).toBeGreaterThan(1000)
      expect(close).toBeLessThan(10_000_000)
    }
  })
})

it('another seed gives another path', () => {
  const [first, second] = [1, 2].map((seed) => simulatedPrices({ seed, endDay }).map(({ close }) => close))
  expect(first).not.toEqual(second)
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FlowRows, flowColumns, youngColumns } from '#compute/scan/flow-rows.ts'
import { limb } from '#compute/scan/limbs.ts'

const hour = 3600
const day = 86_400
const allCoins = 21_000_000 * 1e8

interface Spend {
  readonly createdDay: number
  readonly sats: number
  readonly age: number
}

/** What a row has to hold of these spends, in exact arithmetic: sats, outputs, sat-seconds, output-seconds. */
function exactSums(spends: readonly Spend[]): bigint[] {
  const sums = [0n, 0n, 0n, 0n]
  for (const { sats, age } of spends) {
    const parts = [BigInt(sats), 1n, BigInt(sats) * BigInt(age), BigInt(age)]
    for (const [i, part] of parts.entries()) sums[i] = (sums[i] ?? 0n) + part
  }
  return sums
}

/** The same four sums out of six columns of a row. */
function sumsOf(columns: Float64Array): bigint[] {
  const [satsLow, satsHigh, outputs, low, high, seconds] = Array.from(columns, BigInt)
  expect(columns[0]).toBeLessThan(limb)
  expect(columns[3]).toBeLessThan(limb)
  const joined = (upper = -1n, lower = -1n): bigint => lower + upper * BigInt(limb)
  return [joined(satsHigh, satsLow), outputs ?? -1n, joined(high, low), seconds ?? -1n]
}

function drained(rows: FlowRows) {
  const found: Array<{ createdDay: number; sums: bigint[]; under1h: bigint[]; under24h: bigint[] }> = []
  rows.drain((createdDay, sums, young = new Float64Array(2 * flowColumns.length)) => {
    found.push({
      createdDay,
      sums: sumsOf(sums),
      under1h: sumsOf(young.subarray(0, flowColumns.length)),
      under24h: sumsOf(young.subarray(flowColumns.length)),
    })
  })
  return found
}

function expected(spends: readonly Spend[]) {
  return [...Map.groupBy(spends, ({ createdDay }) => createdDay)]
    .sort(([a], [b]) => a - b)
    .map(([createdDay, ofDay]) => ({
      createdDay,
      sums: exactSums(ofDay),
      under1h: exactSums(ofDay.filter(({ age }) => age < hour)),
      under24h: exactSums(ofDay.filter(({ age }) => age < day)),
    }))
}

const spend = fc.record({
  createdDay: fc.nat(30),
  // A coin may move any number of times in a day.
  sats: fc.oneof(fc.nat(1000), fc.integer({ min: 0, max: allCoins })),
  age: fc.oneof(fc.constantFrom(0, hour - 1, hour, day - 1, day, 2 ** 31 - 1), fc.nat(2 * day), fc.nat(2 ** 31 - 1)),
})

describe('flow rows', () => {
  it('add up spends exactly, for all ages and for young ones apart, by creation day', () => {
    fc.assert(
      fc.property(fc.array(spend, { maxLength: 200 }), (spends) => {
        const rows = new FlowRows(31)
        for (const { createdDay, sats, age } of spends) rows.addSpent(createdDay, sats, age)
        expect(drained(rows)).toEqual(expected(spends))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    [allCoins, 2 ** 31 - 1],
    [allCoins, 1],
    [2 ** 50, 1],
    [2 ** 50 - 1, 1],
    [2 ** 25, 2 ** 25],
    [2 ** 21 - 1, 2 ** 31 - 1],
    [allCoins - 1, 567_890_123],
    [0, 2 ** 31 - 1],
    [allCoins, 0],
  ])('are exact for %d sat spent after %d seconds, also a hundred times', (sats, age) => {
    for (const times of [1, 100]) {
      const rows = new FlowRows(1)
      for (let i = 0; i < times; i++) rows.addSpent(0, sats, age)
      expect(drained(rows)).toEqual(expected(new Array(times).fill({ createdDay: 0, sats, age })))
    }
  })

  it('are empty again once they were drained', () => {
    fc.assert(
      fc.property(fc.array(spend, { maxLength: 40 }), fc.array(spend, { maxLength: 40 }), (first, second) => {
        const rows = new FlowRows(31)
        for (const spends of [first, second, []]) {
          for (const { createdDay, sats, age } of spends) rows.addSpent(createdDay, sats, age)
          expect(drained(rows)).toEqual(expected(spends))
        }
      }),
    )
  })

  it('leave young sums out where nothing is younger than 24 hours', () => {
    const rows = new FlowRows(2)
    rows.addSpent(0, 5, day)
    rows.addSpent(1, 5, day - 1)
    const young: boolean[] = []
    rows.drain((_, __, sums) => young.push(sums !== undefined))
    expect(young).toEqual([false, true])
    expect(youngColumns.length).toBe(2 * flowColumns.length)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FlowRows, flowColumns, youngHours } from '#compute/scan/flow-rows.ts'
import { limb } from '#compute/scan/limbs.ts'

const hour = 3600
const day = 86_400
const allCoins = 21_000_000 * 1e8

/**
 * Rows of creation days, of which the last is the day of spending; the rows by the hour come behind
 * them.
 */
const days = 31

interface Spend {
  readonly row: number
  readonly sats: number
  readonly age: number
}

const createdDay = ({ row }: Spend): number => (row < days ? row : days - 2 + Math.floor((row - days) / 24))

/**
 * Expected sums of these spends in exact arithmetic: sats, outputs, sat-seconds, output-seconds.
 */
function exactSums(spends: readonly Spend[]): bigint[] {
  const sums = [0n, 0n, 0n, 0n]
  for (const { sats, age } of spends) {
    const parts = [BigInt(sats), 1n, BigInt(sats) * BigInt(age), BigInt(age)]
    for (const [i, part] of parts.entries()) sums[i] = (sums[i] ?? 0n) + part
  }
  return sums
}

/** A number out of its limbs. */
function joined(low = -1, high = -1): bigint {
  expect(low).toBeLessThan(limb)
  return BigInt(low) + BigInt(high) * BigInt(limb)
}

/** The same four sums out of six columns of a row. */
function readSums([satsLow, satsHigh, outputs = -1, low, high, seconds = -1]: Float64Array): bigint[] {
  return [joined(satsLow, satsHigh), BigInt(outputs), joined(low, high), BigInt(seconds)]
}

function drained(rows: FlowRows) {
  const hours: Array<{ row: number; sats: bigint; under1h: bigint[]; under24h: bigint[] }> = []
  rows.drainHour(days - 1, (createdHour, young) => {
    hours.push({
      row: days + createdHour,
      sats: joined(young[0], young[1]),
      under1h: readSums(young.slice(2, 2 + flowColumns.length)),
      under24h: readSums(young.slice(2 + flowColumns.length)),
    })
  })
  const found: Array<{ createdDay: number; sums: bigint[] }> = []
  rows.drain((createdDay, sums) => found.push({ createdDay, sums: readSums(sums) }))
  return { hours, days: found }
}

const grouped = <Key>(
  spends: readonly Spend[],
  key: (spend: Spend) => number,
  of: (key: number, spends: Spend[]) => Key,
) => [...Map.groupBy(spends, key)].sort(([a], [b]) => a - b).map(([at, same]) => of(at, same))

function expected(spends: readonly Spend[]) {
  const young = spends.filter(({ row }) => row >= days)
  return {
    hours: grouped(
      young,
      ({ row }) => row,
      (row, ofHour) => ({
        row,
        sats: exactSums(ofHour)[0],
        under1h: exactSums(ofHour.filter(({ age }) => age < hour)),
        under24h: exactSums(ofHour.filter(({ age }) => age < day)),
      }),
    ),
    days: grouped(spends, createdDay, (createdDay, ofDay) => ({ createdDay, sums: exactSums(ofDay) })),
  }
}

const spend = fc.record({
  row: fc.oneof(fc.nat(days - 1), fc.nat(days + youngHours - 1)),
  // A coin may move any number of times in a day.
  sats: fc.oneof(fc.nat(1000), fc.integer({ min: 0, max: allCoins })),
  age: fc.oneof(fc.constantFrom(0, hour - 1, hour, day - 1, day, 2 ** 31 - 1), fc.nat(2 * day), fc.nat(2 ** 31 - 1)),
})

describe('flow rows', () => {
  it('add up spends exactly, by creation day, and those by the hour also apart, for all ages and for young ones', () => {
    fc.assert(
      fc.property(fc.array(spend, { maxLength: 200 }), (spends) => {
        const rows = new FlowRows(days)
        for (const { row, sats, age } of spends) rows.addSpent(row, sats, age)
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
      for (const row of [0, days, days + youngHours - 1]) {
        const rows = new FlowRows(days)
        for (let i = 0; i < times; i++) rows.addSpent(row, sats, age)
        expect(drained(rows)).toEqual(expected(new Array(times).fill({ row, sats, age })))
      }
    }
  })

  it('are empty again once they were drained', () => {
    fc.assert(
      fc.property(fc.array(spend, { maxLength: 40 }), fc.array(spend, { maxLength: 40 }), (first, second) => {
        const rows = new FlowRows(days)
        for (const spends of [first, second, []]) {
          for (const { row, sats, age } of spends) rows.addSpent(row, sats, age)
          expect(drained(rows)).toEqual(expected(spends))
        }
      }),
    )
  })

  it('hold what every hour of a day took, from whatever day and hour', () => {
    fc.assert(
      fc.property(fc.array(fc.array(spend, { maxLength: 9 }), { maxLength: 24 }), (hours) => {
        const rows = new FlowRows(days)
        for (const spends of hours) {
          for (const { row, sats, age } of spends) rows.addSpent(row, sats, age)
          rows.drainHour(days - 1, () => {})
        }
        expect(drained(rows).days).toEqual(expected(hours.flat()).days)
      }),
    )
  })

  it('have room for a day on which every hour takes from all hours, of every age', () => {
    const rows = new FlowRows(days)
    const spends = Array.from({ length: days + youngHours }, (_, row) =>
      [0, hour, day].map((age) => ({ row, sats: 1, age })),
    ).flat()
    for (let i = 0; i < 24; i++) {
      for (const { row, sats, age } of spends) rows.addSpent(row, sats, age)
      rows.drainHour(days - 1, () => {})
    }
    expect(drained(rows).days).toEqual(expected(new Array(24).fill(spends).flat()).days)
  })
})

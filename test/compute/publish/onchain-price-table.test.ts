import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isoDate } from '#base/days.ts'
import { onchainPricesFolder } from '#compute/data-folder.ts'
import { toPosition } from '#compute/price-onchain/hour-evidence.ts'
import { ClosedDays } from '#compute/publish/closed-days.ts'
import { Draft } from '#compute/publish/draft.ts'
import {
  findOnchainPrices,
  findPriceGap,
  type OnchainColumns,
  refuseLongGaps,
  writeOnchainPrices,
} from '#compute/publish/onchain-price-table.ts'
import { packCounts } from '#compute/scan/output-hours.ts'
import { outputBins } from '#contract/output-bins.ts'
import { filesRelation } from '#sql/relation.ts'
import { withSession } from '#sql/session.ts'
import { writeColumns } from '#sql/write-columns.ts'
import { rowsOf } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-onchain-price-'))
afterAll(() => rmSync(folder, { recursive: true }))

const firstDay = 17_000
const dayCount = 56
const anchor = { day: firstDay + 2, price: 1000 }
const random = new Random(4)
const priceAt = (hour: number): number => 1000 * 1.002 ** (hour - 24 * firstDay)

/** Packed counts of some outputs at random, and of payments of round amounts. */
function hourOf(hour: number): string {
  const counts = new Uint32Array(outputBins)
  for (let i = 0; i < 500; i++) counts[1000 + Math.floor(6000 * random.next())]!++
  for (const usd of [5, 10, 20, 20, 25, 50, 50, 100, 100, 100, 200, 500, 1000, 2000]) {
    counts[Math.floor(toPosition((usd * 1e8) / priceAt(hour)) - 3000)]! += 2
  }
  return packCounts(counts)
}

const hours = Array.from({ length: 24 * dayCount }, (_, i) => 24 * firstDay + i)
/** Two segments divide each hour. */
const rows = hours.flatMap((hour) => [1, 2].map(() => ({ hour, counts: hourOf(hour) })))
const hoursFile = path.join(folder, 'hours.parquet')
const counts = rows.map(({ counts }) => counts)
writeColumns(hoursFile, [
  { name: 'hour', type: 'INTEGER', values: Int32Array.from(rows, ({ hour }) => hour) },
  { name: 'broad', type: 'VARCHAR', values: counts },
  { name: 'narrow', type: 'VARCHAR', values: counts },
])

let places = 0
const newPlace = (): string => path.join(folder, String(++places))

/** A chain with one block a day. */
const blocks = Array.from({ length: dayCount + 1 }, (_, i) => firstDay + i)
const chain = {
  days: Int32Array.from(blocks),
  hashes: Uint8Array.from({ length: 32 * blocks.length }, (_, i) => i >> 5),
}

/** Also returns the first day whose hours were read. */
async function publish(dataDir: string, last: number, hashes = chain.hashes) {
  const closed = new ClosedDays({ days: chain.days.slice(0, last - firstDay + 2) })
  return withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, async (connection) => {
    let readFrom: number | undefined
    const openHours = async (after: number) => {
      readFrom = after + 1
      return filesRelation('segment_output_hours', [hoursFile])
    }
    const scanned = { ...chain, hashes, times: new Uint32Array(0) }
    const found = await findOnchainPrices(connection, dataDir, { closed, chain: scanned }, anchor, openHours)
    const draft = new Draft(connection, path.join(newPlace(), 'made'))
    const { from } = writeOnchainPrices(draft, closed, found)
    return { rows: await rowsOf(`SELECT * FROM ${from} ORDER BY date`), readFrom }
  })
}

const last = firstDay + dayCount - 1

it('publishes the price of each day from the anchor on', async () => {
  const { rows } = await publish(newPlace(), last)
  expect(rows).toHaveLength(dayCount)
  for (const [i, [date, price, low, high, disagreement, payments, provisional, version]] of rows.entries()) {
    expect([date, provisional, version]).toEqual([isoDate(firstDay + i), String(i >= dayCount - 3), '1'])
    if (i < 2) expect([price, low, high, disagreement, payments]).toEqual([null, null, null, null, null])
    if (i < 3) continue
    const [open, close] = [priceAt(24 * (firstDay + i)), priceAt(24 * (firstDay + i) + 23)]
    expect(Math.abs(Number(price) / close - 1)).toBeLessThan(0.002)
    expect(Math.abs(Number(low) / open - 1)).toBeLessThan(0.002)
    expect(Math.abs(Number(high) / close - 1)).toBeLessThan(0.002)
    expect(Number(disagreement)).toBeLessThan(0.005)
    // Two segments have 28 payments each hour.
    expect(Math.abs(Number(payments) / (24 * 56) - 1)).toBeLessThan(0.2)
  }
})

it('continues from a saved state with the rows of a computation from the first day', async () => {
  const whole = await publish(newPlace(), last)
  const dataDir = newPlace()
  const first = await publish(dataDir, last - 5)
  expect(first.readFrom).toBe(anchor.day)
  // Decided days stay as they were.
  expect(first.rows.slice(0, -3)).toEqual(whole.rows.slice(0, dayCount - 8))
  const continued = await publish(dataDir, last)
  expect(continued).toEqual({ rows: whole.rows, readFrom: last - 14 })
  // A state is not newer than its blocks.
  expect((await publish(dataDir, firstDay + 30)).readFrom).toBe(anchor.day)
})

it('begins again after a reorganisation, and if the state is damaged', async () => {
  const whole = await publish(newPlace(), last)
  const dataDir = newPlace()
  await publish(dataDir, last)
  const other = chain.hashes.slice().fill(99, 32 * (dayCount - 13))
  expect((await publish(dataDir, last, other)).readFrom).toBe(anchor.day)
  await publish(dataDir, last)
  const [name] = readdirSync(onchainPricesFolder(dataDir))
  const file = path.join(onchainPricesFolder(dataDir), name!)
  writeFileSync(file, readFileSync(file).fill(7, 100, 200))
  expect(await publish(dataDir, last)).toEqual({ rows: whole.rows, readFrom: anchor.day })
})

it('has no price before its anchor', async () => {
  expect((await publish(newPlace(), firstDay + 1)).rows.map(([, price]) => price)).toEqual([null, null])
})

describe('doubtful prices', () => {
  const columns = (price: number[]): OnchainColumns => {
    const none = new Float64Array(price.length)
    return { firstDay: 10, price: Float64Array.from(price), low: none, high: none, disagreement: none, payments: none }
  }

  it.each([
    ['three days of a gap', [100, 106, 106, 107], 0.07],
    ['three days below', [100, 94, 93, 92], -0.08],
    ['three known days with unknown ones between', [106, Number.NaN, 106, Number.NaN, 107, Number.NaN], 0.07],
    ['two days', [100, 100, 106, 107], undefined],
    ['too few days', [106, 107], undefined],
    ['old days', [106, 106, 106, ...Array.from({ length: 14 }, () => Number.NaN)], undefined],
  ])('are those of %s', (_, prices, gap) => {
    const found = findPriceGap(columns(prices), () => 100, 9 + prices.length)
    if (gap === undefined) expect(found).toBeUndefined()
    else expect(found).toBeCloseTo(gap)
  })

  it('are refused if they are carried for more than a week', () => {
    const sources = (...runs: [sources: number, days: number][]) =>
      Int32Array.from(runs.flatMap(([count, days]) => Array.from({ length: days }, () => count)))
    const check = (counts: Int32Array, lastDay: number) => () =>
      refuseLongGaps({ firstDay: 10, sources: counts }, lastDay)
    expect(() => refuseLongGaps(undefined, 20)).toThrow('for 1970-01-14 and')
    expect(check(sources([1, 5], [0, 7], [1, 1]), 22)).not.toThrow()
    expect(check(sources([1, 5], [0, 8], [1, 1]), 23)).toThrow('for 1970-01-16 and the days after')
    expect(check(sources([1, 5]), 21)).not.toThrow()
    expect(check(sources([1, 5]), 22)).toThrow('for 1970-01-16 and the days after')
  })
})

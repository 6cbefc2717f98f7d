import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { isoDate } from '#base/days.ts'
import { describeState, type StoredState, writeState } from '#compute/cohorts/pass-state.ts'
import { toPosition } from '#compute/price-onchain/hour-evidence.ts'
import { ClosedDays, type NewDays } from '#compute/publish/closed-days.ts'
import { Draft } from '#compute/publish/draft.ts'
import { writeOnchainPrices } from '#compute/publish/onchain-price-table.ts'
import { packCounts } from '#compute/scan/output-hours.ts'
import { outputBins } from '#contract/output-bins.ts'
import type { FirstRowGroups } from '#sql/join-parquet.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { quotedString } from '#sql/quote.ts'
import { withSession } from '#sql/session.ts'
import { rowsOf } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-onchain-price-'))
afterAll(() => rmSync(folder, { recursive: true }))

const firstDay = 17_000
const dayCount = 16
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
const values = hours
  .flatMap((hour) =>
    [hourOf(hour), hourOf(hour)].map((text) => `(${hour}, ${quotedString(text)}, ${quotedString(text)})`),
  )
  .join(', ')

let drafts = 0

async function publish(part: Partial<NewDays>, last: number, before?: StoredState) {
  const closed = new ClosedDays({ days: Int32Array.from({ length: last - firstDay + 2 }, (_, i) => firstDay + i) })
  const newDays: NewDays = { closed, savedRows: new Map(), after: firstDay - 1, cut: undefined, ...part }
  const place = path.join(folder, String(++drafts))
  mkdirSync(place)
  return withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, async (connection) => {
    await connection.run(`CREATE TEMP TABLE hours AS FROM (VALUES ${values}) AS t(hour, broad, narrow)`)
    const draft = new Draft(connection, path.join(place, 'made'))
    const relation = { name: 'segment_output_hours', from: 'hours' } as const
    const { prices, atCut } = await writeOnchainPrices(draft, newDays, relation, anchor, before)
    const rows = await rowsOf(`SELECT * FROM ${prices.from} ORDER BY date`)
    const file = path.join(draft.folder, 'price_onchain.parquet')
    const saved: FirstRowGroups | undefined = draft.rowsUpToCut.get('price_onchain')
    return { rows, atCut, saved: saved && { ...saved, file }, from: parquetFiles([file]) }
  })
}

const last = firstDay + dayCount - 1

it('publishes the price of each day from the anchor on', async () => {
  const { rows } = await publish({}, last)
  expect(rows).toHaveLength(dayCount)
  for (const [i, [date, price, low, high, disagreement, payments, provisional, version]] of rows.entries()) {
    expect([date, provisional, version]).toEqual([isoDate(firstDay + i), String(i >= dayCount - 3), '1'])
    if (i < 2) expect([price, low, high, disagreement, payments]).toEqual([null, null, null, null, null])
    if (i < 3) continue
    const [open, close] = [priceAt(24 * (firstDay + i)), priceAt(24 * (firstDay + i) + 23)]
    expect(Math.abs(Number(price) / close - 1)).toBeLessThan(0.002)
    expect(Math.abs(Number(low) / open - 1)).toBeLessThan(0.002)
    expect(high).toBe(price)
    expect(Number(disagreement)).toBeLessThan(0.005)
    // Two segments have 28 payments each hour.
    expect(Math.abs(Number(payments) / (24 * 56) - 1)).toBeLessThan(0.2)
  }
})

it('continues from a checkpoint with the rows of a computation from the first day', async () => {
  const whole = await publish({}, last)
  const cut = firstDay + 7
  const first = await publish({ cut }, firstDay + 12)
  const state: StoredState = { file: path.join(folder, 'state.bin'), arrays: describeState(first.atCut) }
  writeState(state.file, first.atCut)
  const savedRows = new Map([['price_onchain' as const, first.saved!]])
  const continued = await publish({ after: cut, savedRows }, last, state)
  expect(continued.rows).toEqual(whole.rows)
  // Decided days stay as they were.
  expect(first.rows.slice(0, 10)).toEqual(whole.rows.slice(0, 10))
})

it('begins later if the checkpoint is from before the anchor', async () => {
  const whole = await publish({}, last)
  const first = await publish({ cut: firstDay + 1 }, firstDay + 12)
  const state: StoredState = { file: path.join(folder, 'early.bin'), arrays: describeState(first.atCut) }
  writeState(state.file, first.atCut)
  const savedRows = new Map([['price_onchain' as const, first.saved!]])
  expect((await publish({ after: firstDay + 1, savedRows }, last, state)).rows).toEqual(whole.rows)
})

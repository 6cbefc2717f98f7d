import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { type LastPrices, readLastPrices } from '#compute/live/last-prices.ts'
import { tables } from '#ingest/market/observations.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { withSession } from '#sql/session.ts'

const hour = 3_600_000
const dayLength = 24 * hour
const day = parseDay('2024-03-01')
const midnight = day * dayLength

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-last-prices-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const bar = (close: number) => ({ open: close, high: close, low: close, close, volume_btc: null, volume_usd: null })

/**
 * Stores closes by the day (`days`, from `day` on) and by the hour (`hours`, from its midnight on),
 * and reads them.
 */
function read(days: Record<number, number>, hours: Record<number, number>, openDay: number): Promise<LastPrices> {
  return withSession({ temporaryFolder: path.join(dataDir, 'tmp') }, async (connection) => {
    const daily = Object.entries(days).map(([at, close]) => ({ date: day + Number(at), ...bar(close) }))
    const hourly = Object.entries(hours).map(([at, close]) => ({ time: midnight + Number(at) * hour, ...bar(close) }))
    await appendObservations(connection, dataDir, tables.prices, 'import', daily, midnight)
    await appendObservations(connection, dataDir, tables.prices_hourly, 'import', hourly, midnight)
    return readLastPrices(connection, dataDir, day, openDay)
  })
}

test('the last hour is the price, at its end', async () => {
  const { last, closes } = await read({ 0: 100 }, { 24: 101, 25: 102 }, day + 1)
  expect(last).toEqual({ price: 102, time: midnight + 26 * hour, source: 'import' })
  expect(closes.size).toBe(0)
})

test('a day that is over has its own close, or else that of its last hour', async () => {
  const { closes, last } = await read({ 0: 100, 1: 110 }, { 47: 111, 71: 120, 72: 121 }, day + 3)
  expect([...closes]).toEqual([
    [day + 1, 110],
    [day + 2, 120],
  ])
  expect(last?.price).toBe(121)
})

test('the close of the day before is the price until the first hour is over, and of older ones nothing is said', async () => {
  expect((await read({ 0: 100 }, {}, day + 1)).last).toEqual({
    price: 100,
    time: midnight + dayLength,
    source: 'import',
  })
  expect((await read({ 0: 100 }, { 23: 99 }, day + 2)).last).toBeUndefined()
})

test('hours after the day do not count, and where the day has its close that is the price', async () => {
  const { last } = await read({ 0: 100, 1: 105 }, { 47: 104, 48: 200 }, day + 1)
  expect(last).toEqual({ price: 105, time: midnight + 2 * dayLength, source: 'import' })
})

test('a price that is only carried over is none', async () => {
  const { last, closes } = await read({ 0: 100 }, { 23: 99, 50: 130 }, day + 1)
  expect(last).toEqual({ price: 100, time: midnight + dayLength, source: 'import' })
  expect(closes.size).toBe(0)
})

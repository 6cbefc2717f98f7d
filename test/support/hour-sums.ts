import path from 'node:path'
import { expect } from 'vitest'
import { btcToSats } from '#base/bitcoin.ts'
import { secondsPerDay } from '#base/days.ts'
import { hourlySource } from '#contract/hours.ts'
import { readHours } from '#query/answers/hours.ts'
import { Database } from '#query/database.ts'
import { Published } from '#query/published.ts'
import { View } from '#query/view.ts'
import { currentGeneration, publishedFolder } from '#sql/generation.ts'
import { publishedTable, rowsOf } from './published.ts'

/**
 * Work is no whole number of satoshis or outputs: its sum depends on the order in the last digits.
 */
const rounded = new Set(['work'])
/** Sums of BTC are compared in satoshis. */
const toWhole = (id: string, value: number): number => (id === 'spent_volume' ? btcToSats(value) : value)

/**
 * Expects of every metric that blocks alone determine, and every published day, that its hours add
 * up to the day, or end with its value, and that each hour has the sum of its blocks and its price.
 * Returns the number of metrics, days and hours with blocks.
 */
export async function expectHoursAddUp(dataDir: string): Promise<{ metrics: number; days: number; hours: number }> {
  const database = await Database.open([publishedFolder(dataDir)], path.join(dataDir, 'hours-tmp'), '500MB')
  try {
    const published = await Published.open(database, currentGeneration(dataDir)!)
    await published.verify()
    const view = new View(published, 'enterprise')
    const price = view.catalogue.find('price')!
    const metrics = view.catalogue.metrics.filter((metric) => {
      const source = metric.formula === null ? hourlySource(metric) : undefined
      return source !== undefined && source.from !== 'price' && metric.intervals.includes('1h')
    })
    const range = { limit: 10_000, start_date: view.firstDay, end_date: view.lastDay, order: 'asc' } as const
    const blocks = await blocksByHour(dataDir)
    const closes = new Map(
      (await rowsOf(`SELECT epoch(time), close FROM ${publishedTable(dataDir, 'prices_hourly')}`)).map(
        ([time, close]) => [Number(time), Number(close)],
      ),
    )
    const daily = await view.valuesOf(metrics)
    let hours = 0
    for (let first = view.firstDay; first <= view.lastDay; first += 400) {
      const { times, columns } = await readHours(view, [...metrics, price], { ...range, start_date: first })
      expect(times[0]).toBe(first * secondsPerDay)
      for (const [i, { id, kind }] of metrics.entries()) {
        const values = columns.get(id)!
        for (let day = first; day <= Math.min(view.lastDay, first + 399); day++) {
          const ofDay = values.subarray((day - first) * 24, (day - first + 1) * 24).map((value) => toWhole(id, value))
          const published = toWhole(id, daily[i]![day - view.firstDay]!)
          const found = kind === 'level' ? ofDay.at(-1)! : ofDay.reduce((sum, value) => sum + value, 0)
          if (rounded.has(id)) expect(found / (published || 1), `${id} ${day}`).toBeCloseTo(published === 0 ? 0 : 1, 12)
          else expect(found, `${id} ${day}`).toBe(published)
        }
      }
      for (const [row, time] of times.entries()) {
        if (row >= 400 * 24) break
        const own = blocks.get(time) ?? []
        hours += Number(own.length > 0)
        expect(columns.get('price')![row]).toBe(closes.get(time) ?? Number.NaN)
        const sum = (column: keyof BlockSums): number => own.reduce((total, block) => total + block[column], 0)
        expect(
          ['blocks_mined', 'tx_count_with_coinbase', 'fees_sats', 'weight'].map((id) => columns.get(id)![row]),
        ).toEqual([own.length, sum('transactions'), sum('fees_sats'), sum('weight')])
      }
    }
    return { metrics: metrics.length, days: view.dayCount, hours }
  } finally {
    await database.close()
  }
}

interface BlockSums {
  readonly transactions: number
  readonly fees_sats: number
  readonly weight: number
}

/**
 * The blocks of each hour by its beginning in unix seconds: those of the latest header time so far.
 */
async function blocksByHour(dataDir: string): Promise<Map<number, BlockSums[]>> {
  const rows = await rowsOf(
    `SELECT epoch(time), transactions, fees_sats, weight FROM ${publishedTable(dataDir, 'blocks')} ORDER BY height`,
  )
  const found = new Map<number, BlockSums[]>()
  let latest = 0
  for (const row of rows) {
    const [time = 0, transactions = 0, fees_sats = 0, weight = 0] = row.map(Number)
    latest = Math.max(latest, time)
    const hour = latest - (latest % 3_600)
    found.set(hour, [...(found.get(hour) ?? []), { transactions, fees_sats, weight }])
  }
  return found
}

import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BaseMeasure, baseMeasures } from '#compute/cohorts/base-measures.ts'
import { findHourPrices } from '#compute/cohorts/hour-prices.ts'
import { checkpointsFolder } from '#compute/data-folder.ts'
import { buildGeneration } from '#compute/publish/build-generation.ts'
import type { Choices } from '#compute/publish/input-key.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { networks } from '#ingest/chain/networks.ts'
import { simulatedSource, tables } from '#ingest/market/observations.ts'
import { writeSimulatedPrices } from '#ingest/market/prices.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { makeSimulatedChain } from '#ingest/simulated/chain.ts'
import type { Generation } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { findChain, readCoreFiles } from '#test/ingest/simulated/core-files.ts'
import { expectPartsSum } from '#test/support/parts-sum.ts'
import { publishedTable, rowsOf, tableDifferences } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'
import {
  type Coin,
  createBasis,
  day,
  expectByCoin,
  firstDay,
  hour,
  listCosts,
  unixTimes,
  valuesByDefinition,
} from '../cohorts/random-coins.ts'

const days = 75
const firstPriced = 20
const firstHourly = 30
const random = new Random(12)
/** By days and by hours counted from the first; one day lacks most of its hours. */
const prices = Array.from({ length: days }, (_, at) => (at < firstPriced ? Number.NaN : 10 + 5 * random.next()))
const closes = new Map(
  Array.from({ length: 24 * (days - firstHourly) }, (_, i) => 24 * firstHourly + i)
    .filter((at) => Math.floor(at / 24) !== 55 || at % 24 === 23)
    .map((at) => [at, (prices[Math.floor(at / 24)] ?? 0) * (0.95 + 0.1 * random.next())] as const),
)

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-hourly-pricing-'))
const dataDir = path.join(folder, 'data')
let coins: Coin[]
let times: number[]

/** Publishes the chain in a folder. */
const publish = (choices: Choices, place = folder): Promise<Generation> =>
  withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, async (connection) => {
    const target = path.join(place, 'data')
    const blocksFolder = path.join(place, 'blocks')
    const source = { kind: 'files', blocksFolder, endpoint: undefined, isEndpointRequired: false } as const
    const progress = { say() {}, scanned() {} }
    const { scanned } = await ingest({ dataDir: target, network: networks.simulated, source, progress })
    return buildGeneration(connection, target, scanned, choices)
  })

beforeAll(async () => {
  const { tipHash } = await makeSimulatedChain({ folder, seed: 9, endDay: firstDay + days, size: 'tiny' })
  const blocks = findChain(readCoreFiles(path.join(folder, 'blocks')), tipHash).chain.map(({ block }) => block)
  ;({ coins, times } = listCoins(blocks))
  const bar = (close: number) => ({ open: close, high: close, low: close, close })
  await withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) => {
    const daily = prices.flatMap((close, at) =>
      Number.isNaN(close) ? [] : [{ day: firstDay + at, ...bar(close), volume: 1 }],
    )
    await writeSimulatedPrices(connection, dataDir, daily)
    const hourly = Array.from(closes, ([at, close]) => {
      return { time: (24 * firstDay + at) * 3_600_000, ...bar(close), volume_btc: null, volume_usd: 1 }
    })
    await appendObservations(connection, dataDir, tables.prices_hourly, simulatedSource, hourly, Date.now())
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

/**
 * Every output that can be spent, with the monotone times at which it was made and spent; and those
 * of the blocks.
 */
function listCoins(blocks: ReturnType<typeof findChain>['chain'][number]['block'][]): {
  coins: Coin[]
  times: number[]
} {
  const open = new Map<string, Coin>()
  const coins: Coin[] = []
  const times: number[] = []
  for (const { timestamp, transactions = [] } of blocks) {
    const now = Math.max(times.at(-1) ?? 0, timestamp - firstDay * day)
    times.push(now)
    for (const transaction of transactions) {
      for (const { hash, index } of transaction.ins) {
        const coin = open.get(`${Buffer.from(hash).reverse().toString('hex')}:${index}`)
        if (coin) coins.push({ ...coin, spent: now })
        open.delete(`${Buffer.from(hash).reverse().toString('hex')}:${index}`)
      }
      for (const [index, { value, script }] of transaction.outs.entries()) {
        if (times.length === 1 || script[0] === 0x6a) continue
        open.set(`${transaction.getId()}:${index}`, { sats: Number(value), created: now })
      }
    }
  }
  return { coins: [...coins, ...open.values()].filter(({ created }) => created < days * day), times }
}

/** The base measures of every cohort, as they are published. */
async function publishedColumns(): Promise<Map<string, Record<BaseMeasure, Float64Array>>> {
  const rows = await rowsOf(
    `SELECT cohort, ${baseMeasures.join(', ')} FROM ${publishedTable(dataDir, 'cohorts')} ORDER BY cohort, date`,
  )
  const columns = new Map<string, Record<BaseMeasure, Float64Array>>()
  for (const [cohort, ofCohort] of Map.groupBy(rows, ([cohort]) => String(cohort))) {
    const column = (i: number): Float64Array => Float64Array.from(ofCohort, (row) => Number(row[i + 1] ?? Number.NaN))
    columns.set(
      cohort,
      Object.fromEntries(baseMeasures.map((measure, i) => [measure, column(i)])) as Record<BaseMeasure, Float64Array>,
    )
  }
  return columns
}

it('a simulated chain is valued by the hour as its outputs are one by one, in every cohort', async () => {
  const { prices: described } = await publish({ pricing: 'hourly', fine: true })
  const unixHours = new Map([...closes].map(([at, close]) => [24 * firstDay + at, close]))
  const hours = findHourPrices(unixHours, createBasis(prices), unixTimes(times), firstDay)
  const { costs, valued } = valuesByDefinition(coins, prices, hours!)
  const young = coins.filter(({ created, spent = Number.POSITIVE_INFINITY }) => spent - created < day)
  expect(young.length).toBeGreaterThan(50)
  expect(described?.pricing.setting).toBe('hourly')
  expect(described?.pricing.hourly?.days).toBe(days - firstHourly - 1)
  const columns = await publishedColumns()
  expectByCoin(columns, coins, prices, [0], costs, valued, 1e-9)
  expect(listCosts(prices)[50]).not.toBeCloseTo(costs[50] ?? 0, 6)
  const ratios = await rowsOf(
    `SELECT max(abs(sopr * spent_cost / spent_volume_usd - 1)) < 1e-12, count(sopr) > 100
     FROM ${publishedTable(dataDir, 'cohorts')}`,
  )
  expect(ratios).toEqual([['true', 'true']])
  expect(await expectPartsSum(dataDir)).toBeGreaterThan(days)
})

it('the return of a day is made of those of three sessions, where hours are known', async () => {
  const rows = await rowsOf(
    `SELECT date - DATE '1970-01-01' - ${firstDay}, return_asia, return_europe, return_america
     FROM ${publishedTable(dataDir, 'metrics_market')} WHERE date >= DATE '1970-01-01' + ${firstDay + firstHourly} ORDER BY date`,
  )
  expect(rows.length).toBeGreaterThan(40)
  for (const [text, ...returns] of rows) {
    const at = Number(text)
    const [asia, europe] = [7, 15].map((hour) => closes.get(24 * at + hour))
    // Hours without a price take that of the hours before, at most twelve.
    if (at === 55) continue
    const expected = [asia! / prices[at - 1]!, europe! / asia!, prices[at]! / europe!].map((ratio) => ratio - 1)
    expect(returns.map(Number)).toEqual(expected.map((value) => expect.closeTo(value, 12)))
  }
})

/** Outputs, value and both times age of a row of `fine_flows`. */
interface Part {
  readonly key: readonly string[]
  outputs: number | null
  seconds: number | null
  sats: number | null
  satSeconds: bigint | null
}

/** The rows of `fine_flows` by their description, output by output. */
function listFineParts(coins: readonly Coin[]): Part[] {
  const parts = new Map<string, Part>()
  const createPart = (spent: number, created: number, span: 'day' | 'hour', age: number): Part => {
    const instant = (time: number): string =>
      new Date((firstDay * day + time) * 1000).toISOString().replace('T', ' ').slice(0, 19)
    const began = (time: number): string => instant(time - (time % (span === 'day' ? day : hour)))
    const least = age < hour ? 0 : age < day ? 1 : 24
    const days = [spent, created].map((time) => instant(time).slice(0, 10))
    const key = [...days, span, began(spent), began(created), String(least)]
    const part = parts.get(key.join()) ?? { key, outputs: null, seconds: null, sats: null, satSeconds: null }
    parts.set(key.join(), part)
    return part
  }
  for (const { sats, created, spent } of coins) {
    if (spent === undefined || spent >= days * day) continue
    const age = spent - created
    const isYoung = Math.floor(spent / day) - Math.floor(created / day) < 2
    const counted = createPart(spent, created, age < day ? 'hour' : 'day', age)
    counted.outputs = (counted.outputs ?? 0) + 1
    counted.seconds = (counted.seconds ?? 0) + age
    counted.satSeconds = (counted.satSeconds ?? 0n) + BigInt(sats) * BigInt(age)
    const valued = isYoung ? createPart(spent, created, 'hour', age) : counted
    valued.sats = (valued.sats ?? 0) + sats
  }
  return [...parts.values()]
}

it('has each part of the flows in one row, by the hour where that is known', async () => {
  const table = publishedTable(dataDir, 'fine_flows')
  const rows = await rowsOf(`FROM ${table}`)
  const expected = listFineParts(coins).map(({ key, sats, outputs, satSeconds, seconds }) => [
    ...key,
    ...[sats, outputs, satSeconds, seconds].map((sum) => (sum === null ? null : String(sum))),
  ])
  expect(rows).toEqual(expected.sort((one, other) => (one.slice(0, 5).join() < other.slice(0, 5).join() ? -1 : 1)))
  const kinds = Map.groupBy(rows, ([, , span, , , age, sats, outputs]) =>
    [span, age, sats !== null, outputs !== null].join(),
  )
  expect([...kinds.keys()].sort()).toEqual([
    'day,24,false,true',
    'day,24,true,true',
    'hour,0,true,true',
    'hour,1,true,true',
    'hour,24,true,false',
  ])
  const sums = ['spent_sats', 'spent_outputs', 'spent_sat_seconds', 'spent_output_seconds']
  const byDay = `SELECT date, created_date, ${sums.map((sum) => `sum(${sum})::HUGEINT`).join(', ')} FROM ${table} GROUP BY ALL`
  expect(await rowsOf(`${byDay} ORDER BY date, created_date`)).toEqual(
    await rowsOf(`SELECT date, created_date, ${sums.join(', ')} FROM ${publishedTable(dataDir, 'flows')}`),
  )
})

it('a night that continues from a checkpoint gives the same values', async () => {
  const nights = path.join(folder, 'nights')
  const data = path.join(nights, 'data')
  cpSync(path.join(dataDir, 'raw', 'market'), path.join(data, 'raw', 'market'), { recursive: true })
  for (const endDay of [firstDay + days - 15, firstDay + days]) {
    await makeSimulatedChain({ folder: nights, seed: 9, endDay, size: 'tiny' })
    await publish({ pricing: 'hourly', fine: true }, nights)
    // The second night would write another one, had it not continued from the first.
    expect(readdirSync(checkpointsFolder(data)).length).toBe(1)
  }
  const names = ['cohorts', 'kind_flows', 'metrics_profit_and_loss']
  expect(await tableDifferences(data, dataDir, names)).toEqual({})
})

it('by closes it is what it is by closes, and every metric concerned says so', async () => {
  const variants = () =>
    rowsOf(
      `SELECT id, variant FROM ${publishedTable(dataDir, 'catalogue')}
       WHERE id IN ('sopr', 'realized_cap', 'lth_realized_price', 'market_cap') ORDER BY id`,
    )
  const byHour = `by the hour on ${days - firstHourly - 1} days, 2009-02-02 to 2009-03-18; by the close on others.`
  expect(await variants()).toEqual([
    ['lth_realized_price', expect.stringContaining(byHour)],
    ['market_cap', null],
    ['realized_cap', expect.stringContaining(byHour)],
    ['sopr', expect.stringContaining(byHour)],
  ])
  const { prices: described } = await publish({ pricing: 'daily' })
  expect(described?.pricing).toEqual({ setting: 'daily', hourly: null })
  expectByCoin(await publishedColumns(), coins, prices, [0])
  expect(await expectPartsSum(dataDir)).toBeGreaterThan(days)
  const byDay = 'Valued by daily closes (PRICING=daily).'
  expect((await variants()).map(([, variant]) => variant?.endsWith(byDay) ?? null)).toEqual([true, null, true, true])
})

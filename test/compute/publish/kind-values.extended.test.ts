import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { msPerDay, parseDay } from '#base/days.ts'
import { findHourPrices } from '#compute/cohorts/hour-prices.ts'
import { buildGeneration } from '#compute/publish/build-generation.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { coinCohortLists } from '#contract/coin-cohorts.ts'
import { networks } from '#ingest/chain/networks.ts'
import { writeSimulatedHours, writeSimulatedPrices } from '#ingest/market/prices.ts'
import { makeSimulatedChain } from '#ingest/simulated/chain.ts'
import { simulatedHours } from '#ingest/simulated/hourly-prices.ts'
import { simulatedPrices } from '#ingest/simulated/prices.ts'
import { withSession } from '#sql/session.ts'
import { kindMembership } from '#test/compute/catalogue/replayed-measures.ts'
import {
  type Coin,
  createBasis,
  day,
  dayOfTime,
  firstDay,
  hourOfTime,
  spentWithin,
  unixTimes,
  valuesByDefinition,
} from '#test/compute/cohorts/random-coins.ts'
import { findChain, readCoreFiles } from '#test/ingest/simulated/core-files.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { columnsOf, publishedTable } from '#test/support/published.ts'
import { kindName } from '#test/support/replay.ts'

/** Compares published values of kinds with a replay of all outputs, and both with docs/pricing.md. */

const seed = 1
/** After 400 days, in which coins of all eras come and go, the hours of so many are known. */
const [firstHourly, days] = [400, 800]
const endDay = firstDay + days
/** The simulated hours begin in 2023; the chain lives that many days before. */
const earlier = parseDay('2023-01-01') - firstDay - firstHourly
const folder = temporaryFolder('kind-values')
const dataDir = path.join(folder, 'data')
afterAll(() => rmSync(folder, { recursive: true }))

const cohorts = [...coinCohortLists.size, ...coinCohortLists.type]
  .map(({ id }) => id)
  .concat('moved', 'mined')
  .map((id) => ({ id, has: kindMembership(id).has }))

const measures = [
  'spent_volume_usd',
  'spent_cost',
  'spent_volume_in_profit',
  'spent_volume_in_loss',
  'realized_profit',
  'realized_loss',
  'coindays_destroyed',
] as const
type Sums = Readonly<Record<(typeof measures)[number], Float64Array>>

const createSums = (): Sums => Object.fromEntries(measures.map((name) => [name, new Float64Array(days)])) as Sums

type KindCoin = Coin & { readonly kind: string }

/** Spent outputs, with monotone times counted from the first midnight, and those of the blocks. */
function listCoins(tipHash: string): { coins: KindCoin[]; times: number[] } {
  const { chain } = findChain(readCoreFiles(path.join(folder, 'blocks')), tipHash)
  const open = new Map<string, KindCoin>()
  const coins: KindCoin[] = []
  const times: number[] = []
  for (const [height, { block }] of chain.entries()) {
    const now = Math.max(times.at(-1) ?? 0, block.timestamp - firstDay * day)
    times.push(now)
    for (const [position, { ins, outs, getId }] of (block.transactions ?? []).entries()) {
      for (const { hash, index } of ins) {
        const outpoint = `${Buffer.from(hash).reverse().toString('hex')}:${index}`
        const coin = open.get(outpoint)
        if (coin) coins.push({ ...coin, spent: now })
        open.delete(outpoint)
      }
      const id = getId.call(block.transactions![position])
      for (const [index, { value, script }] of outs.entries()) {
        const kind = kindName(script, Number(value), position === 0, height)
        if (!/op_return|unspendable/.test(kind)) open.set(`${id}:${index}`, { sats: Number(value), created: now, kind })
      }
    }
  }
  return { coins: [...coins, ...open.values()].filter(({ created }) => created < days * day), times }
}

function addSpend(sums: Sums, { sats, created, spent = 0 }: Coin, paid: number, worth: number): void {
  const at = dayOfTime(spent)
  const btc = sats / 1e8
  sums.spent_volume_usd[at]! += btc * worth
  sums.spent_cost[at]! += btc * paid
  if (paid < worth) sums.spent_volume_in_profit[at]! += btc
  if (paid > worth) sums.spent_volume_in_loss[at]! += btc
  sums.realized_profit[at]! += btc * Math.max(worth - paid, 0)
  sums.realized_loss[at]! += btc * Math.max(paid - worth, 0)
  sums.coindays_destroyed[at]! += (btc * (spent - created)) / day
}

const hourlyDays = Array.from({ length: days - firstHourly }, (_, i) => firstHourly + i)

/** Median of all kinds and days, and all differences together; in percent of the replayed values. */
function distances(found: readonly Sums[], truth: readonly Sums[], measure: (typeof measures)[number]) {
  const errors: number[] = []
  let [off, total] = [0, 0]
  for (const [i, sums] of truth.entries()) {
    for (const at of hourlyDays) {
      const [value, expected] = [found[i]![measure][at]!, sums[measure][at]!]
      off += Math.abs(value - expected)
      total += expected
      if (expected > 0) errors.push(Math.abs(value / expected - 1))
    }
  }
  errors.sort((a, b) => a - b)
  return { median: 100 * errors[errors.length >> 1]!, total: (100 * off) / total }
}

/** Percentage of kinds and days whose SOPR is on the same side of 1. */
function sameSides(found: readonly Sums[], truth: readonly Sums[]): number {
  let [same, all] = [0, 0]
  const profit = ({ spent_volume_usd, spent_cost }: Sums, at: number): number => spent_volume_usd[at]! - spent_cost[at]!
  for (const [i, sums] of truth.entries()) {
    for (const at of hourlyDays) {
      if (sums.spent_cost[at] === 0) continue
      const [one, other] = [profit(found[i]!, at), profit(sums, at)]
      const tiny = 1e-9 * sums.spent_cost[at]!
      all++
      same += Number(one > tiny === other > tiny && one < -tiny === other < -tiny)
    }
  }
  return (100 * same) / all
}

const percent = (value: number): string => `${value < 0.001 ? '0' : value.toPrecision(2)} %`

it('values of kinds are as far from those of their outputs as docs/pricing.md says', async () => {
  const { tipHash } = await makeSimulatedChain({ folder, seed, endDay, size: 'tiny' })
  const later = simulatedPrices({ seed, endDay: endDay + earlier })
  const hourly = simulatedHours(seed, later).map((bar) => ({ ...bar, time: bar.time - earlier * msPerDay }))
  const closes = later.map((bar) => ({ ...bar, day: bar.day - earlier })).filter((bar) => bar.day >= firstDay)
  const source = { kind: 'files', blocksFolder: path.join(folder, 'blocks'), endpoint: undefined } as const
  await withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) => {
    await writeSimulatedPrices(connection, dataDir, closes)
    await writeSimulatedHours(connection, dataDir, hourly)
    const { scanned } = await ingest({
      dataDir,
      network: networks.simulated,
      source: { ...source, isEndpointRequired: false },
      progress: { say() {}, scanned() {} },
    })
    await buildGeneration(connection, dataDir, scanned, { pricing: 'hourly' })
  })

  const { coins, times } = listCoins(tipHash)
  const closeOn = new Map(closes.map(({ day: at, close }) => [at - firstDay, close]))
  const prices = Array.from({ length: days }, (_, at) => closeOn.get(at) ?? Number.NaN)
  const unixHours = new Map(hourly.map(({ time, close }) => [time / 3_600_000, close]))
  const hours = findHourPrices(unixHours, createBasis(prices), unixTimes(times), firstDay)!
  const { valued } = valuesByDefinition(coins, prices, hours)
  const asAll = cohorts.map(createSums)
  const byHours = cohorts.map(createSums)
  const all = createSums()
  for (const coin of coins) {
    if (!spentWithin(coin, days)) continue
    const { paid, worth } = valued(coin, dayOfTime(coin.spent!))
    const cost = hours.price[hourOfTime(coin.created)]!
    const value = hours.price[hourOfTime(coin.spent!)]!
    addSpend(all, coin, cost, value)
    for (const [i, { has }] of cohorts.entries()) {
      if (!has(coin.kind)) continue
      addSpend(asAll[i]!, coin, paid, worth)
      addSpend(byHours[i]!, coin, cost, value)
    }
  }
  const readSums = async (id: string): Promise<Sums> => {
    const columns = await columnsOf(
      `SELECT ${measures.join(', ')} FROM ${publishedTable(dataDir, 'cohorts')} WHERE cohort = '${id}' ORDER BY date`,
    )
    expect(columns[0]!.length).toBe(days)
    return Object.fromEntries(measures.map((name, i) => [name, Float64Array.from(columns[i]!, Number)])) as Sums
  }
  const found: Sums[] = []
  for (const { id } of cohorts) found.push(await readSums(id))
  const rows = measures.map((measure) => {
    const [near, far] = [asAll, byHours].map((truth) => distances(found, truth, measure))
    if (measure !== 'coindays_destroyed') expect(near!.median, measure).toBeLessThan(2)
    return `| \`${measure}\` | ${[near!.median, near!.total, far!.median, far!.total].map(percent).join(' | ')} |`
  })
  const [near, far] = [asAll, byHours].map((truth) => sameSides(found, truth))
  expect(near).toBeGreaterThan(98)
  rows.push(`| \`sopr\` on the same side of 1 | ${near!.toFixed(1)} % | | ${far!.toFixed(1)} % | |`)
  const ofAll = [await readSums('all')]
  const [profit, loss] = (['realized_profit', 'realized_loss'] as const).map((measure) =>
    percent(distances(ofAll, [all], measure).median),
  )
  const sentence = `of all coins, the median is ${profit} of \`realized_profit\` and ${loss} of \`realized_loss\`.`
  console.log([...rows, sentence].join('\n'))
  const page = readFileSync(new URL('../../../docs/pricing.md', import.meta.url), 'utf8')
  expect(page).toContain(rows.join('\n'))
  expect(page).toContain(sentence)
}, 600_000)

import { readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { parseDay } from '#base/days.ts'
import { AddressEvents } from '#compute/addresses/address-events.ts'
import { addressFiles } from '#compute/addresses/address-files.ts'
import type { UnitBlocks } from '#compute/addresses/address-store.ts'
import { AddressColumns } from '#compute/addresses/address-table.ts'
import { BalanceStore, settledDays } from '#compute/addresses/balance-store.ts'
import { EmptiedWriter } from '#compute/addresses/emptied-list.ts'
import { packEvents, partitions } from '#compute/addresses/packed-events.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import { Random } from '#test/support/random.ts'
import { formatPeak, formatTimes, measure, measurementSchema, peakMegabytes, print, runChild } from './report.ts'

const firstDay = parseDay('2009-01-03')
const savedDay = 6_500
const blocksPerDay = 144
/** Millions of addresses that ever received, and that hold coins; about mainnet's in 2026. */
const millions = Number(process.env.MILLIONS ?? 1_400)
const fundedMillions = (55 * millions) / 1_400
/** A fifth of a partition's events per day; mainnet has 2.3 million a day. */
const eventsOfEach = Math.round(((2.3e6 / 5 / partitions) * millions) / 1_400)
const sats = 1e8
const nights = 3
/** Addresses per partition that receive and spend all day. */
const busyOfEach = 600
/** Addresses per partition that events use. */
const usedOfEach = eventsOfEach * (settledDays + nights)
const types = (['p2pkh', 'p2wpkh', 'p2tr', 'p2sh'] as const).map((type) => scriptTypes.indexOf(type))

/** Measures time, memory and disk of a night with balances of all mainnet addresses. */
export async function benchAllBalances(folder: string): Promise<void> {
  const dataDir = path.join(folder, 'all-balances')
  rmSync(dataDir, { recursive: true, force: true })
  console.log(`\nbalances of all of ${millions} million addresses (two minutes to make them, 12 GB)`)
  const store = new BalanceStore(dataDir)
  try {
    const stored = path.join(dataDir, 'raw', 'balances')
    store.write('first', takeEvents([]))
    const { chain, basis } = makeChain(savedDay + settledDays + 1)
    const first = { key: 'first', firstHeight: 0, lastHeight: chain.days.length - 1 }
    await store.compute(chain, [first], basis, firstDay + savedDay + settledDays)
    makeDays(store, replaceAddresses(path.join(stored, 'saved.json'), stored))
    for (let night = 1; night <= nights; night++) {
      const measured = measurementSchema.parse(runChild(import.meta.filename, dataDir, String(night)))
      const bytes = readdirSync(stored).reduce((sum, name) => sum + statSync(path.join(stored, name)).size, 0)
      print('balances of all addresses in a night', formatTimes(measured), {
        beside: `${formatPeak(measured.peakMegabytes)}, ${(bytes / 1e9).toFixed(2)} GB on the disk`,
        aim: '20 s, 10 GB',
      })
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function runNight(dataDir: string, night: number) {
  const store = new BalanceStore(dataDir)
  const day = savedDay + settledDays + night
  const { chain, basis } = makeChain(day + 1)
  const units = Array.from({ length: settledDays + night }, (_, i) => unitOf(firstDay + savedDay + 1 + i))
  const { seconds, cpuSeconds } = await measure(() => store.compute(chain, units, basis, firstDay + day))
  store.removeOthers(
    chain,
    Array.from({ length: settledDays + nights }, (_, i) => unitOf(firstDay + savedDay + 1 + i)),
  )
  return { seconds, cpuSeconds, peakMegabytes: peakMegabytes() }
}

const unitOf = (day: number): UnitBlocks => ({
  key: `day-${day}`,
  firstHeight: 0,
  lastHeight: blocksPerDay * (day - firstDay + 1) - 1,
})

function makeChain(days: number) {
  const blocks = blocksPerDay * (days + 1)
  const price = Float64Array.from({ length: days }, (_, day) => Math.exp(day / 600) * (1 + 0.3 * Math.sin(day / 50)))
  return {
    chain: {
      hashes: new Uint8Array(32 * blocks),
      days: Int32Array.from({ length: blocks }, (_, height) => firstDay + Math.floor(height / blocksPerDay)),
    },
    basis: { price, cost: price, unpriced: new Uint8Array(days) },
  }
}

type Event = readonly [day: number, created: number, type: number, high: number, low: number, sats: number]

function takeEvents(list: readonly Event[]): Uint32Array {
  const events = new AddressEvents()
  for (const event of list) events.add(...event)
  return packEvents(events.words)
}

type Identity = readonly [high: number, low: number]

/** About `count` random identities of a partition, in order. */
function ascending(random: Random, partition: number, count: number): () => Identity {
  const mean = 2 ** 60 / count
  let [high, low] = [partition * 2 ** 28, 0]
  return () => {
    const distance = Math.floor(-Math.log(1 - random.next()) * mean * (1 - 1e-2))
    low += distance % 2 ** 32
    high += Math.floor(distance / 2 ** 32) + (low >= 2 ** 32 ? 1 : 0)
    low %= 2 ** 32
    return [high, low]
  }
}

/** Addresses of a partition: to be emptied, with coins, and without. */
type Known = readonly [spent: readonly Identity[], funded: readonly Identity[], emptied: readonly Identity[]]

/** Puts as many addresses into the saved balances as mainnet has. */
function replaceAddresses(savedFile: string, folder: string): readonly Known[] {
  const content = readIntactJson(savedFile, z.looseObject({ day: z.int() }))
  const files = addressFiles(folder, folder)
  const random = new Random(1)
  const all: Known[] = []
  const saved = Array.from({ length: partitions }, (_, partition) => {
    const count = Math.round((fundedMillions * 1e6) / partitions)
    const funded = new AddressColumns(count, false)
    funded.length = count
    const next = ascending(random, partition, count)
    for (let i = 0; i < count; i++) {
      ;[funded.highs[i], funded.lows[i]] = next()
      funded.lastDays[i] = random.between(0, savedDay)
      funded.types[i] = types[i % types.length]!
      funded.habits[i] = 1
      funded.sats[i] = sats
    }
    for (let i = 0; i < count; i++) funded.costs[i] = 100_000 * random.next()
    const writer = files.write(`made-${partition}-funded`)
    for (const column of funded.stored) writer.write(column)
    writer.finish()
    const others = Math.round(((millions - fundedMillions) * 1e6) / partitions)
    const places = Array.from({ length: 2 * usedOfEach }, (_, i) => (i * 7919) % count)
    const used = places.map((i): Identity => [funded.highs[i]!, funded.lows[i]!])
    const emptied: Identity[] = []
    const list = { name: `made-${partition}-emptied`, until: savedDay }
    const emptiedWriter = new EmptiedWriter(files, list, partition)
    const nextOther = ascending(random, partition, others)
    for (let i = 0; i < others; i++) {
      const [high, low] = nextOther()
      emptiedWriter.add(high, low, savedDay - Math.floor(savedDay * random.next() ** 2), false)
      if (i % Math.ceil(others / usedOfEach) === 0) emptied.push([high, low])
    }
    emptiedWriter.finish()
    all.push([used.slice(0, usedOfEach), used.slice(usedOfEach), emptied])
    return { funded: `made-${partition}-funded`, emptied: [list] }
  })
  writeIntactJson(savedFile, { ...content, partitions: saved })
  return all
}

/**
 * Events of later days, of a million addresses each: a fifth goes to new addresses, as many empty
 * others, some go to emptied ones, the rest to few that receive and spend all day.
 */
function makeDays(store: BalanceStore, known: readonly Known[]): void {
  const random = new Random(2)
  for (let i = 0; i < settledDays + nights; i++) {
    const day = firstDay + savedDay + 1 + i
    const events: Event[] = []
    for (const [partition, [spent, funded, emptied]] of known.entries()) {
      for (let n = 0; n < eventsOfEach; n++) {
        const at = i * eventsOfEach + n
        const other = random.between(0, Math.min(usedOfEach, busyOfEach) - 1)
        const busy = [types[(usedOfEach + other) % types.length]!, ...funded[other]!] as const
        const created = firstDay + random.between(0, savedDay)
        const fresh = [partition * 2 ** 28 + random.between(0, 2 ** 28 - 1), random.between(0, 2 ** 32 - 1)] as const
        events.push(
          [day, day, types[at % types.length]!, ...fresh, random.between(1, 1e9)],
          [day, day, ...busy, 2000],
          [day, created, ...busy, -1000],
          n % 4 === 0
            ? [day, day, types[at % types.length]!, ...emptied[at % emptied.length]!, random.between(1, 1e7)]
            : [day, day, ...busy, 1000],
          [day, created, types[at % types.length]!, ...spent[at]!, -sats],
        )
      }
    }
    store.write(unitOf(day).key, takeEvents(events))
  }
}

if (import.meta.main) {
  const [dataDir = '', night] = process.argv.slice(2)
  console.log(JSON.stringify(await runNight(dataDir, Number(night))))
}

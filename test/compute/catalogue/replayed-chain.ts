import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { networks } from '#ingest/chain/networks.ts'
import { findChain, readCoreFiles } from '#test/ingest/simulated/core-files.ts'
import type { Values } from '#test/sql/formula/naive.ts'
import { replay } from '#test/support/replay.ts'
import { chainSeries, spentAgesAndFees } from './chain-series.ts'
import { chainDays, createPrices, firstDay, type PricedChain } from './priced-chain.ts'
import { halvingDays, kindSeries, measureSeries, type Prices } from './replayed-measures.ts'
import { running, times } from './rows.ts'

const { halvingInterval } = networks.simulated

/** All that the expected values are made of: replayed coins, blocks and prices, by closed day. */
export function replayedChain({ blocksFolder, tipHash }: PricedChain) {
  const blocks = findChain(readCoreFiles(blocksFolder), tipHash).chain.map(({ block }) => block)
  const replayed = replay(blocks)
  const rows = Array.from({ length: chainDays }, (_, row) => row)
  const byRow = new Map(createPrices().map((price) => [price.day, price]))
  const series = (name: 'open' | 'high' | 'low' | 'close' | 'volume'): Values =>
    rows.map((row) => byRow.get(row)?.[name] ?? null)
  // A day without a price has the close of the day before.
  const closes = series('close')
  const close = rows.map((row) => closes.slice(0, row + 1).findLast((value) => value !== null) ?? null)
  const carried = (name: 'open' | 'high' | 'low'): Values => series(name).map((value, row) => value ?? close[row]!)
  const costs = close.map((value) => value ?? 0)
  const prices: Prices = {
    closes: new Map(close.flatMap((value, row) => (value === null ? [] : [[firstDay + row, value] as const]))),
    costOn: (day) => costs[day - firstDay]!,
  }
  const chain = chainSeries(blocks, replayed)
  const halvings = halvingDays(replayed, halvingInterval)
  const cohorts = listCohorts(
    { days: Int32Array.from(replayed.blocks, ({ day }) => day) },
    halvingInterval,
    firstDay + chainDays - 1,
  )
  const measured = measureSeries(
    replayed,
    cohorts.filter(({ kind }) => kind !== 'coins').map(({ id }) => id),
    halvings,
    prices,
  )
  const byKind = cohorts.filter(({ kind }) => kind === 'coins').map(({ id }) => id)
  const measuredByKind = kindSeries(replayed, byKind, prices)
  const measure = (name: string, cohort = 'all'): Values =>
    (byKind.includes(cohort) ? measuredByKind : measured)(name, cohort)
  return {
    replayed,
    cohorts,
    halvings: halvings.map((day) => day - firstDay),
    costs,
    measure,
    chain,
    spent: spentAgesAndFees(replayed),
    price: close,
    open: carried('open'),
    high: carried('high'),
    low: carried('low'),
    volume: series('volume'),
    supply: measure('supply'),
    age: rows.map((row) => row + 1),
    issued: times(running(chain.issuance), 1e-8),
  }
}

import { expect } from 'vitest'
import { blockFacts } from './block-facts.ts'
import { columnsOf, linesOf, publishedTable, rowsOf } from './published.ts'
import type { Replay, ReplayedBlock, ReplayedDay, ReplayedFlow } from './replay.ts'
import { replayedActivity } from './replayed-addresses.ts'

/** Compares published tables with a replay: integers exactly, amounts in USD to twelve digits. */

const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)

/**
 * Compares `blocks`, `address_days`, `flows`, `young_spends`, `kind_flows`, `created_kinds`, `days`
 * and `cohorts` of the current generation. `prices` are closes in USD by unix day.
 */
export async function expectReplayed(
  dataDir: string,
  replay: Replay,
  { halvingInterval, prices }: { halvingInterval: number; prices: ReadonlyMap<number, number> },
): Promise<void> {
  expect(await publishedBlocks(dataDir)).toEqual(replayedBlocks(replay))
  expect(await publishedFlows(dataDir)).toEqual(
    replay.closedDays.flatMap((day) => flowRows(day, (flow) => [flow.spent])),
  )
  expect(await publishedYoungSpends(dataDir)).toEqual(
    replay.closedDays.flatMap((day) => flowRows(day, ({ under1h, under24h }) => [under1h, under24h])),
  )
  expect(await publishedKinds(dataDir, 'kind_flows', 'date, created_date')).toEqual(
    replay.closedDays
      .flatMap(({ day, flows }) =>
        [...flows].flatMap(([created, { byKind }]) => kindRows([dateOf(day), dateOf(created)], byKind)),
      )
      .sort(),
  )
  expect(await publishedKinds(dataDir, 'created_kinds', 'date')).toEqual(
    replay.closedDays.flatMap(({ day, created }) => kindRows([dateOf(day)], created)).sort(),
  )
  expect(await publishedDays(dataDir)).toEqual(replayedDays(replay))
  await expectFacts(dataDir, replay)
  expect(await publishedActivity(dataDir)).toEqual(replayedActivity(replay))
  const publishedOf = await publishedCohorts(dataDir)
  const cohorts = cohortsOf(replay, halvingInterval).map((cohort) => ({ cohort, published: publishedOf(cohort.id) }))
  for (const { cohort, published } of cohorts) expect(published.rows, cohort.id).toBe(replay.closedDays.length)
  for (const [row, day] of replay.closedDays.entries()) {
    const coins = coinsOf(day, prices)
    for (const { cohort, published } of cohorts) {
      const { exact, usd } = cohortOn(day, coins, cohort, prices)
      const where = () => `${cohort.id} on ${dateOf(day.day)}`
      for (const [name, expected] of Object.entries(exact)) {
        const value = published.value(name, row)
        if (value !== expected) expect.fail(`${where()}, ${name}: ${value}, not ${expected}`)
      }
      for (const [name, expected] of Object.entries(usd)) {
        const value = published.value(name, row)
        const isRight =
          expected === null || value === null
            ? value === expected
            : Math.abs(value - expected) <= 1e-12 * Math.abs(expected)
        if (!isRight) expect.fail(`${where()}, ${name} in USD: ${value}, not ${expected}`)
      }
    }
  }
}

const publishedActivity = (dataDir: string) => rowsOf(`FROM ${publishedTable(dataDir, 'address_days')} ORDER BY ALL`)

const publishedBlocks = (dataDir: string): Promise<string[]> =>
  linesOf(
    `SELECT height, hash, epoch(time)::BIGINT, date, bits, size, weight, transactions, inputs, outputs, unspendable_outputs,
       unspendable_sats, coinbase_sats, fees_sats, issuance_sats, spent_sats, supply_sats
     FROM ${publishedTable(dataDir, 'blocks')}`,
  )

function replayedBlocks({ blocks }: Replay): string[] {
  let supply = 0
  return blocks.map((block) => {
    supply += block.coinbaseSats - block.feesSats - block.unspendableSats
    return [
      block.height,
      block.hash,
      block.time,
      dateOf(block.day),
      block.bits,
      block.size,
      block.weight,
      block.transactions,
      block.inputs,
      block.outputs,
      block.unspendableOutputs,
      block.unspendableSats,
      block.coinbaseSats,
      block.feesSats,
      block.coinbaseSats - block.feesSats,
      block.spentSats,
      supply,
    ].join()
  })
}

const publishedFlows = (dataDir: string): Promise<string[]> =>
  linesOf(
    `SELECT date, created_date, spent_sats, spent_outputs, spent_sat_seconds, spent_output_seconds
     FROM ${publishedTable(dataDir, 'flows')}`,
  )

const publishedYoungSpends = (dataDir: string): Promise<string[]> =>
  linesOf(
    `SELECT date, created_date,
       spent_sats_under_1h, spent_outputs_under_1h, spent_sat_seconds_under_1h, spent_output_seconds_under_1h,
       spent_sats_under_24h, spent_outputs_under_24h, spent_sat_seconds_under_24h, spent_output_seconds_under_24h
     FROM ${publishedTable(dataDir, 'young_spends')}`,
  )

/** Rows of the day's flows by creation day. */
function flowRows({ day, flows }: ReplayedDay, parts: (flow: ReplayedFlow) => ReplayedFlow['spent'][]): string[] {
  return [...flows]
    .sort(([a], [b]) => a - b)
    .flatMap(([created, flow]) => {
      const sums = parts(flow)
      if (sums.at(-1)?.outputs === 0) return []
      const amounts = sums.flatMap(({ sats, outputs, satSeconds, outputSeconds }) => [
        sats,
        outputs,
        satSeconds,
        outputSeconds,
      ])
      return [[dateOf(day), dateOf(created), ...amounts].join()]
    })
}

const publishedKinds = async (
  dataDir: string,
  table: 'kind_flows' | 'created_kinds',
  dates: string,
): Promise<string[]> => {
  const amounts = table === 'kind_flows' ? 'spent_sats, spent_outputs' : 'created_sats, created_outputs'
  const lines = await linesOf(
    `SELECT ${dates}, mined, script_type, min_sats, ${amounts} FROM ${publishedTable(dataDir, table)}
     JOIN ${publishedTable(dataDir, 'kinds')} USING (kind)`,
  )
  return lines.sort()
}

const kindRows = (dates: readonly string[], byKind: ReadonlyMap<string, { sats: number; outputs: number }>): string[] =>
  [...byKind].map(([kind, { sats, outputs }]) => [...dates, kind, sats, outputs].join())

const publishedDays = (dataDir: string): Promise<string[]> =>
  linesOf(
    `SELECT date, block_height, blocks_mined, transactions, inputs, outputs, issuance_sats, fees_sats, supply_sats, utxo_count
     FROM ${publishedTable(dataDir, 'days')}`,
  )

function replayedDays({ blocks, closedDays }: Replay): string[] {
  const blocksOf = Map.groupBy(blocks, (block) => block.day)
  let height = 0
  return closedDays.map(({ day, unspent }) => {
    const own = blocksOf.get(day) ?? []
    height = own.at(-1)?.height ?? height
    const sum = (amount: (block: (typeof own)[number]) => number): number =>
      own.reduce((total, block) => total + amount(block), 0)
    const left = [...unspent.values()]
    const row = [
      height,
      own.length,
      sum((block) => block.transactions),
      sum((block) => block.inputs),
      sum((block) => block.outputs),
      sum((block) => block.coinbaseSats - block.feesSats),
      sum((block) => block.feesSats),
      left.reduce((total, { sats }) => total + sats, 0),
      left.reduce((total, { outputs }) => total + outputs, 0),
    ]
    return [dateOf(day), ...row].join()
  })
}

/**
 * Compares what comes from single transactions: in blocks exactly, quantiles of days within a bin
 * of a histogram.
 */
async function expectFacts(dataDir: string, { blocks, closedDays }: Replay): Promise<void> {
  const facts = new Map<ReplayedBlock, ReturnType<typeof blockFacts>>(
    blocks.map((block) => [block, blockFacts(block.block, block.spent)]),
  )
  const names = Object.keys(facts.get(blocks[0]!)!.facts)
  const found = await columnsOf(`SELECT ${names.join(', ')} FROM ${publishedTable(dataDir, 'blocks')} ORDER BY height`)
  expect(found).toEqual(names.map((name) => blocks.map((block) => facts.get(block)!.facts[name])))

  const sums = names.filter((name) => !name.startsWith('fee_rate_'))
  const shares = { p10: 0.1, p25: 0.25, median: 0.5, p75: 0.75, p90: 0.9 }
  const quantiles = ['fee', 'fee_rate', 'created_value', 'spent_value', 'transfer_value']
  const columns = quantiles.flatMap((what) =>
    Object.keys(shares).map((share) => (what === 'fee' && share === 'median' ? 'median_fee' : `${what}_${share}`)),
  )
  const rows = await rowsOf(
    `SELECT empty_blocks, max_block_interval, ${sums.join(', ')}, ${columns.join(', ')}
     FROM ${publishedTable(dataDir, 'days')} ORDER BY date`,
  )
  expect(rows.length).toBe(closedDays.length)
  for (const [row, { day }] of closedDays.entries()) {
    const own = blocks.filter((block) => block.day === day)
    const ofDay = own.map((block) => facts.get(block)!)
    const intervals = own.filter(({ height }) => height > 0).map(({ height, time }) => time - blocks[height - 1]!.time)
    const exact = [
      own.filter(({ transactions }) => transactions === 1).length,
      intervals.length > 0 ? Math.max(...intervals) : null,
      ...sums.map((name) => ofDay.reduce((total, { facts }) => total + (facts[name] ?? 0), 0)),
    ]
    const values = rows[row]!.map((value) => (value === null ? null : Number(value)))
    expect(values.slice(0, exact.length), dateOf(day)).toEqual(exact)
    const sorted = [
      own.flatMap(({ fees }) => fees),
      ofDay.flatMap(({ rates }) => rates),
      own.flatMap((block) => (block.height === 0 ? [] : facts.get(block)!.created)),
      ofDay.flatMap(({ spentValues }) => spentValues),
      ofDay.flatMap(({ transfers }) => transfers),
    ].map((list) => list.toSorted((a, b) => a - b))
    const expected = sorted.flatMap((list, what) =>
      Object.values(shares).map((share) => ({
        at: list[Math.ceil(share * list.length) - 1],
        unit: what === 1 ? 1e3 : 1e8,
      })),
    )
    for (const [i, { at, unit }] of expected.entries()) {
      const value = values[exact.length + i]!
      const isRight = at === undefined ? value === null : value !== null && Math.abs(value * unit - at) <= (at + 1) / 32
      if (!isRight) expect.fail(`${columns[i]} on ${dateOf(day)}: ${value}, not ${at}`)
    }
  }
}

interface ReplayedCohort {
  readonly id: string
  /** Checks if the coins of a creation day belong to the cohort on a day. */
  readonly has: (created: number, day: number) => boolean
  /** Set if seconds decide, because a coin of the day before may be younger than a day. */
  readonly byAge: boolean
}

/** Age range in days. */
const bands: readonly (readonly [id: string, lower: number, upper: number])[] = [
  ['24h', 0, 1],
  ['1d_1w', 1, 7],
  ['1w_1m', 7, 30],
  ['1m_3m', 30, 90],
  ['3m_6m', 90, 180],
  ['6m_12m', 180, 365],
  ['1y_2y', 365, 730],
  ['2y_3y', 730, 1095],
  ['3y_5y', 1095, 1825],
  ['5y_7y', 1825, 2555],
  ['7y_10y', 2555, 3650],
  ['10y_plus', 3650, 1e9],
  ['sth', 0, 155],
  ['lth', 155, 1e9],
  ['over_1d', 1, 1e9],
  ['under_1y', 0, 365],
  ['over_1y', 365, 1e9],
]

function cohortsOf({ blocks, closedDays }: Replay, halvingInterval: number): ReplayedCohort[] {
  const days = closedDays.map(({ day }) => day)
  const years = new Set(days.map((day) => new Date(day * 86_400_000).getUTCFullYear()))
  const newYear = (year: number): number => Date.UTC(year, 0, 1) / 86_400_000
  const halvings = blocks.filter(({ height }) => height % halvingInterval === 0).map(({ day }) => day)
  const begun = halvings.filter((day) => day <= days.at(-1)!)
  return [
    { id: 'all', has: () => true, byAge: false },
    ...bands.map(([id, lower, upper]): ReplayedCohort => {
      return { id, byAge: true, has: (created, day) => day - created >= lower && day - created < upper }
    }),
    ...[...years].map((year) => createdFrom(`y${year}`, newYear(year), newYear(year + 1))),
    ...begun.map((from, i) => createdFrom(`epoch_${i + 1}`, from, halvings[i + 1] ?? Number.POSITIVE_INFINITY)),
  ]
}

const createdFrom = (id: string, from: number, to: number): ReplayedCohort => {
  return { id, byAge: false, has: (created) => created >= from && created < to }
}

/** Columns of `cohorts`; all satoshi amounts are exact as numbers. */
const cohortColumns = {
  day: `date - DATE '1970-01-01'`,
  sats: 'supply_sats',
  outputs: 'utxo_count',
  spentSats: 'round(spent_volume * 1e8)::BIGINT',
  spentOutputs: 'spent_outputs',
  coinDays: 'coindays_destroyed',
  realizedCap: 'realized_cap',
  unrealizedProfit: 'unrealized_profit',
  unrealizedLoss: 'unrealized_loss',
  realizedProfit: 'realized_profit',
  realizedLoss: 'realized_loss',
}

interface PublishedCohort {
  readonly rows: number
  /** Index of the row's day. */
  readonly value: (name: string, row: number) => number | null
}

/** Rows of each cohort; none for unpublished ones. */
async function publishedCohorts(dataDir: string): Promise<(id: string) => PublishedCohort> {
  const table = publishedTable(dataDir, 'cohorts')
  const columns = await columnsOf(`SELECT ${Object.values(cohortColumns).join()} FROM ${table} ORDER BY cohort, date`)
  const byName = new Map(Object.keys(cohortColumns).map((name, i) => [name, columns[i]!]))
  const firstRows = new Map<string, { first: number; rows: number }>()
  let first = 0
  for (const [cohort, count] of await rowsOf(`SELECT cohort, count(*) FROM ${table} GROUP BY ALL ORDER BY cohort`)) {
    firstRows.set(cohort!, { first, rows: Number(count) })
    first += Number(count)
  }
  return (id) => {
    const { first, rows } = firstRows.get(id) ?? { first: 0, rows: 0 }
    return { rows, value: (name, row) => byName.get(name)![first + row]! }
  }
}

interface UnspentCoins {
  readonly created: number
  readonly sats: number
  readonly outputs: number
  readonly cap: number
  readonly profit: number
  readonly loss: number
}

/** Unspent coins of each creation day at the end of a day, and their value. */
function coinsOf({ day, unspent }: ReplayedDay, prices: ReadonlyMap<number, number>): UnspentCoins[] {
  const worth = prices.get(day) ?? 0
  return [...unspent].map(([created, { sats, outputs }]) => {
    const cost = prices.get(created) ?? 0
    const profit = sats * Math.max(worth - cost, 0)
    return { created, sats, outputs, cap: sats * cost, profit, loss: sats * Math.max(cost - worth, 0) }
  })
}

/** The expected holdings and spends of a cohort on a day, by definition. */
function cohortOn(
  { day, flows }: ReplayedDay,
  coins: readonly UnspentCoins[],
  cohort: ReplayedCohort,
  prices: ReadonlyMap<number, number>,
) {
  const price = prices.get(day)
  const worth = price ?? 0
  let [sats, outputs, cap, profit, loss] = [0, 0, 0, 0, 0]
  for (const left of coins) {
    if (!cohort.has(left.created, day)) continue
    sats += left.sats
    outputs += left.outputs
    cap += left.cap
    profit += left.profit
    loss += left.loss
  }
  let [spentSats, spentOutputs, satSeconds, gained, lost] = [0, 0, 0n, 0, 0]
  for (const [created, part] of flows) {
    const spent = spentOf(part, created, day, cohort)
    const cost = prices.get(created) ?? 0
    spentSats += spent.sats
    spentOutputs += spent.outputs
    satSeconds += spent.satSeconds
    gained += spent.sats * Math.max(worth - cost, 0)
    lost += spent.sats * Math.max(cost - worth, 0)
  }
  const coinDays = Number(satSeconds) / (1e8 * 86_400)
  const usd = (value: number): number | null => (price === undefined ? null : value / 1e8)
  return {
    exact: { day, sats, outputs, spentSats, spentOutputs, coinDays },
    usd: {
      realizedCap: usd(cap),
      unrealizedProfit: usd(profit),
      unrealizedLoss: usd(loss),
      realizedProfit: usd(gained),
      realizedLoss: usd(lost),
    },
  }
}

/**
 * The part of a day's spends that belonged to the cohort when spent; yesterday's coins may be of
 * either age.
 */
function spentOf(flow: ReplayedFlow, created: number, day: number, cohort: ReplayedCohort): ReplayedFlow['spent'] {
  const { spent, under24h } = flow
  if (!cohort.byAge || created !== day - 1) return cohort.has(created, day) ? spent : none
  const [asToday, asYesterday] = [cohort.has(day, day), cohort.has(day - 1, day)]
  if (asToday && asYesterday) return spent
  if (asToday) return under24h
  if (!asYesterday) return none
  return {
    sats: spent.sats - under24h.sats,
    outputs: spent.outputs - under24h.outputs,
    satSeconds: spent.satSeconds - under24h.satSeconds,
    outputSeconds: spent.outputSeconds - under24h.outputSeconds,
  }
}

const none = { sats: 0, outputs: 0, satSeconds: 0n, outputSeconds: 0 }

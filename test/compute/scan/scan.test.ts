import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limb } from '#compute/scan/limbs.ts'
import { toBin } from '#compute/scan/log-histogram.ts'
import {
  createdValueHistogram,
  feeHistogram,
  feeRateHistogram,
  Scan,
  type ScanResult,
  spentAgeHistogram,
  spentValueHistogram,
  transferHistogram,
} from '#compute/scan/scan.ts'
import { scriptTypes, toKind } from '#contract/kinds.ts'
import { networks } from '#ingest/chain/networks.ts'
import { sizeOf } from '#ingest/chain/output-kind.ts'
import { decoded, type TestBlock, type TestTransaction } from '#test/support/decoded-blocks.ts'

const day = 86_400
const hour = 3600
const firstDay = 14_247
const { regtest } = networks
const subsidy = 50e8

/** Scans blocks made at these times (seconds since the first midnight), from height 0 on. */
function scanBlocks(times: readonly number[], blocks: readonly TestBlock[]): ScanResult {
  const scan = new Scan(regtest, {
    times: Uint32Array.from(times, (time) => firstDay * day + time),
    days: Int32Array.from(times, (time) => firstDay + Math.floor(time / day)),
  })
  for (const [height, block] of blocks.entries()) scan.addBlock(height, decoded(block))
  return scan.finish()
}

/** The rows of a table of columns. */
function toRows(table: Readonly<Record<string, Float64Array>>): Array<Record<string, number>> {
  const [first] = Object.values(table)
  return Array.from({ length: first?.length ?? 0 }, (_, row) =>
    Object.fromEntries(Object.entries(table).map(([name, column]) => [name, column[row] ?? Number.NaN])),
  )
}

const empty: TestBlock = { coinbase: subsidy, transactions: [] }
const spending = (paysOut: number, ...spends: TestTransaction['spends']): TestTransaction => ({ spends, paysOut })

describe('a scan', () => {
  it('adds up spends by day of spending and of creation, as worked out by hand', () => {
    const {
      flows,
      young_spends: young,
      young_kinds: youngKinds,
      blocks,
      histograms,
    } = scanBlocks(
      [0, 1000, day - 600, day + 600, day + 4200],
      [
        empty,
        empty,
        empty,
        // 10 sat for the miner, of an output of the block itself and of one 20 minutes old.
        { coinbase: subsidy + 10, transactions: [spending(490, [3, 100], [2, 400])] },
        // One of 80 minutes, and one that is 23 h 53 min 20 s + 1,800 s old: older than a day.
        { coinbase: subsidy, transactions: [spending(700, [2, 700]), spending(5, [1, 5])] },
      ],
    )
    const ages = { old: day + 4200 - 1000, middle: 4800, young: 1200 }
    expect(toRows(flows)).toEqual([
      {
        day: firstDay + 1,
        created_day: firstDay,
        spent_sats_low: 400 + 700 + 5,
        spent_sats_high: 0,
        spent_outputs: 3,
        sat_seconds_low: 400 * ages.young + 700 * ages.middle + 5 * ages.old,
        sat_seconds_high: 0,
        output_seconds: ages.young + ages.middle + ages.old,
      },
      {
        day: firstDay + 1,
        created_day: firstDay + 1,
        spent_sats_low: 100,
        spent_sats_high: 0,
        spent_outputs: 1,
        sat_seconds_low: 0,
        sat_seconds_high: 0,
        output_seconds: 0,
      },
    ])
    const midnight = 24 * firstDay
    expect(toRows(young)).toMatchObject([
      { hour: midnight + 24, created_hour: midnight + 23, spent_sats_low: 400, spent_sats_low_under_1h: 400 },
      { hour: midnight + 24, created_hour: midnight + 24, spent_sats_low: 100, spent_sats_low_under_1h: 100 },
      {
        hour: midnight + 25,
        created_hour: midnight,
        spent_sats_low: 5,
        spent_sats_low_under_24h: 0,
        spent_outputs_under_24h: 0,
      },
      {
        hour: midnight + 25,
        created_hour: midnight + 23,
        spent_sats_low: 700,
        spent_sats_low_under_1h: 0,
        spent_sats_low_under_24h: 700,
        spent_outputs_under_24h: 1,
        output_seconds_under_24h: ages.middle,
      },
    ])
    expect(toRows(youngKinds)).toEqual([
      { hour: midnight + 24, recency: 0, kind: kindOf(400), spent_sats: 400 },
      { hour: midnight + 24, recency: 2, kind: kindOf(100), spent_sats: 100 },
      { hour: midnight + 25, recency: 0, kind: kindOf(5), spent_sats: 705 },
    ])
    expect(toRows(blocks).map(({ fees_sats, spent_sats_low, inputs }) => [fees_sats, spent_sats_low, inputs])).toEqual([
      ...[
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ],
      [10, 500, 2],
      [0, 705, 2],
    ])
    const rowsOf = (kind: number, values: readonly number[]) =>
      [
        ...Map.groupBy(
          values.toSorted((a, b) => a - b),
          toBin,
        ),
      ].map(([bin, { length: count }]) => ({ kind, bin, count }))
    expect(toRows(histograms).filter(({ day }) => day === firstDay)).toMatchObject(
      rowsOf(createdValueHistogram, [subsidy, subsidy]),
    )
    expect(toRows(histograms).filter(({ day }) => day !== firstDay)).toEqual([
      { day: firstDay + 1, kind: spentAgeHistogram, bin: toBin(ages.middle), count: 1 },
      { day: firstDay + 1, kind: spentAgeHistogram, bin: toBin(ages.old), count: 1 },
      { day: firstDay + 1, kind: feeHistogram, bin: toBin(0), count: 2 },
      { day: firstDay + 1, kind: feeHistogram, bin: toBin(10), count: 1 },
      ...[
        // 100 virtual bytes each, so 0.1 satoshis for each of the one that pays 10.
        ...rowsOf(feeRateHistogram, [0, 0, 100]),
        ...rowsOf(createdValueHistogram, [490, 700, 5, subsidy, subsidy + 10]),
        ...rowsOf(spentValueHistogram, [100, 400, 700, 5]),
        ...rowsOf(transferHistogram, [490, 700, 5]),
      ].map((row) => ({ day: firstDay + 1, ...row })),
    ])
  })

  it('takes the coinbase of the first block as one that can never be spent', () => {
    const rows = toRows(scanBlocks([0, 10], [empty, empty]).blocks)
    expect(rows.map(({ unspendable_sats, unspendable_outputs }) => [unspendable_sats, unspendable_outputs])).toEqual([
      [subsidy, 1],
      [0, 0],
    ])
  })

  it('gives what exact arithmetic gives, for any blocks', () => {
    const scene = fc.array(
      fc.record({
        gap: fc.oneof(fc.constant(0), fc.nat(2 * hour), fc.nat(3 * day)),
        transactions: fc.array(
          fc.record({
            // Often the same coin again and again, more than doubles hold.
            spends: fc.array(fc.tuple(fc.nat(), fc.oneof(fc.nat(2e13), fc.constant(2.1e15))), {
              minLength: 1,
              maxLength: 4,
            }),
            fee: fc.nat(),
          }),
          { maxLength: 4 },
        ),
      }),
      { minLength: 1, maxLength: 30 },
    )
    fc.assert(
      fc.property(scene, (steps) => {
        const times: number[] = []
        const blocks = steps.map(({ gap, transactions }, height): TestBlock => {
          times.push((times.at(-1) ?? 0) + gap)
          return {
            coinbase: 0,
            transactions: transactions.map(({ spends, fee }) => {
              const total = spends.reduce((sum, [, sats]) => sum + sats, 0)
              return {
                spends: spends.map(([at, sats]) => [at % (height + 1), sats] as const),
                // No transaction can pay out more than all coins.
                paysOut: Math.min(2.1e15, total - (fee % (total + 1))),
              }
            }),
          }
        })
        const tables = scanBlocks(times, blocks)
        const { flows, young_spends: young, blocks: blockRows, histograms } = tables
        expect(readFlows(flows)).toEqual(exactFlows(times, blocks))
        expect(exactYoungSpends(young)).toEqual(exactYoung(times, blocks))
        expect(sumKinds(tables.young_kinds, 'hour', 'recency')).toEqual(exactYoungKinds(times, blocks))
        expect(sumKinds(tables.kind_flows, 'day', 'created_day')).toEqual(exactKindFlows(times, blocks))
        expect(toRows(blockRows).map((row) => joined(row, 'spent_sats'))).toEqual(blocks.map(spentBy))
        expect(toRows(blockRows).map((row) => joined(row, 'adjusted_sats'))).toEqual(blocks.map(paidBy))
        expect(toRows(histograms)).toEqual(exactHistograms(times, blocks))
      }),
      { numRuns: 200, endOnFailure: true },
    )
  })

  it.each([
    ['claims more than subsidy and fees', { coinbase: subsidy + 1, transactions: [] }, /claims 5000000001 satoshis/],
    [
      'claims more than fees allow',
      { coinbase: subsidy + 6, transactions: [spending(5, [0, 10])] },
      /claims 5000000006 satoshis; subsidy and fees are 5000000005/,
    ],
    [
      'pays out more than it takes in',
      { coinbase: 0, transactions: [spending(11, [0, 10])] },
      /pays out 1 satoshis more/,
    ],
    ['spends of a later block', { coinbase: 0, transactions: [spending(1, [2, 10])] }, /spends an output of block 2/],
  ])('refuses a block that %s, and names its height', (_, block, complaint) => {
    const error = expect.objectContaining({ code: 'block_corrupt', message: expect.stringMatching(complaint) })
    expect(() => scanBlocks([0, 10, 20], [empty, block])).toThrow(error)
    expect(() => scanBlocks([0, 10, 20], [empty, block])).toThrow(/block 1 /)
  })
})

interface ExactFlow {
  sats: bigint
  outputs: bigint
  satSeconds: bigint
  seconds: bigint
}

/** A sum of two limbs. */
const joined = (row: Readonly<Record<string, number>>, name: string): bigint =>
  BigInt(row[`${name}_low`] ?? Number.NaN) + BigInt(row[`${name}_high`] ?? Number.NaN) * BigInt(limb)

const spentBy = ({ transactions }: TestBlock): bigint =>
  transactions.flatMap(({ spends }) => spends).reduce((sum, [, sats]) => sum + BigInt(sats), 0n)

const paidBy = ({ transactions }: TestBlock): bigint =>
  transactions.reduce((sum, { paysOut }) => sum + BigInt(paysOut), 0n)

function readFlows(flows: ScanResult['flows']): Map<string, ExactFlow> {
  return new Map(
    toRows(flows).map((row) => {
      const value = (name: string): bigint => BigInt(row[name] ?? Number.NaN)
      const flow = {
        sats: joined(row, 'spent_sats'),
        outputs: value('spent_outputs'),
        satSeconds: joined(row, 'sat_seconds'),
        seconds: value('output_seconds'),
      }
      return [`${row.day} ${row.created_day}`, flow]
    }),
  )
}

const youngParts = ['spent_sats', 'spent_sats_under_1h', 'spent_sats_under_24h'] as const

/**
 * Satoshis by hours of spending and of creation: all, those younger than an hour, and than 24
 * hours.
 */
function exactYoungSpends(young: ScanResult['young_spends']): Map<string, bigint[]> {
  return new Map(
    toRows(young).map((row) => [
      `${row.hour} ${row.created_hour}`,
      youngParts.map((name) => {
        const [low, high] = ['low', 'high'].map((part) => row[name.replace('sats', `sats_${part}`)] ?? Number.NaN)
        return BigInt(low ?? Number.NaN) + BigInt(high ?? Number.NaN) * BigInt(limb)
      }),
    ]),
  )
}

/** Satoshis by two columns and kind; a row may be split into parts. */
function sumKinds(rows: Readonly<Record<string, Float64Array>>, one: string, other: string): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const row of toRows(rows)) {
    const key = `${row[one]} ${row[other]} ${row.kind}`
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(row.spent_sats ?? Number.NaN))
  }
  return sums
}

const kindOf = (sats: number): number => toKind(scriptTypes.indexOf('p2pkh'), sizeOf(sats), 0)

type SpendKey = (now: number, created: number) => string | undefined

function exactKinds(times: readonly number[], blocks: readonly TestBlock[], keyOf: SpendKey): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const [height, { transactions }] of blocks.entries()) {
    for (const [from, sats] of transactions.flatMap(({ spends }) => spends)) {
      const of = keyOf(times[height] ?? Number.NaN, times[from] ?? Number.NaN)
      if (of === undefined) continue
      const key = `${of} ${kindOf(sats)}`
      sums.set(key, (sums.get(key) ?? 0n) + BigInt(sats))
    }
  }
  return sums
}

const exactKindFlows = (times: readonly number[], blocks: readonly TestBlock[]) =>
  exactKinds(times, blocks, (now, created) => `${dayAt(now)} ${dayAt(created)}`)

const exactYoungKinds = (times: readonly number[], blocks: readonly TestBlock[]) =>
  exactKinds(times, blocks, (now, created) => {
    if (dayAt(now) - dayAt(created) > 1) return undefined
    const hours = Math.floor(now / hour) - Math.floor(created / hour)
    const recency = dayAt(now) > dayAt(created) ? 0 : hours > 0 ? 1 : 2
    return `${24 * firstDay + Math.floor(now / hour)} ${recency}`
  })

function exactYoung(times: readonly number[], blocks: readonly TestBlock[]): Map<string, bigint[]> {
  const young = new Map<string, bigint[]>()
  const hourAt = (time: number): number => 24 * firstDay + Math.floor(time / hour)
  for (const [height, { transactions }] of blocks.entries()) {
    for (const [from, sats] of transactions.flatMap(({ spends }) => spends)) {
      const [now = 0, created = 0] = [times[height], times[from]]
      if (dayAt(now) - dayAt(created) > 1) continue
      const key = `${hourAt(now)} ${hourAt(created)}`
      const sums = young.get(key) ?? [0n, 0n, 0n]
      const counts = [true, now - created < hour, now - created < day]
      young.set(
        key,
        sums.map((sum, i) => sum + (counts[i] ? BigInt(sats) : 0n)),
      )
    }
  }
  return young
}

const dayAt = (time: number): number => firstDay + Math.floor(time / day)

function exactFlows(times: readonly number[], blocks: readonly TestBlock[]): Map<string, ExactFlow> {
  const flows = new Map<string, ExactFlow>()
  for (const [height, { transactions }] of blocks.entries()) {
    for (const [from, sats] of transactions.flatMap(({ spends }) => spends)) {
      const [now = 0, created = 0] = [times[height], times[from]]
      const key = `${dayAt(now)} ${dayAt(created)}`
      const flow = flows.get(key) ?? { sats: 0n, outputs: 0n, satSeconds: 0n, seconds: 0n }
      flow.sats += BigInt(sats)
      flow.outputs += 1n
      flow.satSeconds += BigInt(sats) * BigInt(now - created)
      flow.seconds += BigInt(now - created)
      flows.set(key, flow)
    }
  }
  return flows
}

function exactHistograms(times: readonly number[], blocks: readonly TestBlock[]): Array<Record<string, number>> {
  const values = blocks.flatMap(({ coinbase, transactions }, height) => {
    const now = times[height] ?? 0
    const on = dayAt(now)
    const created = height === 0 ? [] : [coinbase, ...transactions.map(({ paysOut }) => paysOut)]
    const spending = transactions.flatMap(({ spends, paysOut }) => {
      const ages = spends.map(([from]) => now - (times[from] ?? 0)).filter((age) => age >= hour)
      const fee = spends.reduce((sum, [, sats]) => sum + sats, 0) - paysOut
      return [
        ...ages.map((age) => ({ day: on, kind: spentAgeHistogram, bin: toBin(age) })),
        { day: on, kind: feeHistogram, bin: toBin(fee) },
        { day: on, kind: feeRateHistogram, bin: toBin(Math.min(2 ** 53, 10 * fee)) },
        ...spends.map(([, sats]) => ({ day: on, kind: spentValueHistogram, bin: toBin(sats) })),
        { day: on, kind: transferHistogram, bin: toBin(paysOut) },
      ]
    })
    return [...created.map((sats) => ({ day: on, kind: createdValueHistogram, bin: toBin(sats) })), ...spending]
  })
  return [...Map.groupBy(values, (value) => JSON.stringify(value)).values()]
    .map((same) => ({ day: 0, kind: 0, bin: 0, ...same[0], count: same.length }))
    .sort((a, b) => a.day - b.day || a.kind - b.kind || a.bin - b.bin)
}

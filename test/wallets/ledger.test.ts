import { describe, expect, test } from 'vitest'
import { satsPerCoin } from '#base/bitcoin.ts'
import { secondsPerDay } from '#base/days.ts'
import { costMethods } from '#contract/wallets.ts'
import { Random } from '#test/support/random.ts'
import type { WalletTransaction } from '#wallets/find-transactions.ts'
import { computeLedger, type Ledger } from '#wallets/ledger.ts'
import { firstInFirstOut, handWorked } from './hand-worked-ledger.ts'

const toSats = (coins: number): number => Math.round(coins * satsPerCoin)

const handTransactions = (): WalletTransaction[] => {
  const outpoints = new Map<string, string>()
  return handWorked.map(({ in: spent = [], out = {}, fee = 0, mined = false }, day) => {
    const txid = `t${day}`
    const inputs = spent.map((name) => outpoints.get(name)!)
    for (const [vout, name] of Object.keys(out).entries()) outpoints.set(name, `${txid}:${vout}`)
    return {
      ...{ txid, height: day, time: day * secondsPerDay + 3_600, fee_sats: toSats(fee) },
      is_coinbase: mined,
      spent: inputs,
      created: Object.values(out).map((coins, vout) => ({ vout, sats: toSats(coins) })),
    }
  })
}

const priceAt = (time: number): number => handWorked[Math.floor(time / secondsPerDay)]!.price
const paid = new Map(handWorked.flatMap(({ paid: price }, day) => (price === undefined ? [] : [[`t${day}`, price]])))
const hand = { transactions: handTransactions(), priceAt, closeOn: (day: number) => handWorked[day]!.price, paid }
const lastDay = handWorked.length - 1

describe('a ledger of 42 events, worked by hand', () => {
  const ledger = computeLedger({ ...hand, method: 'output', lastDay })

  test.each(handWorked.map((event, day) => ({ day, ...event })))('day $day', ({ day, held, cost, realized, chain }) => {
    const row = ledger.days[day]!
    expect(row.day).toBe(day)
    expect(row.balance_sats).toBe(toSats(held))
    expect(row.cost_usd).toBeCloseTo(cost, 9)
    expect(row.realized_profit_usd).toBeCloseTo(realized, 9)
    expect(row.chain_cost_usd).toBeCloseTo(chain, 9)
    expect(row.value_usd).toBeCloseTo(held * handWorked[day]!.price, 9)
  })

  test('coins keep their dates', () => {
    // Day 5: 1 BTC of day 1, created on day 5; days end at midnight.
    expect(ledger.days[5]).toMatchObject({ age_days: 5 - 1 + 1 - 1 / 24, chain_age_days: 1 - 1 / 24 })
    // Day 22: 0.4 + 1.5 − 0.5 = 0.4 of day 17 and 1 of day 18.
    const acquired = 0.4 * 17 + 18
    expect(ledger.days[22]!.age_days).toBeCloseTo(23 - 1 / 24 - acquired / 1.4, 9)
  })

  test('acquisitions and disposals add up to what is held', () => {
    const total = (rows: readonly { readonly amount_sats: number }[]) =>
      rows.reduce((sum, row) => sum + row.amount_sats, 0)
    expect(total(ledger.receipts) - total(ledger.disposals)).toBe(0)
    expect(ledger.receipts.filter(({ kind }) => kind === 'mined')).toHaveLength(2)
    expect(ledger.disposals.filter(({ kind, proceeds_usd }) => kind === 'fee' && proceeds_usd !== 0)).toEqual([])
  })

  test('the oldest coins of the wallet leave first', () => {
    const { days } = computeLedger({ ...hand, method: 'fifo', lastDay })
    for (const [day, [cost, realized]] of firstInFirstOut.entries()) {
      expect(days[day]!.cost_usd).toBeCloseTo(cost, 9)
      expect(days[day]!.realized_profit_usd).toBeCloseTo(realized, 9)
    }
    // Day 19: q is spent, but 0.4 at 600 and 0.1 at 1000 leave: 650 − 240 − 100. Day 11 has 4.5 at 800 less 0.5.
    const before = days[18]!
    expect(days[19]!.realized_profit_usd - before.realized_profit_usd).toBeCloseTo(
      0.5 * 1300 - before.cost_usd + days[19]!.cost_usd,
      9,
    )
    expect(days.at(-1)).toMatchObject({ balance_sats: 0, cost_usd: 0 })
  })
})

/** One satoshi, followed by itself. */
interface Sat {
  readonly time: number
  readonly price: number
  readonly born: number
}

/** Replays satoshi by satoshi, with nothing of the ledger. */
function replay(transactions: readonly WalletTransaction[], priceOf: (time: number) => number, method: string) {
  const outputs = new Map<string, Sat[]>()
  const all: Sat[] = []
  let [born, profit] = [0, 0]
  for (const { txid, time, fee_sats, spent, created } of transactions) {
    const sats = spent.flatMap((outpoint) => outputs.get(outpoint)!)
    for (const outpoint of spent) outputs.delete(outpoint)
    const wanted = created.reduce((sum, each) => sum + each.sats, 0)
    const order = (one: Sat, other: Sat): number => one.time - other.time || one.born - other.born
    const lost = Math.max(0, sats.length - wanted)
    const fee = Math.min(fee_sats, lost)
    const pool = method === 'fifo' ? [...all].sort(order) : [...sats].sort(order)
    const leaving = pool.slice(0, lost)
    for (const [i, sat] of leaving.entries()) {
      profit += (i < lost - fee ? priceOf(time) : 0) - sat.price
      all.splice(all.indexOf(sat), 1)
    }
    const rest = method === 'fifo' ? sats.slice(lost) : pool.slice(lost)
    while (rest.length < wanted) {
      const sat = { time, price: priceOf(time), born: born++ }
      rest.push(sat)
      all.push(sat)
    }
    for (const { vout, sats: count } of created) outputs.set(`${txid}:${vout}`, rest.splice(0, count))
  }
  return { count: all.length, cost: all.reduce((sum, { price }) => sum + price, 0), profit, all }
}

function randomTransactions(random: Random): WalletTransaction[] {
  const own = new Map<string, number>()
  return Array.from({ length: random.between(1, 30) }, (_, i) => {
    // In the order of ids, which is that of independent transactions of a block.
    const txid = `t${100 + i}`
    const names = [...own.keys()]
    const spent = names.filter(() => random.next() < 0.3)
    const before = spent.reduce((sum, name) => sum + own.get(name)!, 0)
    for (const name of spent) own.delete(name)
    const created = Array.from({ length: random.between(spent.length > 0 ? 0 : 1, 3) }, (__, vout) => ({
      vout,
      sats: random.next() < 0.1 ? 0 : random.between(1, 20),
    }))
    // A move, often with change, or whatever comes.
    if (random.next() < 0.4 && created[0]) created[0] = { vout: 0, sats: before }
    for (const { vout, sats } of created) own.set(`${txid}:${vout}`, sats)
    const time = 1_000_000 + Math.floor(i / 2) * 40_000
    return {
      ...{ txid, height: Math.floor(i / 3), time, fee_sats: random.between(0, 4) },
      ...{ is_coinbase: false, spent, created },
    }
  })
}

test.each(costMethods)('1,000 random wallets, satoshi by satoshi (%s)', (method) => {
  const random = new Random(64)
  // Whole USD per satoshi, so that sums of either side are exact.
  const priceOf = (time: number): number => 1 + ((time / 40_000) % 7) * 3
  let moves = 0
  for (let trial = 0; trial < 1_000; trial++) {
    const transactions = randomTransactions(random)
    const expected = replay(transactions, priceOf, method)
    const ledger: Ledger = computeLedger({
      ...{ transactions, method, paid: new Map(), lastDay: 0, closeOn: () => 0 },
      priceAt: (time) => priceOf(time) * satsPerCoin,
    })
    const { lots, disposals } = ledger
    moves += transactions.length - new Set([...disposals, ...ledger.receipts].map(({ txid }) => txid)).size
    expect(lots.reduce((sum, { sats }) => sum + sats, 0)).toBe(expected.count)
    expect(lots.reduce((sum, { sats, price }) => sum + (sats * price) / satsPerCoin, 0)).toBeCloseTo(expected.cost, 6)
    expect(disposals.reduce((sum, row) => sum + row.proceeds_usd - row.cost_usd, 0)).toBeCloseTo(expected.profit, 6)
    const times = (sats: readonly { readonly time: number }[]) => sats.map(({ time }) => time).sort((a, b) => a - b)
    const held = lots.flatMap(({ sats, time }) => Array.from({ length: sats }, () => ({ time })))
    expect(times(held)).toEqual(times(expected.all))
  }
  expect(moves).toBeGreaterThan(1_000)
})

test('within a block, outputs are spent after they are created, whatever their order by id', () => {
  const transactions: WalletTransaction[] = [
    {
      txid: 'a',
      height: 1,
      time: 0,
      fee_sats: 0,
      is_coinbase: false,
      spent: ['b:0'],
      created: [{ vout: 0, sats: 5 }],
    },
    {
      txid: 'b',
      height: 1,
      time: 0,
      fee_sats: 0,
      is_coinbase: false,
      spent: ['c:0'],
      created: [{ vout: 0, sats: 5 }],
    },
    {
      txid: 'c',
      height: 1,
      time: 0,
      fee_sats: 0,
      is_coinbase: false,
      spent: [],
      created: [{ vout: 0, sats: 5 }],
    },
  ]
  const { coins } = computeLedger({ ...hand, transactions, method: 'output', lastDay: 0 })
  expect(coins.map(({ outpoint }) => outpoint)).toEqual(['a:0'])
})

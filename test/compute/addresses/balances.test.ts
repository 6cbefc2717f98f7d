import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { balanceMeasures } from '#contract/balance-measures.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { columnsOf, publishedTable, rowsOf } from '#test/support/published.ts'
import { replay } from '#test/support/replay.ts'
import { replayedBalances } from '#test/support/replayed-addresses.ts'
import {
  balancesOfAll,
  blockCount,
  chain,
  close,
  keyedCount,
  makeKeyedChain,
  publish,
} from './support/balances-chain.ts'

const folder = temporaryFolder('balances')
afterAll(() => rmSync(folder, { recursive: true }))

describe('balances of all addresses', () => {
  it('equal a replay of every output, for every measure and day', async () => {
    const dataDir = await balancesOfAll()
    const replayed = replay(chain.slice(0, blockCount + 1).map(({ block }) => block))
    const expected = replayedBalances(replayed, close, (day) => close(day) ?? 0)
    const names = await rowsOf(
      `SELECT DISTINCT measure FROM ${publishedTable(dataDir, 'address_balances')} ORDER BY ALL`,
    )
    expect(names.length).toBeGreaterThan(60)
    const seen = new Set<string>()
    for (const [name] of names) {
      const [values, low, high] = await columnsOf(
        `SELECT value, low, high FROM ${publishedTable(dataDir, 'address_balances')} WHERE measure = '${name}' ORDER BY date`,
      )
      expect(values).toHaveLength(expected.length)
      expect(low).toEqual(values)
      expect(high).toEqual(values)
      // Some are read from a histogram; see `distribution.test.ts`.
      const tolerance = { median: 0.091, top_1_percent: 0.09, top_100: 0.09 }[name!] ?? 1e-9
      const least = name === 'gini' ? 0.022 : 1e-18
      for (const [day, measures] of expected.entries()) {
        const wanted = measures?.get(name!)
        if (wanted === undefined) continue
        seen.add(name!)
        const value = values![day]!
        const isRight =
          wanted === null ? value === null : Math.abs(value - wanted) <= Math.max(least, tolerance * Math.abs(wanted))
        if (!isRight) expect.fail(`${name} on day ${day}: ${value}, not ${wanted}`)
      }
    }
    expect(seen).toEqual(new Set(expected.flatMap((measures) => [...(measures?.keys() ?? [])])))
    for (const name of [
      'over_10',
      'over_10k_usd',
      'type_p2wsh',
      'in_profit',
      'in_loss',
      'accumulating',
      'operationally_exposed',
    ]) {
      expect(Math.max(...expected.map((measures) => measures!.get(name)!)), name).toBeGreaterThan(0)
    }
  })
})

describe('coins whose key or script a spend has shown', () => {
  it('are by key those of a replay', async () => {
    const keyed = makeKeyedChain()
    const dataDir = path.join(folder, 'keyed')
    await publish(dataDir, 'all', keyedCount, keyed)
    const replayed = replay(keyed.slice(0, keyedCount + 1).map(({ block }) => block))
    const expected = replayedBalances(replayed, close, (day) => close(day) ?? 0)
    for (const name of balanceMeasures.exposure.slice(0, 2)) {
      const [values] = await columnsOf(
        `SELECT value FROM ${publishedTable(dataDir, 'address_balances')} WHERE measure = '${name}' ORDER BY date`,
      )
      expect(values).toHaveLength(expected.length)
      const wanted = expected.map((measures) => measures!.get(name)!)
      expect(Math.max(...wanted)).toBeGreaterThan(20)
      for (const [day, value] of wanted.entries()) {
        if (Math.abs(values![day]! - value) > 1e-9 * value)
          expect.fail(`${name} on day ${day}: ${values![day]}, not ${value}`)
      }
    }
  })
})

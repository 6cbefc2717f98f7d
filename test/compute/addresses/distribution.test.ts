import { expect, it } from 'vitest'
import { AddressEvents } from '#compute/addresses/address-events.ts'
import { balanceMeasures } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { Random } from '#test/support/random.ts'
import { measureEvents } from './support/measure-events.ts'

const firstDay = 15_000
const type = scriptTypes.indexOf('p2wsh')

/** Shares of all coins, by sorting. */
function sortBalances(balances: readonly number[]) {
  const sorted = balances.toSorted((one, other) => one - other)
  const sum = (some: readonly number[]): number => some.reduce((total, sats) => total + sats, 0)
  const total = sum(sorted)
  const ranked = sorted.reduce((weighted, sats, i) => weighted + (2 * (i + 1) - sorted.length - 1) * sats, 0)
  const top = (count: number): number => {
    const whole = Math.floor(count)
    const rest = (count - whole) * (sorted.at(-whole - 1) ?? 0)
    return (100 * ((whole === 0 ? 0 : sum(sorted.slice(-whole))) + rest)) / total
  }
  return {
    gini: ranked / sorted.length / total,
    median: sorted[Math.ceil(sorted.length / 2) - 1]! / 1e8,
    top_1_percent: top(sorted.length / 100),
    top_100: top(100),
  }
}

function measure(balances: readonly number[]): Record<string, number> {
  const events = new AddressEvents()
  for (const [i, sats] of balances.entries())
    events.add(firstDay, firstDay, type, Math.imul(i, 0x9e37_79b1) >>> 4, i, sats)
  const price = Float64Array.of(1)
  const measures = measureEvents(events.words, { sample: { modulus: 1, residue: 0 }, firstDay, price, cost: price }, {})
  return Object.fromEntries(balanceMeasures.shape.map((name) => [name, measures.get(name)![0]!.value]))
}

const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
const limit = (sats: number): number => Math.min(5e12, Math.floor(sats) + 1)

/** Maximum of what is missing: of the Gini coefficient, and percentage points of the shares. */
const usual = [0.001, 0.1] as const
/** Max error of balances, the 9 % of a bin; of Gini coefficients, (√1.09 − 1) / (√1.09 + 1). */
const always = [0.022, 9] as const

it.each<[string, number, (random: Random) => number, readonly [number, number]]>([
  ['like those of mainnet', 60_000, (random) => limit(Math.exp(12 + 3.1 * normal(random))), usual],
  ['of few sizes', 20_000, (random) => 546 * 10 ** random.between(0, 5), usual],
  ['of a power law', 40_000, (random) => limit(1000 / (1 - random.next()) ** 1.2), usual],
  ['of a small chain', 400, (random) => limit(Math.exp(16 + 2 * normal(random))), usual],
  ['of a few satoshis', 10_000, (random) => random.between(1, 9), usual],
  ['nearly equal', 10_000, (random) => random.between(1_000_000, 1_090_000), always],
])('measures of balances %s are off by no more than the docs say', (_, count, make, [gini, points]) => {
  const random = new Random(7)
  const balances = Array.from({ length: count }, () => make(random))
  const exact = sortBalances(balances)
  const found = measure(balances)
  expect(Math.abs(found.median! / exact.median - 1)).toBeLessThan(0.091)
  for (const [name, most] of [
    ['gini', gini],
    ['top_1_percent', points],
    ['top_100', points],
  ] as const) {
    const missing = exact[name] - found[name]!
    expect(missing, name).toBeGreaterThan(-1e-9)
    expect(missing, name).toBeLessThan(name === 'gini' ? most : Math.min(most, 0.09 * exact[name] + 1e-9))
  }
})

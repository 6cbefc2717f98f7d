import { describe, expect, it } from 'vitest'
import { minLargeSats, type Sample } from '#compute/address-sample.ts'
import { AddressEvents, eventDay, eventSats, eventWords } from '#compute/addresses/address-events.ts'
import { type Estimate, isShown } from '#compute/addresses/estimates.ts'
import { balanceMeasures } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { hasPartner, partnerHigh } from '#ingest/chain/address-identity.ts'
import { Random } from '#test/support/random.ts'
import { measureEvents } from './support/measure-events.ts'

const firstDay = 14_000
const price = Float64Array.of(100, 50, 200)
const types = ['p2pkh', 'p2wpkh', 'p2tr', 'p2sh'].map((type) => scriptTypes.indexOf(type as 'p2pkh'))

/**
 * Addresses with balances like those of mainnet: of 1,000, 20 hold 1 BTC or more, and about one in
 * 3,000 has 100. A fifth have spent before, most large ones large outputs; of some keys, the other
 * address has.
 */
function population(random: Random, count: number): Uint32Array {
  const events = new AddressEvents()
  const add = (day: number, type: number, high: number, low: number, sats: number): void =>
    events.add(firstDay + day, firstDay + day, type, high, low, sats)
  const habits = new Random(count)
  for (let i = 0; i < count; i++) {
    const high = random.between(0, 2 ** 32 - 1)
    const low = random.between(0, 2 ** 32 - 1)
    const type = types[random.between(0, types.length - 1)]!
    // A lognormal balance, with its mean in the thousands of satoshis and a long tail.
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
    const balance = Math.floor(Math.exp(12 + 3.1 * normal)) + 1
    let left = Math.min(balance, 50_000 * 1e8)
    const day = random.between(0, 2)
    while (left > 0) {
      const sats = left < 1e6 ? left : Math.max(1, Math.floor(left * random.next()))
      add(day, type, high, low, sats)
      left -= sats
    }
    if (habits.next() > 0.2) continue
    const spentSats = habits.next() < (balance > 1e9 ? 0.8 : 0.02) ? 20e8 : 1e6
    const isOther = hasPartner(type) && habits.next() < 0.2
    const [otherHigh, otherType] = isOther ? [partnerHigh(high), types[0]! + types[1]! - type] : [high, type]
    const spentDay = habits.between(0, 2)
    for (const sats of [spentSats, -spentSats]) add(spentDay, otherType, otherHigh, low, sats)
  }
  return events.words
}

/** The events that a scan with this sample keeps. */
function kept(events: Uint32Array, { modulus, residue }: Sample): Uint32Array {
  const words: number[] = []
  for (let at = 0; at < events.length; at += eventWords) {
    if (events[at + 1]! % modulus === residue || Math.abs(eventSats(events, at)) >= minLargeSats) {
      words.push(...events.subarray(at, at + eventWords))
    }
  }
  return Uint32Array.from(words)
}

function estimate(events: Uint32Array, sample: Sample, cost = price): Map<string, Estimate[]> {
  const supply = new Float64Array(3)
  for (let at = 0; at < events.length; at += eventWords) {
    for (let day = eventDay(events, at) - firstDay; day < 3; day++) supply[day]! += eventSats(events, at)
  }
  return measureEvents(kept(events, sample), { sample, firstDay, price, cost }, { supply })
}

const whole: Sample = { modulus: 1, residue: 0 }
const { shape: _, ...others } = balanceMeasures
const measured = [...Object.values(others).flat(), 'herfindahl']

describe('a sample of the addresses', () => {
  const random = new Random(11)
  const events = population(random, 120_000)
  const exact = estimate(events, whole)
  const sampled = Array.from({ length: 64 }, (_, residue) => estimate(events, { modulus: 64, residue }))

  it('has the whole as the mean of all classes, for every count and value', () => {
    for (const name of measured) {
      // Quotients, and sums that are corrected by the known supply, are not linear in the sample.
      if (/price|supply_/.test(name)) continue
      for (const day of [0, 1, 2]) {
        const mean = sampled.reduce((sum, one) => sum + one.get(name)![day]!.value, 0) / 64
        const { value } = exact.get(name)![day]!
        expect(Math.abs(mean - value), name).toBeLessThanOrEqual(1e-9 * Math.max(1, value))
      }
    }
  })

  it('has intervals that contain the exact value 95 times in 100', () => {
    let [inside, all] = [0, 0]
    for (const name of measured) {
      const { value } = exact.get(name)![2]!
      // Of value and price, the addresses of the same balances.
      const count = exact.get(name.replace(/^(supply|realized_price)_/, ''))?.at(2)?.value ?? 0
      // With fewer than thirty addresses in the sample, they are wider.
      if (count < 30 * 64 || name === 'supply_over_0' || /supply_accum/.test(name)) continue
      for (const one of sampled) {
        const { low, high } = one.get(name)![2]!
        all++
        if (low <= value && value <= high) inside++
      }
    }
    expect(all).toBeGreaterThan(25 * 64)
    // The classes of one population are not independent: 93.5 to 96.5 over many populations.
    expect(inside / all).toBeGreaterThan(0.92)
    expect(inside / all).toBeLessThan(0.98)
  })

  it('has intervals that contain the exposed coins, of which the sample has few large ones', () => {
    for (const name of balanceMeasures.exposure) {
      const { value } = exact.get(name)![2]!
      const estimates = sampled.map((one) => one.get(name)![2]!)
      const inside = estimates.filter(({ low, high }) => low <= value && value <= high)
      // Few addresses hold most of these coins here; over populations like that of mainnet, it is
      // 95 in 100 and more.
      expect(inside.length, name).toBeGreaterThan(0.8 * 64)
      const mean = estimates.reduce((sum, one) => sum + one.value, 0) / 64
      expect(Math.abs(mean / value - 1), `${name}: ${mean}, exactly ${value}`).toBeLessThan(0.2)
    }
  })

  it('has intervals that contain the exact value of rare addresses too, of which it may have none', () => {
    const rare = measured.filter((name) => {
      const { value } = exact.get(name)![2]!
      return !/supply|price|herf/.test(name) && value > 0 && value < 30 * 64
    })
    expect(rare.length).toBeGreaterThan(4)
    for (const name of rare) {
      const { value } = exact.get(name)![2]!
      const inside = sampled.filter((one) => one.get(name)![2]!.low <= value && value <= one.get(name)![2]!.high)
      expect(inside.length, name).toBeGreaterThan(0.85 * 64)
    }
  })

  it('has every value within its interval, that of coins without a price too', () => {
    const free = estimate(events, { modulus: 64, residue: 3 }, new Float64Array(3))
    for (const one of [...sampled, free]) {
      for (const [name, estimates] of one) {
        for (const { value, low, high } of estimates) {
          if (!Number.isNaN(value + low)) expect([low <= value, value <= high], name).toEqual([true, true])
        }
      }
    }
    expect(free.get('realized_price_band_0_001_to_0_01')).toEqual(Array(3).fill({ value: 0, low: 0, high: 0 }))
  })

  it('shows nothing wrong of a small chain, of which each class has few addresses', () => {
    const few = population(new Random(5), 1500)
    const whole1500 = estimate(few, whole)
    const classes = Array.from({ length: 64 }, (_, residue) => estimate(few, { modulus: 64, residue }))
    for (const name of measured) {
      const { value } = whole1500.get(name)![2]!
      const shown = classes.map((one) => one.get(name)![2]!).filter((one) => isShown(one, false))
      const wrong = shown.filter(({ low, high }) => low > value * (1 + 1e-9) || high < value * (1 - 1e-9))
      expect(wrong.length, `${name}, ${value}: ${JSON.stringify(wrong[0])}`).toBeLessThanOrEqual(0.2 * shown.length)
    }
  })

  it('knows the supply', () => {
    const { value } = exact.get('supply_over_0')![2]!
    for (const one of sampled) expect(Math.abs(one.get('supply_over_0')![2]!.value / value - 1)).toBeLessThan(1e-12)
  })

  it('is refused if its addresses hold other amounts than the outputs', () => {
    const supply = new Float64Array(3).fill(1e15)
    expect(() => measureEvents(events, { sample: whole, firstDay, price, cost: price }, { supply })).toThrow(
      /^on 2008-05-01 addresses hold \d+ satoshis; outputs have \d+$/,
    )
  })
})

it('a series is hidden from an error of a fifth on, and shown again below a tenth', () => {
  const width = (share: number): Estimate => ({ value: 100, low: 100 - 100 * share, high: 100 + 100 * share })
  const shares = [0.15, 0.09, 0.15, 0.21, 0.15, 0.1, 0]
  let shown = false
  const seen = shares.map((share) => {
    shown = isShown(width(share), shown)
    return shown
  })
  expect(seen).toEqual([false, true, true, false, false, true, true])
})

import { hoursPerDay } from '#base/days.ts'
import { type OnchainDay, OnchainPrices } from '#compute/price-onchain/onchain-prices.ts'
import { outputBins } from '#contract/output-bins.ts'
import { Random } from '#ingest/simulated/random.ts'

export interface SimulatedMarket {
  readonly seed: number
  readonly days: number
  /** Share of outputs with a round amount. */
  readonly share?: number
  /** Share of these in euros. */
  readonly euros?: number
  /** Factor by which the price changes in an hour, besides its random walk. */
  readonly move?: (hour: number) => number
  /** The amounts that people pay are divided by this at the end. */
  readonly shrinking?: number
  readonly anchorError?: number
  /** Hour without a block. */
  readonly emptyHour?: number
  /** Day on which a new run continues. */
  readonly restartDay?: number
}

const outputsPerHour = 4000
const amounts = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 75, 80, 100, 120, 150, 200, 250, 300,
].concat([350, 400, 500, 600, 700, 800, 1000, 1500, 2000, 2500, 3000, 4000, 5000])
const tableSize = 2 ** 14

/** Runs the method over hours whose outputs are drawn around a random path of prices. */
export function simulateMarket(plan: SimulatedMarket) {
  const { seed, days, share = 0.04, euros = 0, move = () => 1, shrinking = 1, anchorError = 1, restartDay } = plan
  const random = new Random(seed, 'price on chain')
  const normals = Float64Array.from({ length: tableSize }, () => random.normal())
  // Values of outputs other than round ones, in satoshis: log-normal around a fixed dollar value.
  const values = normals.map((normal) => 2200 + 800 * normal + 80 * (random.next() - 0.5))
  const amountTable = (centre: number) => {
    const weights = amounts.map((amount) => {
      const popular = /^[125]0*$/.test(String(amount)) ? 3 : 1
      return popular * Math.exp(-((Math.log(amount / centre) / 1.8) ** 2) / 2)
    })
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    let upTo = 0
    let next = 0
    const table = new Float64Array(1024)
    for (const [i, weight] of weights.entries()) {
      upTo += (1024 * weight) / total
      for (; next < Math.round(upTo) && next < 1024; next++) table[next] = 1000 * Math.log10(amounts[i]!)
    }
    return table.fill(1000 * Math.log10(amounts[10]!), next)
  }
  const broad = new Uint32Array(outputBins)
  const narrow = new Uint32Array(outputBins)
  let position = 1000 * Math.log10(10_000)
  const anchor = { day: 0, price: 10_000 * anchorError }
  let prices = new OnchainPrices(anchor)
  const closes: number[] = []
  let amountPositions = amountTable(150)
  for (let hour = 0; hour < days * hoursPerDay; hour++) {
    if (hour % (30 * hoursPerDay) === 0) amountPositions = amountTable(150 / shrinking ** (hour / (days * hoursPerDay)))
    // A daily volatility of 4 %, in a range of 200 to 500,000 USD.
    position += 1000 * Math.log10(Math.E) * (0.04 / Math.sqrt(24)) * normals[(random.next() * tableSize) | 0]!
    position += 1000 * Math.log10(move(hour))
    if (position < 2300 || position > 5700) position += position < 2300 ? 40 : -40
    broad.fill(0)
    narrow.fill(0)
    const add = (bin: number, chance: number): void => {
      if (bin < 0 || bin >= outputBins) return
      broad[bin]!++
      if (chance < 0.4) narrow[bin]!++
    }
    const payments = random.count(share * outputsPerHour)
    for (let i = 0; i < payments; i++) {
      const usd = amountPositions[(random.next() * 1024) | 0]!
      const currency = random.next() < euros ? 1000 * Math.log10(1.09) : 0
      // Rates of payers differ by 0.15 %.
      const jitter = 0.65 * normals[(random.next() * tableSize) | 0]!
      add(Math.floor(usd + currency + jitter - position + 5000), random.next())
    }
    for (let i = payments; i < outputsPerHour; i++) {
      // Its high bits choose a value, the others the filter: most of the time goes into these draws.
      const drawn = random.next() * tableSize
      const place = drawn | 0
      add(Math.floor(values[place]! - position + 5000), drawn - place)
    }
    if (restartDay !== undefined && hour === restartDay * hoursPerDay) {
      prices.endDays(restartDay)
      prices = new OnchainPrices(anchor, restartDay, prices.states)
    }
    if (hour !== plan.emptyHour) prices.addHour(hour, [broad, narrow])
    if (hour % hoursPerDay === hoursPerDay - 1) closes.push(10 ** (position / 1000))
  }
  prices.endDays(days)
  return describe(prices.finish(), closes)
}

function describe(found: readonly OnchainDay[], closes: readonly number[]) {
  const published = found.filter(({ price }) => !Number.isNaN(price))
  const errors = published.map(({ day, price }) => Math.abs(price / closes[day]! - 1)).sort((a, b) => a - b)
  return {
    days: found,
    closes,
    published: published.length / found.length,
    median: errors[Math.floor(errors.length / 2)] ?? Number.NaN,
    greatest: errors.at(-1) ?? Number.NaN,
  }
}

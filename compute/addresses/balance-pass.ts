import { satsPerCoin } from '#base/bitcoin.ts'
import { isoDate } from '#base/days.ts'
import { addressTypes, balanceBounds, balanceMeasures } from '#contract/balance-measures.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { minLargeSats, type Sample } from '../address-sample.ts'
import { type AddressTable, hasSpent, hasSpentLarge, receivedBits, severalReceived } from './address-table.ts'
import { balanceBins, toBinNumber } from './balance-bins.ts'
import { type Estimate, estimateCount, estimateSum, withoutInterval } from './estimates.ts'
import { ExposureSums } from './exposure.ts'
import { PriceRanks } from './price-ranks.ts'
import { UsdCounts } from './usd-counts.ts'

/** Addresses are read and replayed in so many parts, by the first bits of their identity. */
export const partitions = 16

/**
 * Events of a partition, sorted by day and always in the same order, because sums of rounded values
 * depend on it. Days are counted from the first of the chain; spent outputs have negative `sats`.
 */
export interface PartitionEvents {
  readonly count: number
  readonly days: Int32Array
  readonly createdDays: Int32Array
  readonly types: Uint8Array
  readonly highs: Uint32Array
  readonly lows: Uint32Array
  readonly sats: Float64Array
}

/**
 * Addresses of a partition with coins that no event concerns, if all are counted; and the slots of
 * the events.
 */
export interface OtherAddresses {
  readonly sats: Float64Array
  readonly costs: Float64Array
  readonly slots: Int32Array
}

export interface BalancePassInputs {
  readonly sample: Sample
  /** Unix day of the first day of the chain, from which other days are counted. */
  readonly firstDay: number
  /** The day before the first new one, and the number of all days. */
  readonly after: number
  readonly days: number
  /** Result of `sumsAfter` for the day before the new ones; undefined from the first day on. */
  readonly before: Float64Array | undefined
  /** Close of each day, and cost of the coins created on it, in USD. */
  readonly price: Float64Array
  readonly cost: Float64Array
  /** The day after which `onCut` gets the addresses of a partition. */
  readonly cut: number | undefined
  readonly onCut: (partition: number, table: AddressTable, isSampled: (slot: number) => boolean) => void
}

const bands = balanceBounds.length
const bins = balanceBins

/** The band of a balance; −1 for none. */
function toBand(sats: number): number {
  let band = -1
  while (band + 1 < bands && sats >= balanceBounds[band + 1]!) band++
  return band
}

const typePlaces = scriptTypes.map((type) => addressTypes.indexOf(type))

/**
 * Replays the events of addresses day by day, and sums what they hold. Each address has two
 * accounts: all of its coins, known if it is in the sample, and its large ones (`minLargeSats`),
 * always known. A sum over all addresses is that of their large accounts plus `modulus` times the
 * differences between the accounts in the sample (`estimateSum`). Amounts that are sums of satoshis
 * stay whole numbers below 2^53.
 *
 * Columns hold changes from day to day until `finish`.
 */
export class BalancePass {
  readonly #inputs: BalancePassInputs
  readonly #count: number
  readonly #bandColumns: readonly BandColumns[]
  readonly #types: readonly { readonly known: Float64Array; readonly difference: Float64Array }[]
  readonly #squares: Float64Array
  readonly #events: readonly Float64Array[]
  readonly #herfindahl: readonly [known: Float64Array, difference: Float64Array, squares: Float64Array]
  readonly #accumulating: { readonly count: Float64Array; readonly sats: Float64Array }
  readonly #exposure: ExposureSums
  readonly #usdCounts: UsdCounts
  readonly #profit: readonly [known: Float64Array, difference: Float64Array, squares: Float64Array]
  /** By day, then by bin: number and value of addresses, known and different. */
  readonly #bins: readonly Float64Array[]

  constructor(inputs: BalancePassInputs) {
    this.#inputs = inputs
    this.#count = inputs.days - inputs.after - 1
    const column = (): Float64Array => new Float64Array(this.#count)
    const three = () => [column(), column(), column()] as const
    this.#bandColumns = balanceBounds.map(() => ({
      ...{ known: column(), difference: column(), squares: column() },
      ...{ satsKnown: column(), satsDifference: column(), satsSquares: column(), satsProducts: column() },
      ...{ overSquares: column(), overProducts: column() },
      ...{ costKnown: column(), costDifference: column(), costSquares: column(), costProducts: column() },
    }))
    this.#types = addressTypes.map(() => ({ known: column(), difference: column() }))
    this.#squares = column()
    this.#events = balanceMeasures.events.map(column)
    this.#herfindahl = three()
    this.#accumulating = { count: column(), sats: column() }
    this.#exposure = new ExposureSums(this.#count)
    this.#usdCounts = new UsdCounts(this.#count)
    this.#profit = three()
    this.#bins = Array.from({ length: 4 }, () => new Float64Array(this.#count * bins))
  }

  /**
   * Replays a partition; `table` has its addresses before the new days, but for the `others` that
   * no event concerns.
   */
  addPartition(partition: number, table: AddressTable, events: PartitionEvents, others?: OtherAddresses): void {
    const { sample, firstDay, after, days, price, cost, cut, onCut } = this.#inputs
    // Only the prices of new days are asked for.
    const newPrices = price.subarray(after + 1, days)
    const ranks = [0, 1, 2].map(() => new PriceRanks(newPrices)) as [PriceRanks, PriceRanks, PriceRanks]
    const isSampled = (slot: number): boolean =>
      sample.modulus === 1 || (table.lows[slot]! & (sample.modulus - 1)) === sample.residue
    this.#usdCounts.beginPartition(newPrices)
    // If all coins of every address are known, there is nothing to know better of large ones.
    const minLarge = sample.modulus === 1 ? Number.POSITIVE_INFINITY : minLargeSats
    for (let slot = 0; slot < table.length; slot++) {
      addRanks(table, slot, isSampled(slot), 1, ranks)
      if (table.largeSats[slot]! > 0) this.#usdCounts.addLarge(slot, toBinNumber(table.largeSats[slot]!), 1)
      if (isSampled(slot) && table.sats[slot]! > 0) this.#usdCounts.add(slot, toBinNumber(table.sats[slot]!), 1)
    }
    const [, differenceRanks] = ranks
    for (let i = 0; i < (others?.sats.length ?? 0); i++) {
      const sats = others!.sats[i]!
      const rank = differenceRanks.rank(others!.costs[i]! / (sats / satsPerCoin))
      differenceRanks.add(rank, 1)
      this.#usdCounts.addUnchanged(sats)
    }
    /** The addresses of the day. */
    const touched: number[] = []
    /** Other addresses of the keys that the day's spends are the first to show, by slot. */
    const partners = new Set<number>()
    let next = 0
    for (let day = after + 1; day < days; day++) {
      const column = day - after - 1
      touched.length = 0
      partners.clear()
      for (; next < events.count && events.days[next] === day; next++) {
        const slot = others ? others.slots[next]! : table.find(events.highs[next]!, events.lows[next]!)
        if (table.touchedDays[slot] !== day) {
          if (partners.size === 0 || !partners.delete(slot))
            this.#addAddress(table, slot, isSampled(slot), -1, column, ranks)
          table.touch(slot, day)
          touched.push(slot)
        }
        const sats = events.sats[next]!
        const usd = (sats / satsPerCoin) * cost[events.createdDays[next]!]!
        table.types[slot] = events.types[next]!
        table.sats[slot]! += sats
        table.costs[slot]! += usd
        if (Math.abs(sats) >= minLarge) {
          table.largeSats[slot]! += sats
          table.largeCosts[slot]! += usd
        }
        const habits = table.habits[slot]!
        if (sats > 0) {
          const received = habits & receivedBits
          table.habits[slot] = habits - received + Math.min(severalReceived, received + 1)
          continue
        }
        const spent = habits | hasSpent | (sats <= -minLarge ? hasSpentLarge : 0)
        const partner = spent === habits ? -1 : table.partner(slot)
        if (partner >= 0 && table.touchedDays[partner] !== day && !partners.has(partner)) {
          this.#addAddress(table, partner, isSampled(partner), -1, column, ranks)
          partners.add(partner)
        }
        table.habits[slot] = spent
      }
      for (const slot of touched) {
        if (!(table.sats[slot]! >= 0 && table.largeSats[slot]! >= 0)) {
          throw new RangeError(`on ${isoDate(firstDay + day)} an address holds ${table.sats[slot]} satoshis`)
        }
        // Sums of rounded values leave a rest.
        if (table.sats[slot] === 0) table.costs[slot] = 0
        if (table.largeSats[slot] === 0) table.largeCosts[slot] = 0
        if (isSampled(slot)) this.#countEvents(table, slot, day, column)
        table.lastDays[slot] = day
        this.#addAddress(table, slot, isSampled(slot), 1, column, ranks)
      }
      for (const slot of partners) this.#addAddress(table, slot, isSampled(slot), 1, column, ranks)
      for (const [i, rank] of ranks.entries()) {
        if (!Number.isNaN(price[day]!)) this.#profit[i]![column]! += rank.below(price[day]!)
      }
      this.#usdCounts.endDay(table, isSampled, column, price[day]!)
      if (day === cut) onCut(partition, table, isSampled)
    }
  }

  #countEvents(table: AddressTable, slot: number, day: number, column: number): void {
    const [created, funded, emptied, year, fiveYears] = this.#events as readonly [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ]
    const lastDay = table.lastDays[slot]!
    const isFunded = table.sats[slot]! > 0
    const wasFunded = table.wasFunded[slot] === 1
    if (lastDay < 0) created[column]!++
    else if (day - lastDay >= 365) {
      year[column]!++
      if (day - lastDay >= 5 * 365) fiveYears[column]!++
    }
    if (isFunded && !wasFunded) funded[column]!++
    if (wasFunded && !isFunded) emptied[column]!++
  }

  /** Adds an address to the sums of a day, or removes it with a `sign` of −1. */
  #addAddress(table: AddressTable, slot: number, isSampled: boolean, sign: number, column: number, ranks: Ranks): void {
    addRanks(table, slot, isSampled, sign, ranks)
    this.#exposure.add(table, slot, isSampled, sign, column)
    const large = table.largeSats[slot]!
    const largeBand = toBand(large)
    if (largeBand >= 0) {
      const band = this.#bandColumns[largeBand]!
      band.known[column]! += sign
      band.satsKnown[column]! += sign * large
      band.costKnown[column]! += sign * table.largeCosts[slot]!
      this.#types[typePlaces[table.types[slot]!]!]!.known[column]! += sign
      this.#herfindahl[0][column]! += sign * (large / satsPerCoin) ** 2
      const binNumber = toBinNumber(large)
      this.#usdCounts.addLarge(slot, binNumber, sign)
      this.#bins[0]![column * bins + binNumber]! += sign
      this.#bins[1]![column * bins + binNumber]! += sign * large
    }
    const sats = table.sats[slot]!
    if (!isSampled || sats === 0) return
    const own = this.#bandColumns[toBand(sats)]!
    const other = this.#bandColumns[largeBand]
    const coins = sats / satsPerCoin
    own.difference[column]! += sign
    own.satsDifference[column]! += sign * sats
    own.costDifference[column]! += sign * table.costs[slot]!
    if (other) {
      other.difference[column]! -= sign
      other.satsDifference[column]! -= sign * large
      other.costDifference[column]! -= sign * table.largeCosts[slot]!
    } else this.#types[typePlaces[table.types[slot]!]!]!.difference[column]! += sign
    const squares = coins ** 2 - (large / satsPerCoin) ** 2
    this.#herfindahl[1][column]! += sign * squares
    const bin = column * bins
    const binNumber = toBinNumber(sats)
    this.#usdCounts.add(slot, binNumber, sign)
    this.#bins[2]![bin + binNumber]! += sign
    this.#bins[3]![bin + binNumber]! += sign * sats
    if (large > 0) this.#bins[2]![bin + toBinNumber(large)]! -= sign
    if (large > 0) this.#bins[3]![bin + toBinNumber(large)]! -= sign * large
    const habits = table.habits[slot]!
    if ((habits & hasSpent) === 0 && (habits & receivedBits) >= severalReceived) {
      this.#accumulating.count[column]! += sign
      this.#accumulating.sats[column]! += sign * sats
    }
    if (this.#inputs.sample.modulus > 1) this.#addSquares(table, slot, sign, column, own, other)
  }

  /** Adds to the sums from which intervals follow. */
  #addSquares(
    table: AddressTable,
    slot: number,
    sign: number,
    column: number,
    own: BandColumns,
    other: BandColumns | undefined,
  ): void {
    const coins = table.sats[slot]! / satsPerCoin
    const largeCoins = table.largeSats[slot]! / satsPerCoin
    const rest = coins - largeCoins
    this.#squares[column]! += sign * rest ** 2
    this.#herfindahl[2][column]! += sign * (coins ** 2 - largeCoins ** 2) ** 2
    own.overSquares[column]! += sign * coins ** 2
    own.overProducts[column]! += sign * coins * rest
    if (other) {
      other.overSquares[column]! += sign * (rest ** 2 - coins ** 2)
      other.overProducts[column]! += sign * (rest ** 2 - coins * rest)
    }
    const add = (to: BandColumns, count: number, difference: number, costs: number): void => {
      to.squares[column]! += sign * count ** 2
      to.satsSquares[column]! += sign * difference ** 2
      to.satsProducts[column]! += sign * difference * rest
      to.costSquares[column]! += sign * costs ** 2
      to.costProducts[column]! += sign * costs * difference
    }
    if (own === other) add(own, 0, rest, table.costs[slot]! - table.largeCosts[slot]!)
    else {
      add(own, 1, coins, table.costs[slot]!)
      if (other) add(other, -1, -largeCoins, -table.largeCosts[slot]!)
    }
  }

  /** Adds the sums of another pass over the same days, before `finish`. */
  addColumns(columns: readonly Float64Array[]): void {
    for (const [i, own] of this.columns.entries()) {
      const added = columns[i]!
      for (let at = 0; at < own.length; at++) own[at]! += added[at]!
    }
  }

  /** Everything that the pass has summed before `finish`. */
  get columns(): Float64Array[] {
    return [...this.#sums(), ...this.#events, ...this.#profit, ...this.#usdCounts.columns, ...this.#bins]
  }

  /**
   * The measures of each new day, by name. `known` is the supply that all addresses hold on it
   * (default: what they hold by their events), and `structural` what is in outputs that show a key,
   * in satoshis, known from the outputs; `everBefore` is the number of addresses in the sample
   * before the new days. Throws `RangeError` if the estimate of the supply is too far from it.
   */
  finish(known: Float64Array | undefined, structural: Float64Array, everBefore: number): Map<string, Estimate[]> {
    this.#accumulate()
    const { sample, after, price } = this.#inputs
    const supply = known ?? Float64Array.from({ length: this.#count }, (_, day) => this.#held(day))
    const measures = new Map<string, Estimate[]>()
    let ever = everBefore
    for (let day = 0; day < this.#count; day++) {
      const set = (name: string, estimate: Estimate): void => {
        const estimates = measures.get(name)
        if (estimates) estimates.push(estimate)
        else measures.set(name, [estimate])
      }
      this.#addBands(day, supply[day]!, structural[day]!, set)
      for (const [i, { known, difference }] of this.#types.entries()) {
        set(balanceMeasures.type[i]!, estimateCount(sample, known[day]!, difference[day]!))
      }
      for (const [i, name] of balanceMeasures.events.entries()) {
        set(name, estimateCount(sample, 0, this.#events[i]![day]!))
      }
      ever += this.#events[0]![day]!
      set('ever', estimateCount(sample, 0, ever))
      const funded = measures.get(balanceMeasures.over[0]!)![day]!
      const [known, difference, squares] = this.#profit
      const profit = estimateCount(sample, known[day]!, difference[day]!, squares[day]!)
      set('in_profit', profit)
      // Most addresses have no large coins, and each of these is in profit or in loss.
      const inLoss = Math.max(
        0,
        this.#bandColumns.reduce((sum, { difference }) => sum + difference[day]!, -squares[day]!),
      )
      set('in_loss', estimateCount(sample, funded.value - profit.value - sample.modulus * inLoss, inLoss))
      const [accumulating, supplyAccumulating] = balanceMeasures.habits
      set(accumulating, estimateCount(sample, 0, this.#accumulating.count[day]!))
      const accumulated = (sample.modulus * this.#accumulating.sats[day]!) / satsPerCoin
      set(supplyAccumulating, withoutInterval(sample, accumulated))
      this.#addShape(day, supply[day]!, funded.value, set)
      const [counts, , differences] = this.#bins.map((all) => all.subarray(day * bins, (day + 1) * bins))
      const close = price[after + 1 + day]!
      for (const [i, value] of this.#usdCounts.counts(day, close, sample, counts!, differences!).entries()) {
        set(balanceMeasures.overUsd[i]!, value)
      }
    }
    return measures
  }

  /** The satoshis of all addresses, estimated from the sample. */
  #held(day: number): number {
    return this.#bandColumns.reduce(
      (sum, { satsKnown, satsDifference }) =>
        sum + satsKnown[day]! + this.#inputs.sample.modulus * satsDifference[day]!,
      0,
    )
  }

  #addBands(day: number, supply: number, structural: number, set: (name: string, estimate: Estimate) => void): void {
    const { sample, firstDay, after } = this.#inputs
    const { modulus } = sample
    const sum = (columns: readonly Float64Array[]): number => columns.reduce((total, column) => total + column[day]!, 0)
    const estimated = this.#held(day)
    const squares = this.#squares[day]!
    const missing = supply - estimated
    const deviation = Math.sqrt(modulus * (modulus - 1) * Math.max(0, squares)) * satsPerCoin
    const sampled = sum(this.#bandColumns.map(({ difference }) => difference))
    if (Math.abs(missing) > maxDeviations * deviation && (modulus === 1 || sampled >= minAddresses)) {
      const date = isoDate(firstDay + after + 1 + day)
      const error = modulus === 1 ? '' : `, give or take ${Math.round(deviation)}`
      throw new RangeError(`on ${date} addresses hold ${estimated} satoshis${error}; outputs have ${supply}`)
    }
    // Regression on the supply, which is known: what the sample misses of it, it misses in
    // proportion of a part of it.
    const canRegress = sampled >= minRegression && squares > 0
    const holdings = (
      i: number,
      known: number,
      difference: number,
      own: number,
      products: number,
      defaultSlope: number,
    ): Estimate => {
      const slope = canRegress ? products / squares : defaultSlope
      const rest = Math.max(0, own - 2 * slope * products + slope ** 2 * squares) * satsPerCoin ** 2
      const correction = slope * missing
      return inCoins(estimateSum(sample, { known, difference, squares: rest, unseen: unseenSats(i), correction }))
    }
    const [shownCount, shownSupply, exposedSupply] = balanceMeasures.exposure
    set(shownCount, this.#exposure.count(day, sample))
    const [allSquares, missingCoins] = canRegress ? [squares, missing / satsPerCoin] : [0, 0]
    const { value, low, high } = this.#exposure.supply(day, sample, allSquares, missingCoins)
    set(shownSupply, { value, low, high })
    const others = structural / satsPerCoin
    set(exposedSupply, { value: value + others, low: low + others, high: high + others })
    const costs = sum(this.#bandColumns.map(({ costKnown }) => costKnown))
    const differences = sum(this.#bandColumns.map(({ costDifference }) => costDifference))
    const meanCost = estimated > 0 ? (costs + modulus * differences) / (estimated / satsPerCoin) : 0
    let [overKnown, overDifference, satsKnown, satsDifference, overSquares, overProducts] = [0, 0, 0, 0, 0, 0]
    for (let i = bands - 1; i >= 0; i--) {
      const band = this.#bandColumns[i]!
      overKnown += band.known[day]!
      overDifference += band.difference[day]!
      satsKnown += band.satsKnown[day]!
      satsDifference += band.satsDifference[day]!
      overSquares += band.overSquares[day]!
      overProducts += band.overProducts[day]!
      set(balanceMeasures.over[i]!, estimateCount(sample, overKnown, overDifference))
      // What others hold beyond small balances is known better from these than from itself.
      const over = holdings(
        i,
        satsKnown,
        satsDifference,
        overSquares,
        overProducts,
        Number(balanceBounds[i]! < minLargeSats),
      )
      const all = { value: supply / satsPerCoin, low: supply / satsPerCoin, high: supply / satsPerCoin }
      set(balanceMeasures.supplyOver[i]!, i === 0 ? all : over)
      set(balanceMeasures.band[i]!, estimateCount(sample, band.known[day]!, band.difference[day]!, band.squares[day]!))
      const held = holdings(
        i,
        band.satsKnown[day]!,
        band.satsDifference[day]!,
        band.satsSquares[day]!,
        band.satsProducts[day]!,
        0,
      )
      set(balanceMeasures.supplyBand[i]!, held)
      set(balanceMeasures.priceBand[i]!, realizedPrice(sample, i, band, day, meanCost))
    }
  }

  /** From the bins of balances, so without an interval: NaN unless every address is counted. */
  #addShape(day: number, supply: number, funded: number, set: (name: string, estimate: Estimate) => void): void {
    const { sample } = this.#inputs
    const { modulus } = sample
    const [known, sumKnown, difference, sumDifference] = this.#bins.map((all) =>
      all.subarray(day * bins, (day + 1) * bins),
    )
    const counts = known!.map((count, bin) => Math.max(0, count + modulus * difference![bin]!))
    const sums = sumKnown!.map((sats, bin) => Math.max(0, sats + modulus * sumDifference![bin]!))
    const addresses = counts.reduce((sum, count) => sum + count, 0)
    const held = sums.reduce((sum, sats) => sum + sats, 0)
    const approximate = (value: number): Estimate => withoutInterval(sample, value)
    const heldByTop = (count: number): number => {
      let [left, sats] = [count, 0]
      for (let bin = bins - 1; bin >= 0 && left > 0; bin--) {
        if (counts[bin] === 0) continue
        const taken = Math.min(left, counts[bin]!)
        sats += (taken / counts[bin]!) * sums[bin]!
        left -= taken
      }
      return sats
    }
    let [below, twice, ranked, median] = [0, 0, 0, Number.NaN]
    for (let bin = 0; bin < bins; bin++) {
      const count = counts[bin]!
      if (count === 0) continue
      twice += count * (2 * below + sums[bin]!)
      below += sums[bin]!
      if (ranked < addresses / 2 && ranked + count >= addresses / 2) median = sums[bin]! / count / satsPerCoin
      ranked += count
    }
    set('gini', approximate(addresses > 0 ? 1 - twice / addresses / held : Number.NaN))
    const [squaresKnown, squaresDifference, fourth] = this.#herfindahl
    const coins = supply / satsPerCoin
    const [known2, difference2] = [squaresKnown[day]!, squaresDifference[day]!]
    const { value, low, high } = estimateSum(sample, {
      ...{ known: known2, difference: difference2, squares: fourth[day]!, unseen: unseenSquares(known2) },
    })
    set('herfindahl', { value: value / coins ** 2, low: low / coins ** 2, high: high / coins ** 2 })
    set('top_1_percent', approximate((100 * heldByTop(funded / 100)) / held))
    set('top_100', approximate((100 * heldByTop(100)) / held))
    set('median', approximate(median))
  }

  /**
   * Turns changes into sums, but for what happened on a day and for profit, which are sums already.
   */
  #accumulate(): void {
    const { before } = this.#inputs
    for (const [i, column] of this.#sums().entries()) {
      if (before) column[0]! += before[i]!
      for (let day = 1; day < column.length; day++) column[day]! += column[day - 1]!
    }
    const columns = this.#sums().length
    for (const [i, all] of this.#bins.entries()) {
      if (before) for (let bin = 0; bin < bins; bin++) all[bin]! += before[columns + i * bins + bin]!
      for (let at = bins; at < all.length; at++) all[at]! += all[at - bins]!
    }
  }

  #sums(): Float64Array[] {
    return [
      ...this.#bandColumns.flatMap((band) => Object.values({ ...band })),
      ...this.#types.flatMap(({ known, difference }) => [known, difference]),
      ...[this.#squares, ...this.#herfindahl],
      ...[this.#accumulating.count, this.#accumulating.sats, ...this.#exposure.columns],
    ]
  }

  /** The sums after a day, for `before` of a pass that continues there; after `finish`. */
  sumsAfter(day: number): Float64Array {
    const column = day - this.#inputs.after - 1
    return Float64Array.from([
      ...this.#sums().map((sum) => sum[column]!),
      ...this.#bins.flatMap((all) => [...all.subarray(column * bins, (column + 1) * bins)]),
    ])
  }
}

/**
 * Numbers of addresses by average cost: known ones, differences in the sample, and their squares.
 */
type Ranks = readonly [PriceRanks, PriceRanks, PriceRanks]

function addRanks(
  table: AddressTable,
  slot: number,
  isSampled: boolean,
  sign: number,
  [knownRanks, differenceRanks, squareRanks]: Ranks,
): void {
  const large = table.largeSats[slot]!
  const largeCoins = large / satsPerCoin
  if (large > 0) knownRanks.add(knownRanks.rank(table.largeCosts[slot]! / largeCoins), sign)
  const coins = table.sats[slot]! / satsPerCoin
  if (!isSampled || coins === 0) return
  const rank = knownRanks.rank(table.costs[slot]! / coins)
  differenceRanks.add(rank, sign)
  squareRanks.add(rank, sign)
  if (large > 0) {
    const largeRank = knownRanks.rank(table.largeCosts[slot]! / largeCoins)
    differenceRanks.add(largeRank, -sign)
    // They differ at the prices between both costs.
    squareRanks.add(rank, -sign)
    squareRanks.add(Math.min(rank, largeRank), sign)
    squareRanks.add(Math.max(rank, largeRank), -sign)
  }
}

/**
 * Further from the supply than this, with so many addresses, the sample or its events must be
 * wrong.
 */
const maxDeviations = 8
const minAddresses = 1000
/** The balances of fewer addresses say nothing about what others hold. */
const minRegression = 100

/** The middle of a band, in logarithms: what an address that the sample misses may hold. */
const unseenSats = (band: number): number =>
  band === 0 ? balanceBounds[1]! / Math.sqrt(10) : balanceBounds[band]! * Math.sqrt(10)

/**
 * The same for what its square exceeds that of its large coins by, in BTC²: some 10 BTC beside the
 * largest of these.
 */
const unseenSquares = (knownSquares: number): number => 10_000 + 10 * Math.sqrt(knownSquares)

/**
 * By band of balances: sums over the large accounts, over the differences, their squares, and
 * products of two of them.
 */
interface BandColumns {
  readonly known: Float64Array
  readonly difference: Float64Array
  readonly squares: Float64Array
  readonly satsKnown: Float64Array
  readonly satsDifference: Float64Array
  /** In BTC², as are the products with what the large account lacks. */
  readonly satsSquares: Float64Array
  readonly satsProducts: Float64Array
  /** Those of all balances from the band on are sums over it and the bands above. */
  readonly overSquares: Float64Array
  readonly overProducts: Float64Array
  readonly costKnown: Float64Array
  readonly costDifference: Float64Array
  readonly costSquares: Float64Array
  /** Sums of cost times BTC. */
  readonly costProducts: Float64Array
}

const inCoins = ({ value, low, high }: Estimate): Estimate => ({
  value: value / satsPerCoin,
  low: low / satsPerCoin,
  high: high / satsPerCoin,
})

/** In USD. Less is what is left of a sum of rounded values, of coins that cost nothing. */
const minPrice = 1e-6

/** Cost over value, with the error of a ratio of two sums. */
function realizedPrice(sample: Sample, i: number, band: BandColumns, day: number, meanCost: number): Estimate {
  const { modulus } = sample
  const costs = band.costKnown[day]! + modulus * band.costDifference[day]!
  const coins = (band.satsKnown[day]! + modulus * band.satsDifference[day]!) / satsPerCoin
  if (coins <= 0) return { value: Number.NaN, low: Number.NaN, high: Number.NaN }
  const quotient = costs / coins
  const value = quotient < minPrice ? 0 : quotient
  const squares = band.costSquares[day]! - 2 * value * band.costProducts[day]! + value ** 2 * band.satsSquares[day]!
  // Few addresses of a band can all have paid nothing, or much more than others.
  const unseen = 2 * Math.max(value, meanCost) * (unseenSats(i) / satsPerCoin)
  const { low, high } = estimateSum(sample, { known: costs, difference: 0, squares, unseen })
  return { value, low: low / coins, high: high / coins }
}

import { hoursPerDay, secondsPerDay, secondsPerHour } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { kindCount, toKind, toScriptType } from '#contract/kinds.ts'
import { carrySats, type DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { transactionFees } from '#ingest/chain/fees.ts'
import { type Network, subsidySats } from '#ingest/chain/networks.ts'
import { sizeOf, unspendable } from '#ingest/chain/output-kind.ts'
import { type AddressMode, samples } from '../address-sample.ts'
import { ActiveSets, received, sent } from '../addresses/active-sets.ts'
import { AddressEvents, createAddressEvents } from '../addresses/address-events.ts'
import { packEvents } from '../addresses/packed-events.ts'
import { GrowingColumns } from '../growing-columns.ts'
import { createLabelEvents } from '../labels/label-table.ts'
import { FlowRows, flowColumns, youngColumns } from './flow-rows.ts'
import { KindRows } from './kind-rows.ts'
import { carry, limb } from './limbs.ts'
import { binCount, toBin } from './log-histogram.ts'
import { OutputHours } from './output-hours.ts'
import { recencies } from './recency.ts'
import { TransactionSums, transactionSumColumns } from './transaction-sums.ts'

/** Monotone times and days of a chain's blocks, by height; see `HeaderChain`. */
export interface BlockTimes {
  readonly times: Uint32Array
  readonly days: Int32Array
}

/** Block columns that are numbers of a decoded block. */
const decodedColumns = [
  ['time', 'time'],
  ['bits', 'bits'],
  ['size', 'size'],
  ['weight', 'weight'],
  ['transactions', 'transactionCount'],
  ['inputs', 'spentCount'],
  ['outputs', 'outputCount'],
  ['unspendable_sats', 'unspendableSats'],
  ['unspendable_outputs', 'unspendableOutputs'],
  ['op_return_outputs', 'opReturnOutputs'],
  ['segwit_outputs', 'segwitOutputs'],
  ['taproot_outputs', 'taprootOutputs'],
  ['dust_outputs', 'dustOutputs'],
  ['op_return_bytes', 'opReturnBytes'],
  ['large_op_return_outputs', 'largeOpReturns'],
  ['omni_outputs', 'omniOutputs'],
] as const

const blockColumns = [
  'height',
  ...decodedColumns.map(([column]) => column),
  'coinbase_sats',
  'fees_sats',
  ...transactionSumColumns,
  'spent_sats_low',
  'spent_sats_high',
] as const

export const histogramColumns = ['day', 'kind', 'bin', 'count'] as const
/** Age in seconds of outputs spent at an age of an hour or more. */
export const spentAgeHistogram = 0
/** Fee per transaction in satoshis. */
export const feeHistogram = 1
/** Fee rate per transaction in thousandths of a satoshi per virtual byte. */
export const feeRateHistogram = 2
/** Value per spendable output created, in satoshis. */
export const createdValueHistogram = 3
/** Value per output spent, in satoshis. */
export const spentValueHistogram = 4
/** Output value per transaction, in satoshis. */
export const transferHistogram = 5

export const flowRowColumns = ['day', 'created_day', ...flowColumns] as const
/** Spends of coins created on the same day or the day before. Hours count from 1970. */
export const youngRowColumns = ['hour', 'created_hour', ...youngColumns] as const

/**
 * Spent outputs by creation day and kind, and created ones by kind. A row may be split into parts.
 */
export const kindFlowColumns = ['day', 'created_day', 'kind', 'spent_sats', 'spent_outputs'] as const
export const createdKindColumns = ['day', 'kind', 'created_sats', 'created_outputs'] as const
/** Value of the spends of `young_spends` by kind and recency (`toRecency`). */
export const youngKindColumns = ['hour', 'recency', 'kind', 'spent_sats'] as const

/**
 * Result tables of a scan, by column. Sums that may exceed 2^53 take two columns; see `limbs.ts`.
 */
export type ScanResult = ReturnType<Scan['finish']>

/** Reused by the thread's next scan: mapping fresh memory costs as much as sorting. */
let spareSets: ActiveSets | undefined

/** Adds up created and spent coins by day. Add blocks in height order; days must not decrease. */
export class Scan {
  readonly #network: Network
  readonly #times: BlockTimes
  readonly #firstDay: number
  readonly #days: number
  readonly #rows: FlowRows
  readonly #flows = new GrowingColumns(flowRowColumns)
  readonly #youngSpends = new GrowingColumns(youngRowColumns)
  readonly #blocks = new GrowingColumns(blockColumns)
  readonly #histograms = new GrowingColumns(histogramColumns)
  readonly #kindFlows = new GrowingColumns(kindFlowColumns)
  readonly #createdKinds = new GrowingColumns(createdKindColumns)
  readonly #youngKinds = new GrowingColumns(youngKindColumns)
  /** By creation day, then an hour's young spends by recency, which are added to their days. */
  readonly #spentKinds: KindRows
  readonly #newKinds: KindRows
  /** Input scripts of coinbases, one character per byte. */
  readonly #coinbaseTexts: string[] = []
  /**
   * Scripts of outputs with at least 1 % of a coinbase's value, largest first, comma-separated
   * hexadecimal.
   */
  readonly #payouts: string[] = []
  readonly #outputHours = new OutputHours()
  readonly #packedHours = { hour: [] as number[], broad: [] as string[], narrow: [] as string[] }
  readonly #activeSets: ActiveSets | undefined
  readonly #addresses: AddressMode
  readonly #addressEvents: AddressEvents | undefined
  readonly #labelEvents: AddressEvents | undefined
  readonly #binCounts = Array.from({ length: transferHistogram + 1 }, () => new Float64Array(binCount))
  #transactionFees = new Float64Array(4096)
  readonly #transactions = new TransactionSums({
    fees: this.#binCounts[feeHistogram]!,
    feeRates: this.#binCounts[feeRateHistogram]!,
    transfers: this.#binCounts[transferHistogram]!,
  })
  /** Two limbs. */
  readonly #spentSats = new Float64Array(2)
  #day = -1
  #hour = -1

  /** `labels` are addresses whose outputs are listed apart; see `createLabelTable`. */
  constructor(network: Network, times: BlockTimes, addresses: AddressMode = 'off', labels?: Uint32Array) {
    this.#network = network
    const sample = samples[addresses]
    this.#addresses = addresses
    if (sample) {
      this.#addressEvents = createAddressEvents(sample)
      this.#activeSets = spareSets ?? new ActiveSets()
      spareSets = undefined
    }
    if (labels) this.#labelEvents = createLabelEvents(labels)
    this.#times = times
    this.#firstDay = times.days[0]!
    this.#days = times.days.at(-1)! - this.#firstDay + 1
    this.#rows = new FlowRows(this.#days)
    this.#spentKinds = new KindRows(this.#days + recencies, (row, kind, sats, outputs) => {
      const recency = row - this.#days
      if (recency < 0) this.#kindFlows.push([this.#day + this.#firstDay, row + this.#firstDay, kind, sats, outputs])
      else {
        this.#youngKinds.push([this.#hour, recency, kind, sats])
        this.#spentKinds.add(this.#day - Number(recency === 0), kind, sats, outputs)
      }
    })
    this.#newKinds = new KindRows(1, (_, ...row) => this.#createdKinds.push([this.#day + this.#firstDay, ...row]))
  }

  /** Throws `block_corrupt` for a block with impossible amounts. */
  addBlock(height: number, block: DecodedBlock): void {
    const day = this.#times.days[height]! - this.#firstDay
    const hour = Math.floor(this.#times.times[height]! / secondsPerHour)
    if (hour !== this.#hour) this.#endHour()
    if (day !== this.#day) this.#endDay()
    this.#day = day
    this.#hour = hour

    if (block.transactionCount > this.#transactionFees.length) {
      this.#transactionFees = new Float64Array(2 * block.transactionCount)
    }
    const feesSats = this.#checkValues(height, block)
    this.#transactions.add(block, this.#transactionFees)
    const createdValues = this.#binCounts[createdValueHistogram]!
    // The genesis coinbase is not in the UTXO set.
    if (height > 0) for (let i = 0; i < block.createdCount; i++) createdValues[toBin(block.createdValues[i]!)]!++

    this.#outputHours.add(height, block, this.#times.times)

    const spentSats = this.#spentSats.fill(0)
    this.#addSpent(height, block, spentSats)
    if (height === 0) loseOutputs(block)
    for (let kind = 0; kind < kindCount; kind++) {
      const outputs = block.createdOutputs[kind]!
      if (outputs > 0) this.#newKinds.add(0, kind, block.createdSats[kind]!, outputs)
      for (let carries = block.createdCarries[kind]!; carries > 0; carries--) this.#newKinds.add(0, kind, carrySats, 0)
    }
    const values = [
      height,
      ...decodedColumns.map(([, property]) => block[property]),
      block.outputSats[0]!,
      feesSats,
      ...this.#transactions.values,
    ]
    this.#blocks.push(values, spentSats)
    // The genesis coinbase is not in the UTXO set.
    if (height > 0) {
      this.#activeSets?.add(block.createdIdentities, block.createdCount, received)
      this.#activeSets?.add(block.spentIdentities, block.spentCount, sent)
      if (this.#addressEvents) this.#addAddresses(this.#addressEvents, height, block)
      if (this.#labelEvents) this.#addAddresses(this.#labelEvents, height, block)
    }
    const { inputScript, outputs } = block.coinbase
    this.#coinbaseTexts.push(Buffer.from(inputScript).toString('latin1'))
    this.#payouts.push(
      outputs
        .filter(({ sats }) => sats > 0 && sats >= block.outputSats[0]! / 100)
        .sort((a, b) => b.sats - a.sats)
        .map(({ script }) => Buffer.from(script).toString('hex'))
        .join(),
    )
  }

  /** Returns the tables of all added blocks. Do not use the scan afterwards. */
  finish() {
    this.#endHour()
    this.#endDay()
    this.#spentKinds.close()
    const blocks = this.#blocks.take()
    const sampled = this.#addresses === 'sample' ? this.#addressEvents : undefined
    return {
      flows: this.#flows.take(),
      young_spends: this.#youngSpends.take(),
      blocks,
      histograms: this.#histograms.take(),
      kind_flows: this.#kindFlows.take(),
      created_kinds: this.#createdKinds.take(),
      young_kinds: this.#youngKinds.take(),
      coinbases: { height: blocks.height.slice(), text: this.#coinbaseTexts, payouts: this.#payouts },
      output_hours: { ...this.#packedHours, hour: Float64Array.from(this.#packedHours.hour) },
      /** Empty unless addresses are sampled. */
      address_events: (sampled ?? new AddressEvents(() => false)).toColumns(),
    }
  }

  /** Call it after `finish`: returns what is stored apart from the tables. */
  takeAddresses() {
    spareSets = this.#activeSets
    return {
      /** Addresses active on each day. */
      activeSets: this.#activeSets?.take(),
      /** Outputs of labelled addresses. */
      labelEvents: this.#labelEvents?.toColumns(),
      /** Outputs of all addresses, if counted. */
      packedEvents:
        this.#addresses === 'all' && this.#addressEvents ? packEvents(this.#addressEvents.words) : undefined,
    }
  }

  #addAddresses(events: AddressEvents, height: number, block: DecodedBlock): void {
    const { createdIdentities, createdTypes, createdValues, spentIdentities, spentHeights, spentKinds, spentSats } =
      block
    const { days } = this.#times
    const day = days[height]!
    for (let i = 0; i < block.createdCount; i++) {
      const high = createdIdentities[2 * i]!
      const low = createdIdentities[2 * i + 1]!
      const sats = createdValues[i]!
      if (sats > 0 && events.isWanted(high, low, sats)) events.add(day, day, createdTypes[i]!, high, low, sats)
    }
    for (let i = 0; i < block.spentCount; i++) {
      const high = spentIdentities[2 * i]!
      const low = spentIdentities[2 * i + 1]!
      const sats = spentSats[i]!
      if (!events.isWanted(high, low, sats)) continue
      events.add(day, days[spentHeights[i]!]!, toScriptType(spentKinds[i]!), high, low, -sats)
    }
    for (const { height: before, overwrittenByHeight } of this.#network.overwrittenCoinbases) {
      if (overwrittenByHeight !== height) continue
      // Both coinbases are the same transaction: the outputs of the first leave the supply.
      for (let i = 0; i < block.outputCounts[0]!; i++) {
        const [high, low] = createdIdentities.subarray(2 * i)
        const sats = createdValues[i]!
        if (sats === 0 || !events.isWanted(high!, low!, sats)) continue
        events.add(day, days[before]!, createdTypes[i]!, high!, low!, -sats)
      }
    }
  }

  /** Adds spent outputs to the flows, the age histogram and the limbs of `total`. */
  #addSpent(height: number, block: DecodedBlock, total: Float64Array): void {
    const { spentCount, spentHeights, spentSats, spentKinds } = block
    const { times } = this.#times
    const time = times[height]!
    const firstDay = this.#firstDay
    const days = this.#days
    const yesterday = (this.#day + firstDay - 1) * secondsPerDay
    const hourStart = this.#hour * secondsPerHour
    const rows = this.#rows
    const kindRows = this.#spentKinds
    const ages = this.#binCounts[spentAgeHistogram]!
    const values = this.#binCounts[spentValueHistogram]!
    for (let i = 0; i < spentCount; i++) {
      const created = spentHeights[i]!
      if (created > height) {
        throw corrupt(height, `spends an output of block ${created}, which comes later`)
      }
      const sats = spentSats[i]!
      const createdTime = times[created]!
      const age = time - createdTime
      // Looking up the day by height would be slower: memory is slower than arithmetic.
      const createdDay = ((createdTime / secondsPerDay) >>> 0) - firstDay
      const youth = createdTime - yesterday
      // Unpredictable like ages: −1 or 0 selects without a branch.
      const old = youth >> 31
      rows.addSpent((createdDay & old) | ((days + ((youth / secondsPerHour) | 0)) & ~old), sats, age)
      const recency = 2 + ((youth - secondsPerDay) >> 31) + ((createdTime - hourStart) >> 31)
      kindRows.add((createdDay & old) | ((days + recency) & ~old), spentKinds[i]!, sats, 1)
      if (age >= secondsPerHour) ages[toBin(age)]!++
      values[toBin(sats)]!++
      const low = total[0]! + sats
      total[0] = low
      if (low >= limb) carry(total, 0)
    }
  }

  #checkValues(height: number, block: DecodedBlock): number {
    let fees: number
    try {
      fees = transactionFees(block, this.#transactionFees)
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause
      throw corrupt(height, `cannot be right: ${cause.message}`)
    }
    const allowed = subsidySats(this.#network, height) + fees
    if (block.outputSats[0]! > allowed) {
      throw corrupt(height, `claims ${block.outputSats[0]} satoshis; subsidy and fees are ${allowed}`)
    }
    return fees
  }

  #endHour(): void {
    if (this.#hour < 0) return
    const firstHour = (this.#day + this.#firstDay - 1) * hoursPerDay
    this.#rows.drainHour(this.#day, (createdHour, young) => {
      this.#youngSpends.push([this.#hour, firstHour + createdHour], young)
    })
    for (let recency = 0; recency < recencies; recency++) this.#spentKinds.drainRow(this.#days + recency)
    const packed = this.#outputHours.take()
    if (!packed) return
    this.#packedHours.hour.push(this.#hour)
    this.#packedHours.broad.push(packed.broad)
    this.#packedHours.narrow.push(packed.narrow)
  }

  #endDay(): void {
    if (this.#day < 0) return
    const day = this.#day + this.#firstDay
    this.#rows.drain((createdDay, sums) => {
      this.#flows.push([day, createdDay + this.#firstDay], sums)
    })
    this.#activeSets?.endDay(day)
    this.#spentKinds.drain()
    this.#newKinds.drain()
    for (const [kind, counts] of this.#binCounts.entries()) {
      for (let bin = 0; bin < counts.length; bin++) {
        if (counts[bin] === 0) continue
        this.#histograms.push([day, kind, bin, counts[bin]!])
        counts[bin] = 0
      }
    }
  }
}

/** The genesis coinbase is not in the UTXO set. */
function loseOutputs({ createdSats, createdOutputs, outputSats, outputCount }: DecodedBlock): void {
  const kind = toKind(unspendable, sizeOf(outputSats[0]!), 1)
  createdSats.fill(0)[kind] = outputSats[0]!
  createdOutputs.fill(0)[kind] = outputCount
}

function corrupt(height: number, what: string): CoinstrataError {
  return new CoinstrataError('block_corrupt', `block ${height} ${what}`, {
    cure: 'make the node check its files: restart it with -reindex',
  })
}

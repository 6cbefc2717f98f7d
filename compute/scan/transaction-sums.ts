import { kindsOf } from '#contract/kinds.ts'
import type { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { marks } from '#ingest/chain/transaction-marks.ts'
import { carry, limb } from './limbs.ts'
import { binCount, toBin } from './log-histogram.ts'

/** Counts of one mark each. */
const markColumns = [
  ['version_1_transactions', marks.version1],
  ['version_2_transactions', marks.version2],
  ['version_3_transactions', marks.version3],
  ['locked_transactions', marks.locked],
  ['replaceable_transactions', marks.replaceable],
  ['segwit_transactions', marks.witness],
  ['inscription_transactions', marks.inscription],
  ['runestone_transactions', marks.runestone],
  ['op_return_transactions', marks.opReturn],
  ['several_op_return_transactions', marks.severalOpReturns],
] as const
const markBits = markColumns.map(([, bit]) => bit)
const markCombinations = 2 * marks.equalOutputs

/** Counts of transactions other than the coinbase; see `contract/tables/chain.ts` for the rules. */
export const transactionColumns = [
  'taproot_transactions',
  'one_to_one_transactions',
  'consolidation_transactions',
  'batch_transactions',
  'coinjoin_like_transactions',
  ...markColumns.map(([name]) => name),
] as const

/** Ratio of inputs to outputs of a consolidation, and of outputs to inputs of a batch. */
const manyToOne = 5

/**
 * Quantiles of the fee rate, in thousandths of a satoshi per virtual byte; 0 if the coinbase is
 * alone.
 */
export const feeRateColumns = [
  'fee_rate_min',
  'fee_rate_p10',
  'fee_rate_p25',
  'fee_rate_median',
  'fee_rate_p75',
  'fee_rate_p90',
  'fee_rate_max',
] as const
const quantiles = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]

/**
 * Fee per virtual byte, rounded down to thousandths of a satoshi. Bins end at 2^53, or 90,000 BTC
 * per byte.
 */
const toFeeRate = (feeSats: number, weight: number): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.floor((1000 * feeSats) / ((weight + 3) >>> 2)))

const isTaproot = new Uint8Array(2 ** 16)
for (const kind of kindsOf('p2tr')) isTaproot[kind] = 1

/** Columns of segment table `blocks` from transactions. */
export const transactionSumColumns = [
  'adjusted_sats_low',
  'adjusted_sats_high',
  ...transactionColumns,
  ...feeRateColumns,
] as const

/** A day's histograms over transactions, by bin. */
export interface TransactionHistograms {
  readonly fees: Float64Array
  readonly feeRates: Float64Array
  readonly transfers: Float64Array
}

/** Adds up transactions of one block at a time. Arrays are reused. */
export class TransactionSums {
  /** In the order of `transactionSumColumns`. */
  readonly values = new Float64Array(transactionSumColumns.length)
  readonly #counts = this.values.subarray(2)
  readonly #markCounts = new Uint32Array(markCombinations)
  readonly #histograms: TransactionHistograms
  #rates = new Float64Array(4096)
  #rateBins = new Uint16Array(4096)
  readonly #binCounts = new Uint32Array(binCount)
  #sameBin = new Float64Array(4096)

  constructor(histograms: TransactionHistograms) {
    this.#histograms = histograms
  }

  /** Also adds to the histograms. `feesSats` are the fees by transaction. */
  add(block: DecodedBlock, feesSats: Float64Array): void {
    const { transactionCount, inputCounts, outputCounts, outputSats, largestOutputs, transactionWeights } = block
    const { marks: ownMarks, spentKinds } = block
    const { fees, feeRates, transfers } = this.#histograms
    const adjustedSats = this.values
    const markCounts = this.#markCounts.fill(0)
    this.values.fill(0)
    if (this.#rates.length < transactionCount) {
      this.#rates = new Float64Array(2 * transactionCount)
      this.#rateBins = new Uint16Array(2 * transactionCount)
      this.#sameBin = new Float64Array(2 * transactionCount)
    }
    const rates = this.#rates
    const rateBins = this.#rateBins
    const binCounts = this.#binCounts.fill(0)
    let taproots = 0
    let oneToOne = 0
    let consolidations = 0
    let batches = 0
    let coinjoins = 0
    let spent = 0
    for (let i = 1; i < transactionCount; i++) {
      const mark = ownMarks[i]!
      const inputs = inputCounts[i]!
      const outputs = outputCounts[i]!
      const sats = outputSats[i]!
      let taproot = 0
      for (const end = spent + inputs; spent < end; spent++) taproot |= isTaproot[spentKinds[spent]!]!
      taproots += taproot
      markCounts[mark]!++
      if (inputs === 1 && outputs === 1) oneToOne++
      else if (inputs >= manyToOne * outputs) consolidations++
      else if (outputs >= manyToOne * inputs) batches++
      else if (mark & marks.equalOutputs) coinjoins++
      const low = adjustedSats[0]! + (outputs === 1 ? sats : sats - largestOutputs[i]!)
      adjustedSats[0] = low
      if (low >= limb) carry(adjustedSats, 0)
      const rate = toFeeRate(feesSats[i]!, transactionWeights[i]!)
      const bin = toBin(rate)
      rates[i - 1] = rate
      rateBins[i - 1] = bin
      binCounts[bin]!++
      fees[toBin(feesSats[i]!)]!++
      feeRates[bin]!++
      transfers[toBin(sats)]!++
    }
    const counts = this.#counts
    counts.set([taproots, oneToOne, consolidations, batches, coinjoins])
    for (let mark = 1; mark < markCombinations; mark++) {
      const count = markCounts[mark]!
      if (count === 0) continue
      for (let i = 0; i < markBits.length; i++) if (mark & markBits[i]!) counts[5 + i]! += count
    }
    this.#addQuantiles(transactionCount - 1)
  }

  /**
   * Exact quantiles of fee rates. Sorts only the rates of their bins: sorting all takes as long as
   * everything else here.
   */
  #addQuantiles(count: number): void {
    if (count === 0) return
    let bin = 0
    let before = 0
    for (let i = 0; i < quantiles.length; i++) {
      const rank = Math.max(0, Math.ceil(quantiles[i]! * count) - 1)
      while (before + this.#binCounts[bin]! <= rank) before += this.#binCounts[bin++]!
      let length = 0
      for (let at = 0; at < count; at++) if (this.#rateBins[at] === bin) this.#sameBin[length++] = this.#rates[at]!
      this.values[transactionSumColumns.length - quantiles.length + i] = this.#sameBin.subarray(0, length).sort()[
        rank - before
      ]!
    }
  }
}

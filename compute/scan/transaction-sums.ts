import { kindsOf } from '#contract/kinds.ts'
import type { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { marks } from '#ingest/chain/transaction-marks.ts'
import { carry, limb } from './limbs.ts'
import { toBin } from './log-histogram.ts'

/** Counts of transactions other than the coinbase; `contract/tables/chain.ts` has the rules. */
export const transactionColumns = [
  'version_1_transactions',
  'version_2_transactions',
  'version_3_transactions',
  'locked_transactions',
  'replaceable_transactions',
  'segwit_transactions',
  'taproot_transactions',
  'one_to_one_transactions',
  'consolidation_transactions',
  'batch_transactions',
  'coinjoin_like_transactions',
  'inscription_transactions',
  'runestone_transactions',
  'op_return_transactions',
  'several_op_return_transactions',
] as const

/** Ratio of inputs to outputs, or of outputs to inputs, that makes a consolidation or a batch. */
const manyToOne = 5

/** Quantiles of the fee rate, in thousandths of a satoshi per virtual byte; 0 if the coinbase is alone. */
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

/** Fee per virtual byte, rounded down to thousandths of a satoshi. Bins end at 2^53, which would be 90,000 BTC per byte. */
const toFeeRate = (feeSats: number, weight: number): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.floor((1000 * feeSats) / Math.ceil(weight / 4)))

const isTaproot = new Uint8Array(2 ** 16)
for (const kind of kindsOf('p2tr')) isTaproot[kind] = 1

/** Columns of the segment table `blocks` that come from transactions. */
export const transactionSumColumns = [
  'adjusted_sats_low',
  'adjusted_sats_high',
  ...transactionColumns,
  ...feeRateColumns,
] as const

/** Histograms of a day over its transactions, by bin. */
export interface TransactionHistograms {
  readonly fees: Float64Array
  readonly feeRates: Float64Array
  readonly transfers: Float64Array
}

/** Adds up the transactions of one block at a time. The arrays are reused. */
export class TransactionSums {
  /** In the order of `transactionSumColumns`. */
  readonly values = new Float64Array(transactionSumColumns.length)
  readonly #counts = this.values.subarray(2)
  readonly #histograms: TransactionHistograms
  #rates = new Float64Array(4096)

  constructor(histograms: TransactionHistograms) {
    this.#histograms = histograms
  }

  /** `feesSats` are the fees by transaction. Also adds to the histograms. */
  add(block: DecodedBlock, feesSats: Float64Array): void {
    const { transactionCount, inputCounts, outputCounts, outputSats, largestOutputs, transactionWeights } = block
    const { spentKinds } = block
    const { fees, feeRates, transfers } = this.#histograms
    const adjustedSats = this.values
    const counts = this.#counts
    this.values.fill(0)
    if (this.#rates.length < transactionCount) this.#rates = new Float64Array(2 * transactionCount)
    const rates = this.#rates
    let spent = 0
    for (let i = 1; i < transactionCount; i++) {
      const mark = block.marks[i]!
      const inputs = inputCounts[i]!
      const outputs = outputCounts[i]!
      const sats = outputSats[i]!
      let taproot = 0
      for (const end = spent + inputs; spent < end; spent++) taproot |= isTaproot[spentKinds[spent]!]!
      const consolidates = inputs >= manyToOne * outputs
      const isBatch = outputs >= manyToOne * inputs
      counts[0]! += mark & 1
      counts[1]! += (mark >> 1) & 1
      counts[2]! += (mark >> 2) & 1
      counts[3]! += mark & marks.locked ? 1 : 0
      counts[4]! += mark & marks.replaceable ? 1 : 0
      counts[5]! += mark & marks.witness ? 1 : 0
      counts[6]! += taproot
      counts[7]! += inputs === 1 && outputs === 1 ? 1 : 0
      counts[8]! += consolidates ? 1 : 0
      counts[9]! += isBatch ? 1 : 0
      counts[10]! += mark & marks.equalOutputs && !consolidates && !isBatch ? 1 : 0
      counts[11]! += mark & marks.inscription ? 1 : 0
      counts[12]! += mark & marks.runestone ? 1 : 0
      counts[13]! += mark & marks.opReturn ? 1 : 0
      counts[14]! += mark & marks.severalOpReturns ? 1 : 0
      const low = adjustedSats[0]! + (outputs === 1 ? sats : sats - largestOutputs[i]!)
      adjustedSats[0] = low
      if (low >= limb) carry(adjustedSats, 0)
      const rate = toFeeRate(feesSats[i]!, transactionWeights[i]!)
      rates[i - 1] = rate
      fees[toBin(feesSats[i]!)]!++
      feeRates[toBin(rate)]!++
      transfers[toBin(sats)]!++
    }
    const sorted = rates.subarray(0, transactionCount - 1).sort()
    for (let i = 0; i < quantiles.length; i++) {
      const rank = Math.max(0, Math.ceil(quantiles[i]! * sorted.length) - 1)
      counts[transactionColumns.length + i] = sorted[rank] ?? 0
    }
  }
}

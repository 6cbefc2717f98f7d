import type { Coin } from './coins.ts'
import type { OutputScripts, OutputType } from './output-scripts.ts'
import type { Random } from './random.ts'
import { type EncodedTransaction, encodeTransaction } from './transaction-bytes.ts'

export interface NewOutput {
  readonly type: OutputType
  readonly script: Uint8Array
  readonly sats: number
}

export interface SimulatedTransaction extends EncodedTransaction {
  readonly spent: readonly Coin[]
  readonly outputs: readonly Coin[]
  readonly feeSats: number
}

export interface TransactionPlan {
  readonly height: number
  readonly spent: readonly Coin[]
  readonly outputs: readonly NewOutput[]
  readonly scripts: OutputScripts
  readonly random: Random
  readonly segwit: boolean
}

export function buildTransaction({
  height,
  spent,
  outputs,
  scripts,
  random,
  segwit,
}: TransactionPlan): SimulatedTransaction {
  const version = 1 + random.integer(2)
  const locktime = random.chance(0.1) ? height - 1 : 0
  const sequence = random.chance(0.3) ? 0xffff_fffd : 0xffff_ffff
  const inputs = spent.map(({ txid, index, type }) => ({
    ...{ hash: txid, index, sequence },
    ...scripts.unlock(type, random, segwit),
  }))
  const encoded = encodeTransaction({ version, locktime, inputs, outputs })
  const { txid } = encoded
  return {
    ...encoded,
    spent,
    outputs: outputs.map((output, index) => ({ ...output, txid, index, height, coinbase: false })),
    feeSats: totalSats(spent) - totalSats(outputs),
  }
}

export function totalSats(amounts: readonly { readonly sats: number }[]): number {
  return amounts.reduce((sum, { sats }) => sum + sats, 0)
}

/** Splits an amount into `count` parts of very different sizes. */
export function splitSats(random: Random, sats: number, count: number): number[] {
  const weights: number[] = []
  for (let i = 0; i < count; i++) weights.push(Math.exp(1.2 * random.normal()))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const parts = weights.map((weight) => Math.floor((sats * weight) / total))
  parts[0]! += sats - parts.reduce((sum, part) => sum + part, 0)
  return parts
}

import { Transaction } from 'bitcoinjs-lib'
import { doubleSha256 } from '../chain/bytes.ts'
import type { Coin } from './coins.ts'
import type { OutputScripts, OutputType } from './output-scripts.ts'
import type { Random } from './random.ts'

export interface NewOutput {
  readonly type: OutputType
  readonly script: Uint8Array
  readonly sats: number
}

export interface SimulatedTransaction {
  readonly txid: Uint8Array
  /** Hash with the witnesses. */
  readonly wtxid: Uint8Array
  readonly bytes: Uint8Array
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
  /** Whether witnesses are in use yet. */
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
  const transaction = new Transaction()
  transaction.version = 1 + random.integer(2)
  transaction.locktime = random.chance(0.1) ? height - 1 : 0
  const sequence = random.chance(0.3) ? 0xffff_fffd : 0xffff_ffff
  for (const coin of spent) {
    const { script, witness } = scripts.unlock(coin.type, random, segwit)
    transaction.ins.push({ hash: coin.txid, index: coin.index, script, sequence, witness })
  }
  for (const { script, sats } of outputs) transaction.outs.push({ script, value: BigInt(sats) })
  const bytes = transaction.toBuffer()
  const wtxid = doubleSha256(bytes)
  const txid = transaction.hasWitnesses() ? transaction.getHash() : wtxid
  return {
    txid,
    wtxid,
    bytes,
    spent,
    outputs: outputs.map((output, index) => ({ ...output, txid, index, height, coinbase: false })),
    feeSats: totalSats(spent) - totalSats(outputs),
  }
}

export function totalSats(amounts: readonly { readonly sats: number }[]): number {
  return amounts.reduce((sum, { sats }) => sum + sats, 0)
}

/** Divides an amount into `count` parts of very different sizes. */
export function splitSats(random: Random, sats: number, count: number): number[] {
  const weights = Array.from({ length: count }, () => Math.exp(1.2 * random.normal()))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const parts = weights.map((weight) => Math.floor((sats * weight) / total))
  parts[0]! += sats - parts.reduce((sum, part) => sum + part, 0)
  return parts
}

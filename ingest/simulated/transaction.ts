import { doubleSha256 } from '../chain/bytes.ts'
import { ByteWriter } from './byte-writer.ts'
import type { Coin } from './coins.ts'
import type { OutputScripts, OutputType } from './output-scripts.ts'
import type { Random } from './random.ts'

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

export function buildTransaction(plan: TransactionPlan): SimulatedTransaction {
  const { height, spent, outputs, scripts, random, segwit } = plan
  const version = 1 + random.integer(2)
  const locktime = random.chance(0.1) ? height - 1 : 0
  const sequence = random.chance(0.3) ? 0xffff_fffd : 0xffff_ffff
  const inputs = spent.map(({ txid, index, type }) => ({
    hash: txid,
    index,
    sequence,
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

export const totalSats = (amounts: readonly { readonly sats: number }[]): number =>
  amounts.reduce((sum, { sats }) => sum + sats, 0)

export function splitSats(random: Random, sats: number, count: number): number[] {
  const weights: number[] = []
  for (let i = 0; i < count; i++) weights.push(Math.exp(1.2 * random.normal()))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const parts = weights.map((weight) => Math.floor((sats * weight) / total))
  parts[0]! += sats - parts.reduce((sum, part) => sum + part, 0)
  return parts
}

export interface TransactionParts {
  readonly version: number
  readonly locktime: number
  readonly inputs: readonly TransactionInput[]
  readonly outputs: readonly { readonly script: Uint8Array; readonly sats: number }[]
}

export interface TransactionInput {
  readonly hash: Uint8Array
  readonly index: number
  readonly script: Uint8Array
  readonly sequence: number
  readonly witness: readonly Uint8Array[]
}

export interface EncodedTransaction {
  readonly bytes: Uint8Array
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
}

const writer = new ByteWriter()

/** Includes witnesses if there are any (BIP144). */
export function encodeTransaction(parts: TransactionParts): EncodedTransaction {
  const hasWitnesses = parts.inputs.some(({ witness }) => witness.length > 0)
  const bytes = encode(parts, hasWitnesses)
  const wtxid = doubleSha256(bytes)
  return { bytes, wtxid, txid: hasWitnesses ? doubleSha256(encode(parts, false)) : wtxid }
}

function encode({ version, locktime, inputs, outputs }: TransactionParts, withWitnesses: boolean): Uint8Array {
  writer.length = 0
  writer.uint32(version)
  if (withWitnesses) {
    // Marker and flag.
    writer.uint8(0)
    writer.uint8(1)
  }
  writer.compactSize(inputs.length)
  for (const { hash, index, script, sequence } of inputs) {
    writer.bytes(hash)
    writer.uint32(index)
    writer.compactSize(script.length)
    writer.bytes(script)
    writer.uint32(sequence)
  }
  writer.compactSize(outputs.length)
  for (const { script, sats } of outputs) {
    writer.uint32(sats % 2 ** 32)
    writer.uint32(Math.floor(sats / 2 ** 32))
    writer.compactSize(script.length)
    writer.bytes(script)
  }
  if (withWitnesses) {
    for (const { witness } of inputs) {
      writer.compactSize(witness.length)
      for (const item of witness) {
        writer.compactSize(item.length)
        writer.bytes(item)
      }
    }
  }
  writer.uint32(locktime)
  return writer.toBytes()
}

import { doubleSha256 } from '../chain/bytes.ts'
import { ByteWriter } from './byte-writer.ts'

export interface TransactionParts {
  readonly version: number
  readonly locktime: number
  readonly inputs: readonly TransactionInput[]
  readonly outputs: readonly { readonly script: Uint8Array; readonly sats: number }[]
}

export interface TransactionInput {
  /** Txid in internal byte order. */
  readonly hash: Uint8Array
  readonly index: number
  readonly script: Uint8Array
  readonly sequence: number
  readonly witness: readonly Uint8Array[]
}

export interface EncodedTransaction {
  readonly bytes: Uint8Array
  /** In internal byte order. */
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
}

const writer = new ByteWriter()

/** Serializes a transaction, with its witnesses if it has any (BIP144). */
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

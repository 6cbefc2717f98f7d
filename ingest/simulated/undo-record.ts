import { ECDH } from 'node:crypto'
import { memoize } from '#base/memoize.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { doubleSha256, noKey } from '../chain/bytes.ts'
import { scriptTypeAt } from '../chain/output-kind.ts'
import { ByteWriter } from './byte-writer.ts'

const writer = new ByteWriter()

export interface SpentOutput {
  readonly sats: number
  readonly script: Uint8Array
  readonly height: number
  readonly coinbase: boolean
}

/**
 * Encodes a block's undo data (`undo.h`, since Bitcoin Core 0.15) from the spent outputs of each
 * transaction but the coinbase.
 */
export function encodeUndo(transactions: readonly (readonly SpentOutput[])[]): Uint8Array {
  writer.length = 0
  writer.compactSize(transactions.length)
  for (const spent of transactions) {
    writer.compactSize(spent.length)
    for (const output of spent) {
      writer.varint(output.height * 2 + (output.coinbase ? 1 : 0))
      // Formerly the transaction version.
      if (output.height > 0) writer.uint8(0)
      writer.varint(compressAmount(output.sats))
      writeCompressedScript(writer, output.script)
    }
  }
  return writer.toBytes()
}

/** SHA256d(hash of the previous block ‖ undo data). */
export const undoChecksum = (previousHash: Uint8Array, undo: Uint8Array): Uint8Array =>
  doubleSha256(Buffer.concat([previousHash, undo]))

const specialForms = 6

/** Bitcoin Core's `CompressScript`: special forms for key hash, script hash and key. */
export function writeCompressedScript(writer: ByteWriter, script: Uint8Array): void {
  const type = scriptTypes[scriptTypeAt(script, noKey, 0, script.length)]
  if (type === 'p2pkh') {
    writer.uint8(0)
    writer.bytes(script.subarray(3, 23))
  } else if (type === 'p2sh') {
    writer.uint8(1)
    writer.bytes(script.subarray(2, 22))
  } else if (type === 'p2pk' && script[0] === 33) {
    writer.bytes(script.subarray(1, 34))
  } else if (type === 'p2pk' && script[1] === 4 && isOnCurve(Buffer.from(script.subarray(1, 66)).toString('latin1'))) {
    writer.uint8(4 | (script[65]! & 1))
    writer.bytes(script.subarray(2, 34))
  } else {
    writer.varint(script.length + specialForms)
    writer.bytes(script)
  }
}

/**
 * Off-curve keys are not compressed: their second half could not be restored. Cached, because the
 * chain has few keys and OpenSSL is slow.
 */
const isOnCurve = memoize((key: string): boolean => {
  try {
    ECDH.convertKey(Buffer.from(key, 'latin1'), 'secp256k1')
    return true
  } catch {
    return false
  }
})

/**
 * Bitcoin Core's `CompressAmount`. Results above 2^53 (odd amounts above about 10 million bitcoin)
 * are bigints.
 */
export function compressAmount(sats: number): number | bigint {
  if (sats === 0) return 0
  let mantissa = sats
  let exponent = 0
  while (exponent < 9 && mantissa % 10 === 0) {
    mantissa /= 10
    exponent++
  }
  if (exponent === 9) return 1 + (mantissa - 1) * 10 + 9
  const digit = mantissa % 10
  const head = (mantissa - digit) / 10
  const compressed = 1 + (head * 9 + digit - 1) * 10 + exponent
  return Number.isSafeInteger(compressed)
    ? compressed
    : 1n + (BigInt(head) * 9n + BigInt(digit - 1)) * 10n + BigInt(exponent)
}

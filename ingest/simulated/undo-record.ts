import { doubleSha256 } from '../chain/bytes.ts'
import { ByteWriter } from './byte-writer.ts'
import { compressAmount, writeCompressedScript } from './compressor.ts'

const writer = new ByteWriter()

export interface SpentOutput {
  readonly sats: number
  readonly script: Uint8Array
  /** Height of the block that created it. */
  readonly height: number
  readonly coinbase: boolean
}

/**
 * Encodes the undo data of a block as Bitcoin Core does since 0.15 (`undo.h`), from the spent outputs of each
 * transaction except the coinbase, in input order.
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

/** The checksum after a block's undo data: SHA256d(hash of the previous block ‖ undo data). */
export function undoChecksum(previousHash: Uint8Array, undo: Uint8Array): Uint8Array {
  return doubleSha256(Buffer.concat([previousHash, undo]))
}

import { doubleSha256 } from '../chain/bytes.ts'
import { compressAmount } from './amount-compression.ts'
import { ByteWriter } from './byte-writer.ts'
import { writeCompressedScript } from './script-compression.ts'
import { writeVarint } from './varint.ts'

const writer = new ByteWriter()

/** An output as an undo record keeps it. */
export interface SpentOutput {
  readonly sats: number
  readonly script: Uint8Array
  /** Height of the block that created it. */
  readonly height: number
  /** Whether a coinbase created it. */
  readonly coinbase: boolean
}

/**
 * The undo data of one block as Bitcoin Core has written them since 0.15 (`undo.h`).
 * @param transactions the spent outputs of each transaction but the coinbase, in the order of its inputs
 */
export function encodeUndo(transactions: readonly (readonly SpentOutput[])[]): Uint8Array {
  writer.length = 0
  writer.compactSize(transactions.length)
  for (const spent of transactions) {
    writer.compactSize(spent.length)
    for (const output of spent) {
      writeVarint(writer, output.height * 2 + (output.coinbase ? 1 : 0))
      // Where the transaction's version once stood.
      if (output.height > 0) writer.uint8(0)
      writeVarint(writer, compressAmount(output.sats))
      writeCompressedScript(writer, output.script)
    }
  }
  return writer.toBytes()
}

/** What Bitcoin Core writes behind the undo data of a block: SHA256d(hash of the previous block ‖ undo data). */
export function undoChecksum(previousHash: Uint8Array, undo: Uint8Array): Uint8Array {
  return doubleSha256(Buffer.concat([previousHash, undo]))
}

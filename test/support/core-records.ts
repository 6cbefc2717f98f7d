import { type FileRecord, walkRecords } from '#ingest/chain/records.ts'
import { undoChecksumBytes } from '#ingest/chain/undo-pairing.ts'
import { undoChecksum } from '#ingest/simulated/undo-record.ts'

/** A record of a block file: magic, size and body. */
export function blockRecord(magic: number, body: Uint8Array, size = body.length): Buffer {
  const prefix = Buffer.alloc(8)
  prefix.writeUInt32LE(magic)
  prefix.writeUInt32LE(size, 4)
  return Buffer.concat([prefix, body])
}

/**
 * A record of an undo file: magic, size, body, and the checksum, which covers the hash of the
 * parent, too.
 */
export const undoRecord = (magic: number, previousHash: Uint8Array, undo: Uint8Array): Buffer =>
  Buffer.concat([blockRecord(magic, undo), undoChecksum(previousHash, undo)])

export const undoRecordsIn = (magic: number, file: Uint8Array): FileRecord[] => [
  ...walkRecords((at, length) => file.subarray(at, at + length), file.length, magic, undoChecksumBytes),
]

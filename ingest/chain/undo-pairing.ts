import { doubleSha256, tryCompactSize } from './bytes.ts'
import { readWholeFile } from './node-file.ts'
import { type FileRecord, walkRecords } from './records.ts'

export const undoChecksumBytes = 32

export interface PairingBlock {
  /** In internal byte order. */
  readonly previousHash: Uint8Array
  readonly transactionCount: number
}

export interface UndoPairing {
  /** By block: index of the claimed record; −1 if none fits. */
  readonly claimed: Int32Array
  /**
   * By block: further records that fit. The checksum covers the parent, not the block, so records
   * of siblings can fit.
   */
  readonly rivals: ReadonlyMap<number, readonly number[]>
  /** Records without a block: of stale blocks, or remains of a -reindex. */
  readonly unclaimed: number
}

/** A missing file is empty. */
export function readUndoFile(file: string, key: Uint8Array, magic: number) {
  const undo = readWholeFile(file, key)
  const read = (at: number, length: number): Uint8Array => undo.subarray(at, at + length)
  return { undo, records: [...walkRecords(read, undo.length, magic, undoChecksumBytes)] }
}

/**
 * Pairs blocks, in chain order, with their file's undo records. A record fits if its checksum
 * covers the block's parent and it has an entry per spending transaction.
 */
export function pairUndoRecords(
  blocks: readonly PairingBlock[],
  undo: Uint8Array,
  records: readonly FileRecord[],
): UndoPairing {
  const counts = records.map((record) => spendingTransactions(undo, record))
  const free = records.map(() => true)
  const claimed = new Int32Array(blocks.length).fill(-1)
  let next = 0

  const lookUp = recordLookup(undo, records, counts)

  const claim = (block: number, record: number): boolean => {
    if (!free[record] || !fits(blocks[block]!, counts[record]!, undo, records[record]!)) return false
    claimed[block] = record
    free[record] = false
    return true
  }
  for (let block = 0; block < blocks.length; block++) {
    // Records are in order of connection, so the next one nearly always fits.
    let found = next < records.length && claim(block, next) ? next : -1
    for (const record of found < 0 ? lookUp(blocks[block]!) : []) {
      if (claim(block, record)) {
        found = record
        break
      }
    }
    if (found >= 0) next = found + 1
  }
  const unclaimed = records.flatMap((_, record) => (free[record] ? [record] : []))
  return { claimed, rivals: findRivals(blocks, undo, records, counts, claimed, unclaimed), unclaimed: unclaimed.length }
}

function findRivals(
  blocks: readonly PairingBlock[],
  undo: Uint8Array,
  records: readonly FileRecord[],
  counts: readonly number[],
  claimed: Int32Array,
  unclaimed: readonly number[],
): Map<number, number[]> {
  const rivals = new Map<number, number[]>()
  if (unclaimed.length === 0) return rivals
  const checksum = (record: number): string => readChecksum(undo, records[record]!).toString('latin1')
  const claimedChecksums = new Set([...claimed].filter((record) => record >= 0).map(checksum))
  for (const record of unclaimed) {
    // A block that spends nothing has only one possible undo record.
    if (claimedChecksums.has(checksum(record)) || counts[record] === 0) continue
    for (const [block, candidate] of blocks.entries()) {
      if (claimed[block]! >= 0 && fits(candidate, counts[record]!, undo, records[record]!)) {
        rivals.set(block, [...(rivals.get(block) ?? []), record])
      }
    }
  }
  return rivals
}

function recordLookup(
  undo: Uint8Array,
  records: readonly FileRecord[],
  counts: readonly number[],
): (block: PairingBlock) => readonly number[] {
  let groups: Map<string, number[]> | undefined
  const nothingSpent = Uint8Array.of(0)
  return ({ previousHash, transactionCount }) => {
    // Early files hold a hundred thousand blocks that spend nothing; only checksums distinguish
    // their records.
    groups ??= Map.groupBy(counts.keys(), (record) =>
      counts[record] === 0 ? readChecksum(undo, records[record]!).toString('latin1') : String(counts[record]),
    )
    const spending = transactionCount - 1
    const key = spending === 0 ? doubleSha256(previousHash, nothingSpent) : undefined
    return groups.get(key ? Buffer.from(key).toString('latin1') : String(spending)) ?? []
  }
}

export const fitsUndo = (block: PairingBlock, undo: Uint8Array, record: FileRecord): boolean =>
  fits(block, spendingTransactions(undo, record), undo, record)

function fits(block: PairingBlock, spending: number, undo: Uint8Array, record: FileRecord): boolean {
  if (spending !== block.transactionCount - 1) return false
  const body = undo.subarray(record.offset, record.offset + record.size)
  return readChecksum(undo, record).equals(doubleSha256(block.previousHash, body))
}

const readChecksum = (undo: Uint8Array, { offset, size }: FileRecord): Buffer =>
  Buffer.from(undo.buffer, undo.byteOffset + offset + size, undoChecksumBytes)

const spendingTransactions = (undo: Uint8Array, { offset, size }: FileRecord): number =>
  tryCompactSize(undo, offset, offset + size) ?? -1

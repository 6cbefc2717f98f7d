import { CoinstrataError } from '#base/errors.ts'
import { displayHash } from './bytes.ts'
import type { FileUnit } from './file-unit.ts'
import { NodeFile } from './node-file.ts'
import { walkRecords } from './records.ts'
import { type PairingBlock, pairUndoRecords, undoChecksumBytes } from './undo-pairing.ts'

/** It lives as long as the worker, and with it the memory that it reads into. */
const file = new NodeFile()

/**
 * Holds the undo records of a unit against their checksums, given all its blocks in the unit's order. Returns an error
 * for each block that no record fits. Throws `source_unreadable`.
 */
export function findDamagedUndo(unit: FileUnit, blocks: readonly PairingBlock[]): CoinstrataError[] {
  // Genesis has no undo record: nothing can be spent before it.
  const first = unit.heights[0] === 0 ? 1 : 0
  file.open(unit.undoFile, unit.key)
  try {
    const read = (at: number, length: number): Uint8Array => file.read(at, length)
    const records = [...walkRecords(read, file.size, unit.magic, undoChecksumBytes)]
    const { claimed } = pairUndoRecords(blocks.slice(first), file.read(0, file.size), records)
    const taken = new Set(claimed)
    return [...claimed].flatMap((record, i) => {
      if (record >= 0) return []
      // Records stand in the order in which blocks were connected: nearly always each block has one, at its own place.
      const place = records.length === claimed.length ? i : (i > 0 ? claimed[i - 1]! : -1) + 1
      return [damagedUndo(unit, first + i, taken.has(place) ? undefined : records[place]?.offset)]
    })
  } finally {
    file.close()
  }
}

function damagedUndo(unit: FileUnit, i: number, offset: number | undefined): CoinstrataError {
  const hash = displayHash(unit.hashes.subarray(32 * i, 32 * i + 32))
  const block = `block ${unit.heights[i]} (${hash}), which stands in ${unit.blockFile} at offset ${unit.offsets[i]}`
  const message =
    offset === undefined
      ? `${unit.undoFile} has no undo record that fits ${block}`
      : `the undo record in ${unit.undoFile} at offset ${offset} does not fit ${block}, by its checksum`
  return new CoinstrataError('block_corrupt', message, {
    cure: 'make the node check its files: restart it with -reindex',
  })
}

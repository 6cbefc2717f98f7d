import { CoinstrataError } from '#root/errors.ts'
import { decodeBlock, headerBytes } from './block.ts'
import { ByteReader, displayHash, doubleSha256 } from './bytes.ts'
import { DecodedBlock } from './decoded-block.ts'
import { transactionFees } from './fees.ts'
import { previousHash } from './header-chain.ts'
import { type FileRecord, walkRecords } from './records.ts'
import { decodeUndo, OutdatedUndoError } from './undo.ts'
import { pairUndoRecords, undoChecksumBytes } from './undo-pairing.ts'
import { readWholeFile } from './whole-file.ts'

/** The blocks of a chain that stand in one block file, in height order. */
export interface FileUnit {
  readonly kind: 'files'
  readonly blockFile: string
  readonly undoFile: string
  readonly key: Uint8Array
  readonly magic: number
  readonly heights: Uint32Array
  /** 32 bytes a block, as in the block files. */
  readonly hashes: Uint8Array
  readonly offsets: Uint32Array
  readonly sizes: Uint32Array
}

export interface FileUnitResult {
  /** Heights whose undo record is not in the file. Where there are any, no block was handed on. */
  readonly unproved: readonly number[]
  /** Undo records that belong to no block of the chain. */
  readonly unclaimed: number
  readonly bytesRead: number
}

/** Decides between undo records that all fit a block: fills the block's spent outputs from another source. */
export type ResolveSpent = (height: number, hash: string, block: DecodedBlock) => Promise<void>

/** Buffers that live as long as the worker, because mapping fresh memory for each file costs more than reading it. */
let blockBytes: Uint8Array = new Uint8Array(0)
let undoBytes: Uint8Array = new Uint8Array(0)
const block = new DecodedBlock()

/** Reads the blocks of a unit with their undo records and hands each on, complete, in height order. */
export async function readFileUnit(
  unit: FileUnit,
  onBlock: (height: number, block: DecodedBlock) => void,
  resolveSpent?: ResolveSpent,
): Promise<FileUnitResult> {
  blockBytes = readWholeFile(unit.blockFile, unit.key, blockBytes)
  undoBytes = readWholeFile(unit.undoFile, unit.key, undoBytes)
  const undo = undoBytes
  const undoRecords = [
    ...walkRecords((at, length) => undo.subarray(at, at + length), undo.length, unit.magic, undoChecksumBytes),
  ]
  const reader = new ByteReader(blockBytes)
  // Genesis has no undo record: nothing can be spent before it.
  const first = unit.heights[0] === 0 ? 1 : 0
  const paired = Array.from({ length: unit.heights.length - first }, (_, i) => {
    seekBlock(reader, unit, first + i)
    const header = blockBytes.subarray(reader.position, reader.position + headerBytes)
    reader.skip(headerBytes)
    return { previousHash: previousHash(header), transactionCount: transactionCount(reader, unit, first + i) }
  })
  const { claimed, rivals, unclaimed } = pairUndoRecords(paired, undo, undoRecords)
  const bytesRead = blockBytes.length + undo.length
  const unproved = [...claimed].flatMap((record, i) => (record < 0 ? [unit.heights[first + i]!] : []))
  if (unproved.length > 0) return { unproved, unclaimed, bytesRead }

  const undoReader = new ByteReader(undo)
  for (let i = 0; i < unit.heights.length; i++) {
    seekBlock(reader, unit, i)
    decodeAt(unit, i, reader)
    const pair = i - first
    if (pair < 0) block.spentCount = 0
    else {
      const candidates = [claimed[pair]!, ...(rivals.get(pair) ?? [])].map((record) => undoRecords[record]!)
      if (candidates.length === 1) decodeUndoAt(unit, i, undoReader, candidates[0]!)
      else await decodeRivals(unit, i, undoReader, candidates, resolveSpent)
    }
    onBlock(unit.heights[i]!, block)
  }
  return { unproved, unclaimed, bytesRead }
}

/** Sets a reader of the block file to the `i`-th block of the unit. Throws `block_corrupt`. */
export function seekBlock(reader: ByteReader, unit: FileUnit, i: number): void {
  const start = unit.offsets[i]!
  const end = start + unit.sizes[i]!
  if (end > reader.bytes.length) throw corruptBlock(unit, i, 'is cut off by the end of the file')
  reader.reset(reader.bytes, start, end)
}

function transactionCount(reader: ByteReader, unit: FileUnit, i: number): number {
  try {
    return reader.compactSize()
  } catch (cause) {
    throw corruptBlock(unit, i, messageOf(cause))
  }
}

function decodeAt(unit: FileUnit, i: number, reader: ByteReader): void {
  const hash = doubleSha256(blockBytes.subarray(reader.position, reader.position + headerBytes))
  if (Buffer.compare(hash, unit.hashes.subarray(32 * i, 32 * i + 32)) !== 0) {
    throw corruptBlock(unit, i, 'is no longer the block that the index of the file names')
  }
  try {
    decodeBlock(reader, block)
  } catch (cause) {
    throw corruptBlock(unit, i, messageOf(cause))
  }
}

function decodeUndoAt(unit: FileUnit, i: number, reader: ByteReader, record: FileRecord): void {
  reader.reset(undoBytes, record.offset, record.offset + record.size)
  try {
    decodeUndo(reader, block)
  } catch (cause) {
    const where = `undo record of block ${unit.heights[i]} in ${unit.undoFile} at offset ${record.offset}`
    if (cause instanceof OutdatedUndoError) {
      throw new CoinstrataError(
        'undo_outdated',
        `the ${where} was written by Bitcoin Core before 0.15: ${cause.message}`,
        {
          cure: 'restart the node with -reindex, or use a freshly synced node over RPC (--source rpc)',
        },
      )
    }
    throw new CoinstrataError('block_corrupt', `the ${where} ${messageOf(cause)}`, {
      cure: 'let the node check its files: restart it with -reindex',
    })
  }
}

/** Several differing records passed the checksum: keeps those that make a valid block of this one. */
async function decodeRivals(
  unit: FileUnit,
  i: number,
  reader: ByteReader,
  candidates: readonly FileRecord[],
  resolveSpent: ResolveSpent | undefined,
): Promise<void> {
  const fees = new Float64Array(block.transactionCount)
  const valid = candidates.filter((record) => {
    reader.reset(undoBytes, record.offset, record.offset + record.size)
    try {
      decodeUndo(reader, block)
      transactionFees(block, fees)
      return true
    } catch (error) {
      if (error instanceof RangeError || error instanceof OutdatedUndoError) return false
      throw error
    }
  })
  if (valid.length <= 1) return decodeUndoAt(unit, i, reader, valid[0] ?? candidates[0]!)
  const hash = displayHash(unit.hashes.subarray(32 * i, 32 * i + 32))
  if (resolveSpent) return resolveSpent(unit.heights[i]!, hash, block)
  const offsets = valid.map(({ offset }) => offset).join(', ')
  throw new CoinstrataError(
    'undo_ambiguous',
    `${valid.length} undo records in ${unit.undoFile} (offsets ${offsets}) fit block ${unit.heights[i]} (${hash})`,
    { cure: 'let the node decide: make its RPC reachable (--rpc-url, or start it with -server)' },
  )
}

/** The error for the `i`-th block of a unit; `what` goes on from its place. */
export function corruptBlock(unit: FileUnit, i: number, what: string): CoinstrataError {
  const where = `block ${unit.heights[i]} in ${unit.blockFile} at offset ${unit.offsets[i]}`
  return new CoinstrataError('block_corrupt', `${where} ${what}`, {
    cure: 'let the node check its files: restart it with -reindex',
  })
}

const messageOf = (cause: unknown): string => {
  if (cause instanceof RangeError) return cause.message
  throw cause
}

import { CoinstrataError } from '#root/errors.ts'
import { decodeBlock, headerBytes } from './block.ts'
import { ByteReader, displayHash, doubleSha256 } from './bytes.ts'
import { DecodedBlock } from './decoded-block.ts'
import { transactionFees } from './fees.ts'
import { previousHash } from './header-chain.ts'
import { NodeFile } from './node-file.ts'
import { deobfuscate } from './obfuscation.ts'
import { type FileRecord, walkRecords } from './records.ts'
import { decodeUndo, OutdatedUndoError } from './undo.ts'
import { type PairingBlock, pairUndoRecords, undoChecksumBytes } from './undo-pairing.ts'

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

/** They live as long as the worker, and with them the memory that they read into. */
const blockFile = new NodeFile()
const undoFile = new NodeFile()
const reader = new ByteReader(new Uint8Array(0))
const block = new DecodedBlock()

/** Bytes of a header and the longest transaction count. */
const headBytes = headerBytes + 9

/** Reads the blocks of a unit with their undo records and hands each on, complete, in height order. */
export async function readFileUnit(
  unit: FileUnit,
  onBlock: (height: number, block: DecodedBlock) => void,
  resolveSpent?: ResolveSpent,
): Promise<FileUnitResult> {
  try {
    blockFile.open(unit.blockFile, unit.key)
    undoFile.open(unit.undoFile, unit.key)
    const bytesRead = blockFile.size + undoFile.size
    const undo = undoFile.read(0, undoFile.size)
    const records = [
      ...walkRecords((at, length) => undo.subarray(at, at + length), undo.length, unit.magic, undoChecksumBytes),
    ]
    // Genesis has no undo record: nothing can be spent before it.
    const first = unit.heights[0] === 0 ? 1 : 0
    const paired = Array.from({ length: unit.heights.length - first }, (_, i) => readHead(unit, first + i))
    const { claimed, rivals, unclaimed } = pairUndoRecords(paired, undo, records)
    const unproved = [...claimed].flatMap((record, i) => (record < 0 ? [unit.heights[first + i]!] : []))
    if (unproved.length > 0) return { unproved, unclaimed, bytesRead }

    for (let i = 0; i < unit.heights.length; i++) {
      decodeAt(unit, i)
      const pair = i - first
      if (pair < 0) block.spentCount = 0
      else {
        const candidates = [claimed[pair]!, ...(rivals.get(pair) ?? [])].map((record) => records[record]!)
        if (candidates.length === 1) decodeUndoAt(unit, i, undo, candidates[0]!)
        else await decodeRivals(unit, i, undo, candidates, resolveSpent)
      }
      handOn(unit, i, onBlock)
    }
    return { unproved, unclaimed, bytesRead }
  } finally {
    blockFile.close()
    undoFile.close()
  }
}

/** Hands the block on; what is found wrong with it there is told with its place. */
function handOn(unit: FileUnit, i: number, onBlock: (height: number, block: DecodedBlock) => void): void {
  try {
    onBlock(unit.heights[i]!, block)
  } catch (cause) {
    if (!(cause instanceof CoinstrataError)) throw cause
    const { code, message, cure } = cause
    const place = `it stands in ${unit.blockFile} at offset ${unit.offsets[i]}`
    throw new CoinstrataError(code, `${message}; ${place}`, { cure, cause })
  }
}

/** What pairing needs of the `i`-th block. Throws `block_corrupt`. */
function readHead(unit: FileUnit, i: number): PairingBlock {
  const bytes = readBlock(blockFile, unit, i, headBytes)
  reader.reset(bytes, 0, bytes.length)
  try {
    reader.skip(headerBytes)
    return { previousHash: previousHash(bytes).slice(), transactionCount: reader.compactSize() }
  } catch (cause) {
    throw corruptBlock(unit, i, messageOf(cause))
  }
}

/** The bytes of the `i`-th block of a unit, or its first `most`. Throws `block_corrupt`. */
export function readBlock(file: NodeFile, unit: FileUnit, i: number, most = Number.POSITIVE_INFINITY): Uint8Array {
  try {
    return file.read(unit.offsets[i]!, Math.min(unit.sizes[i]!, most))
  } catch (cause) {
    throw corruptBlock(unit, i, messageOf(cause))
  }
}

/** Scripts and witnesses are only skipped, so the block stays obfuscated and is read through the key. */
function decodeAt(unit: FileUnit, i: number): void {
  const bytes = readObfuscatedBlock(unit, i)
  const key = blockFile.keyAt(unit.offsets[i]!)
  const header = bytes.slice(0, headerBytes)
  deobfuscate(header, key, 0)
  const hash = doubleSha256(header)
  if (Buffer.compare(hash, unit.hashes.subarray(32 * i, 32 * i + 32)) !== 0) {
    throw corruptBlock(unit, i, 'is no longer the block that the index of the file names')
  }
  reader.reset(bytes, 0, bytes.length, key)
  try {
    decodeBlock(reader, block)
  } catch (cause) {
    throw corruptBlock(unit, i, messageOf(cause))
  }
}

function readObfuscatedBlock(unit: FileUnit, i: number): Uint8Array {
  try {
    return blockFile.readObfuscated(unit.offsets[i]!, unit.sizes[i]!)
  } catch (cause) {
    throw corruptBlock(unit, i, messageOf(cause))
  }
}

function decodeUndoAt(unit: FileUnit, i: number, undo: Uint8Array, record: FileRecord): void {
  reader.reset(undo, record.offset, record.offset + record.size)
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
  undo: Uint8Array,
  candidates: readonly FileRecord[],
  resolveSpent: ResolveSpent | undefined,
): Promise<void> {
  const fees = new Float64Array(block.transactionCount)
  const valid = candidates.filter((record) => {
    reader.reset(undo, record.offset, record.offset + record.size)
    try {
      decodeUndo(reader, block)
      transactionFees(block, fees)
      return true
    } catch (error) {
      if (error instanceof RangeError || error instanceof OutdatedUndoError) return false
      throw error
    }
  })
  if (valid.length <= 1) return decodeUndoAt(unit, i, undo, valid[0] ?? candidates[0]!)
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

/** What is wrong with bytes; any other failure goes on as it is. */
function messageOf(cause: unknown): string {
  if (cause instanceof RangeError) return cause.message
  throw cause
}

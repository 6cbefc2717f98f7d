import { CoinstrataError } from '#base/errors.ts'
import { decodeBlock, headerBytes } from './block.ts'
import { ByteReader, displayHash, doubleSha256, isSameBytes } from './bytes.ts'
import { DecodedBlock } from './decoded-block.ts'
import { transactionFees } from './fees.ts'
import { corruptBlock, type FileUnit, rangeErrorMessage, reindexCure } from './file-unit.ts'
import { hashAt, previousHash } from './header-chain.ts'
import { NodeFile } from './node-file.ts'
import { deobfuscate } from './obfuscation.ts'
import { type Refetch, readProvedBlock } from './proved-block.ts'
import { type FileRecord, walkRecords } from './records.ts'
import { decodeUndo, OutdatedUndoError } from './undo.ts'
import { fitsUndo, type PairingBlock, pairUndoRecords, undoChecksumBytes } from './undo-pairing.ts'
import { verifyBlock } from './verify-block.ts'

export interface FileUnitResult {
  /** Heights without an undo record, which make the result useless. */
  readonly withoutUndo: readonly number[]
  /** Undo records of blocks outside the chain. */
  readonly unclaimed: number
  readonly bytesRead: number
  /** Messages about damaged blocks fetched from elsewhere. */
  readonly refetched: readonly string[]
}

/** Fills the spent outputs of a block that several undo records fit. */
export type ResolveSpent = (height: number, hash: string, block: DecodedBlock) => Promise<void>

/** Requires verification of each block by its hash: header, merkle root, witness commitment. */
export interface ProveBlocks {
  readonly refetch: Refetch | undefined
}

/** Header and the longest transaction count. */
const headBytes = headerBytes + 9

/** Reads units into reused memory, because mapping fresh memory takes longer. One per worker. */
export class FileUnitReader {
  readonly #blockFile = new NodeFile()
  readonly #undoFile = new NodeFile()
  readonly #reader = new ByteReader(new Uint8Array(0))
  readonly #block = new DecodedBlock()
  /** Intact copies of damaged blocks, by position in the unit. */
  readonly #copies = new Map<number, { readonly bytes: Uint8Array; readonly damage: string }>()

  /** As in `DecodedBlock`, for the units read from now on. */
  set hasIdentities(hasIdentities: boolean) {
    this.#block.hasIdentities = hasIdentities
  }

  /**
   * Passes each block with its spent outputs to `onBlock`, in height order; a block is valid until
   * the next. Throws `block_corrupt`.
   */
  async read(
    unit: FileUnit,
    onBlock: (height: number, block: DecodedBlock) => void,
    resolveSpent?: ResolveSpent,
    prove?: ProveBlocks,
  ): Promise<FileUnitResult> {
    try {
      this.#blockFile.open(unit.blockFile, unit.key)
      this.#undoFile.open(unit.undoFile, unit.key)
      const bytesRead = this.#blockFile.size + this.#undoFile.size
      const readUndo = (at: number, length: number): Uint8Array => this.#undoFile.read(at, length)
      const records = [...walkRecords(readUndo, this.#undoFile.size, unit.magic, undoChecksumBytes)]
      const first = unit.heights[0] === 0 ? 1 : 0
      let done = 0
      if (!prove && records.length === unit.heights.length - first) {
        // Nearly always each block has one record, in the same order.
        while (done < unit.heights.length && this.#decodeWithNext(unit, done, records[done - first])) {
          deliverBlock(unit, done, this.#block, onBlock)
          done++
        }
        if (done === unit.heights.length) return { withoutUndo: [], unclaimed: 0, bytesRead, refetched: [] }
      }
      const undo = this.#undoFile.read(0, this.#undoFile.size)
      const pairUp = () => {
        const heads = Array.from({ length: unit.heights.length - first }, (_, i) => this.#readHead(unit, first + i))
        return pairUndoRecords(heads, undo, records)
      }
      let pairing = pairUp()
      if (prove?.refetch && pairing.claimed.includes(-1)) {
        // A damaged block fits no record: fetch an intact copy, pair again.
        for (const [i, record] of pairing.claimed.entries()) {
          if (record < 0) await this.#proveBlock(unit, first + i, prove)
        }
        if (this.#copies.size > 0) pairing = pairUp()
      }
      const { claimed, rivals, unclaimed } = pairing
      const unproved = [...claimed].flatMap((record, i) => (record < 0 ? [unit.heights[first + i]!] : []))
      if (unproved.length > 0) return { withoutUndo: unproved, unclaimed, bytesRead, refetched: [] }

      // Blocks decoded above need no choice: there is one record for each.
      for (let i = done; i < unit.heights.length; i++) {
        if (prove) await this.#proveBlock(unit, i, prove)
        else this.#decodeBlock(unit, i)
        const pair = i - first
        if (pair < 0) this.#block.spentCount = 0
        else {
          const candidates = [claimed[pair]!, ...(rivals.get(pair) ?? [])].map((record) => records[record]!)
          if (candidates.length === 1) this.#decodeUndo(unit, i, undo, candidates[0]!, 0)
          else await this.#decodeRivals(unit, i, undo, candidates, resolveSpent)
        }
        deliverBlock(unit, i, this.#block, onBlock)
      }
      return {
        withoutUndo: unproved,
        unclaimed,
        bytesRead,
        refetched: [...this.#copies.values()].map(({ damage }) => damage),
      }
    } finally {
      this.#copies.clear()
      this.#blockFile.close()
      this.#undoFile.close()
    }
  }

  /**
   * Decodes the `i`-th block with this undo record (genesis has none). Returns false if they do not
   * fit; pairing then finds the damaged one.
   */
  #decodeWithNext(unit: FileUnit, i: number, record: FileRecord | undefined): boolean {
    let header: Uint8Array
    try {
      header = this.#decodeBlock(unit, i)
    } catch (error) {
      if (error instanceof CoinstrataError && error.code === 'block_corrupt') return false
      throw error
    }
    if (record === undefined) {
      this.#block.spentCount = 0
      return true
    }
    // One record stays in the processor's cache until it is decoded.
    const undo = this.#undoFile.read(record.offset, record.size + undoChecksumBytes)
    const { transactionCount } = this.#block
    const inBytes = { offset: 0, size: record.size }
    if (!fitsUndo({ previousHash: previousHash(header), transactionCount }, undo, inBytes)) return false
    this.#decodeUndo(unit, i, undo, inBytes, record.offset)
    return true
  }

  #readHead(unit: FileUnit, i: number): PairingBlock {
    try {
      const copy = this.#copies.get(i)?.bytes.subarray(0, headBytes)
      const bytes = copy ?? this.#blockFile.read(unit.offsets[i]!, Math.min(unit.sizes[i]!, headBytes))
      this.#reader.reset(bytes, 0, bytes.length)
      this.#reader.skip(headerBytes)
      return { previousHash: previousHash(bytes).slice(), transactionCount: this.#reader.compactSize() }
    } catch (cause) {
      throw corruptBlock(unit, i, rangeErrorMessage(cause))
    }
  }

  /** The block stays obfuscated, because most of its bytes are skipped. */
  #decodeBlock(unit: FileUnit, i: number): Uint8Array {
    try {
      const bytes = this.#blockFile.readObfuscated(unit.offsets[i]!, unit.sizes[i]!)
      const key = this.#blockFile.keyAt(unit.offsets[i]!)
      const header = bytes.slice(0, headerBytes)
      deobfuscate(header, key, 0)
      if (!isSameBytes(doubleSha256(header), hashAt(unit, i))) {
        throw new RangeError('is no longer the block that the index of the file names')
      }
      this.#reader.reset(bytes, 0, bytes.length, key)
      decodeBlock(this.#reader, this.#block)
      return header
    } catch (cause) {
      throw corruptBlock(unit, i, rangeErrorMessage(cause))
    }
  }

  async #proveBlock(unit: FileUnit, i: number, { refetch }: ProveBlocks): Promise<void> {
    const hash = hashAt(unit, i)
    const copy = this.#copies.get(i)
    if (copy) return verifyBlock(copy.bytes, hash, this.#block)
    const { bytes, damage } = await readProvedBlock(this.#blockFile, unit, i, this.#block, refetch)
    if (damage) this.#copies.set(i, { bytes, damage })
  }

  /** `undo` begins at offset `from` of the file; `record` is relative to it. */
  #decodeUndo(unit: FileUnit, i: number, undo: Uint8Array, record: FileRecord, from: number): void {
    this.#reader.reset(undo, record.offset, record.offset + record.size)
    try {
      decodeUndo(this.#reader, this.#block)
    } catch (cause) {
      const where = `undo record of block ${unit.heights[i]} in ${unit.undoFile} at offset ${from + record.offset}`
      if (cause instanceof OutdatedUndoError) {
        throw new CoinstrataError(
          'undo_outdated',
          `the ${where} was written by Bitcoin Core before 0.15: ${cause.message}`,
          {
            cure: 'restart the node with -reindex, or use a freshly synced node over RPC (--source rpc)',
          },
        )
      }
      throw new CoinstrataError('block_corrupt', `the ${where} ${rangeErrorMessage(cause)}`, {
        cure: reindexCure,
      })
    }
  }

  /** Several records match the checksum; uses the one that makes the block valid. */
  async #decodeRivals(
    unit: FileUnit,
    i: number,
    undo: Uint8Array,
    candidates: readonly FileRecord[],
    resolveSpent: ResolveSpent | undefined,
  ): Promise<void> {
    const fees = new Float64Array(this.#block.transactionCount)
    const valid = candidates.filter((record) => {
      this.#reader.reset(undo, record.offset, record.offset + record.size)
      try {
        decodeUndo(this.#reader, this.#block)
        transactionFees(this.#block, fees)
        return true
      } catch (error) {
        if (error instanceof RangeError || error instanceof OutdatedUndoError) return false
        throw error
      }
    })
    if (valid.length <= 1) return this.#decodeUndo(unit, i, undo, valid[0] ?? candidates[0]!, 0)
    const hash = displayHash(hashAt(unit, i))
    if (resolveSpent) return resolveSpent(unit.heights[i]!, hash, this.#block)
    const offsets = valid.map(({ offset }) => offset).join(', ')
    throw new CoinstrataError(
      'undo_ambiguous',
      `${valid.length} undo records in ${unit.undoFile} (offsets ${offsets}) fit block ${unit.heights[i]} (${hash})`,
      { cure: 'ask the node to decide: make its RPC reachable (--rpc-url, or start it with -server)' },
    )
  }
}

/** Adds the location of the block to errors of `onBlock`. */
function deliverBlock(
  unit: FileUnit,
  i: number,
  block: DecodedBlock,
  onBlock: (height: number, block: DecodedBlock) => void,
): void {
  try {
    onBlock(unit.heights[i]!, block)
  } catch (cause) {
    if (!(cause instanceof CoinstrataError)) throw cause
    const { code, message, cure } = cause
    const place = `${unit.blockFile}, offset ${unit.offsets[i]}`
    throw new CoinstrataError(code, `${message} (${place})`, { cure, cause })
  }
}

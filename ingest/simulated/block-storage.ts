import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { diskFull } from '#sql/parquet.ts'
import { deobfuscate } from '../chain/obfuscation.ts'
import { ByteWriter } from './byte-writer.ts'
import { undoChecksum } from './undo-record.ts'

/** A block on its way to the files. */
export interface StoredBlock {
  readonly bytes: Uint8Array
  /** Hash of the block before it, in protocol order. */
  readonly previousHash: Uint8Array
  /** Missing for a block that was never connected, and for all copies of a block but one. */
  readonly undo: Uint8Array | undefined
  /** Place in the order in which blocks were connected: the order of the undo records. */
  readonly connected: number
  /** Place in the order in which blocks arrived: the order of the blocks. */
  readonly arrived: number
}

export interface BlockStorageOptions {
  readonly folder: string
  /** The four bytes before each record, as a little-endian integer. */
  readonly magic: number
  /** Eight bytes that obfuscate the files. */
  readonly key: Uint8Array
  /** A block file is closed before it would pass this size. */
  readonly fileBytes: number
}

/**
 * Writes blocks and undo records as Bitcoin Core does: `blkNNNNN.dat`, `revNNNNN.dat` and `xor.dat`. One file is held
 * in memory at a time. Every third file keeps the space allocated in advance, as after a crash.
 */
export class BlockStorage {
  readonly #options: BlockStorageOptions
  #waiting: StoredBlock[] = []
  readonly #blocks = new ByteWriter()
  readonly #undoRecords = new ByteWriter()
  #undo: StoredBlock[] = []
  /** Number of the file being written. */
  #file = 0
  /** Bytes of all finished files. */
  bytes = 0

  constructor(options: BlockStorageOptions) {
    this.#options = options
  }

  get files(): number {
    return this.#file
  }

  add(block: StoredBlock): void {
    this.#waiting.push(block)
  }

  /** Writes what has arrived before `arrived`. */
  async store(arrived: number): Promise<void> {
    const ready = this.#waiting.filter((block) => block.arrived < arrived)
    if (ready.length === 0) return
    this.#waiting = this.#waiting.filter((block) => block.arrived >= arrived)
    ready.sort((a, b) => a.arrived - b.arrived)
    for (const block of ready) {
      if (this.#blocks.length > 0 && this.#blocks.length + 8 + block.bytes.length > this.#options.fileBytes) {
        await this.#closeFile()
      }
      this.#record(this.#blocks, block.bytes)
      if (block.undo !== undefined) this.#undo.push(block)
    }
  }

  /** Writes everything that is left, and behind it the first part of `cut`: a block whose writing was interrupted. */
  async finish(cut: Uint8Array): Promise<void> {
    await this.store(Number.POSITIVE_INFINITY)
    this.#record(this.#blocks, cut)
    this.#blocks.length -= Math.ceil(cut.length / 3)
    await this.#closeFile(true)
    await writeFile(join(this.#options.folder, 'xor.dat'), this.#options.key)
  }

  async #closeFile(last = false): Promise<void> {
    this.#undo.sort((a, b) => a.connected - b.connected)
    for (const block of this.#undo) {
      if (block.undo === undefined) continue
      this.#record(this.#undoRecords, block.undo)
      this.#undoRecords.bytes(undoChecksum(block.previousHash, block.undo))
    }
    const allocated = this.#file % 3 === 1
    await this.#write('blk', this.#blocks, allocated && !last)
    await this.#write('rev', this.#undoRecords, allocated || last)
    this.#file++
    this.#undo = []
  }

  #record(writer: ByteWriter, bytes: Uint8Array): void {
    writer.uint32(this.#options.magic)
    writer.uint32(bytes.length)
    writer.bytes(bytes)
  }

  async #write(kind: 'blk' | 'rev', writer: ByteWriter, allocated: boolean): Promise<void> {
    const bytes = writer.toBytes()
    writer.length = 0
    const { folder, key, fileBytes } = this.#options
    // What takes the key off also puts it on.
    deobfuscate(bytes, key, 0)
    const chunk = Math.min(fileBytes / 8, kind === 'blk' ? 2 ** 24 : 2 ** 20)
    const zeros = new Uint8Array(allocated ? chunk - (bytes.length % chunk) : 0)
    const file = join(folder, `${kind}${String(this.#file).padStart(5, '0')}.dat`)
    try {
      await writeFile(file, [bytes, zeros])
    } catch (cause) {
      throw diskFull(cause, file) ?? cause
    }
    this.bytes += bytes.length + zeros.length
  }
}

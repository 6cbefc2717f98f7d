import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { diskFull } from '#sql/parquet.ts'
import { deobfuscate } from '../chain/obfuscation.ts'
import { ByteWriter } from './byte-writer.ts'
import { undoChecksum } from './undo-record.ts'

export interface StoredBlock {
  readonly bytes: Uint8Array
  /** In internal byte order. */
  readonly previousHash: Uint8Array
  /** Missing for unconnected blocks, and all copies of a block but one. */
  readonly undo: Uint8Array | undefined
  /** Order of undo records. */
  readonly connectionOrder: number
  /** Order of blocks. */
  readonly arrivalOrder: number
}

export interface BlockStorageOptions {
  readonly folder: string
  readonly magic: number
  /** 8 bytes. */
  readonly key: Uint8Array
  readonly fileBytes: number
}

/**
 * Writes Bitcoin Core's files: `blkNNNNN.dat`, `revNNNNN.dat`, `xor.dat`, holding one in memory.
 * Every third keeps its preallocated space, as after a crash.
 */
export class BlockStorage {
  readonly #options: BlockStorageOptions
  #waiting: StoredBlock[] = []
  readonly #blocks = new ByteWriter()
  readonly #undoRecords = new ByteWriter()
  #undo: StoredBlock[] = []
  #file = 0

  constructor(options: BlockStorageOptions) {
    this.#options = options
  }

  add(block: StoredBlock): void {
    this.#waiting.push(block)
  }

  async store(arrived: number): Promise<void> {
    const ready = this.#waiting.filter((block) => block.arrivalOrder < arrived)
    if (ready.length === 0) return
    this.#waiting = this.#waiting.filter((block) => block.arrivalOrder >= arrived)
    ready.sort((a, b) => a.arrivalOrder - b.arrivalOrder)
    for (const block of ready) {
      if (this.#blocks.length > 0 && this.#blocks.length + 8 + block.bytes.length > this.#options.fileBytes) {
        await this.#closeFile()
      }
      this.#record(this.#blocks, block.bytes)
      if (block.undo !== undefined) this.#undo.push(block)
    }
  }

  /** Writes remaining blocks, then the first part of `cut`, as if interrupted. */
  async finish(cut: Uint8Array): Promise<void> {
    await this.store(Number.POSITIVE_INFINITY)
    this.#record(this.#blocks, cut)
    this.#blocks.length -= Math.ceil(cut.length / 3)
    await this.#closeFile(true)
    await writeFile(join(this.#options.folder, 'xor.dat'), this.#options.key)
  }

  async #closeFile(last = false): Promise<void> {
    this.#undo.sort((a, b) => a.connectionOrder - b.connectionOrder)
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
    // XOR obfuscates too.
    deobfuscate(bytes, key, 0)
    const chunk = Math.min(fileBytes / 8, kind === 'blk' ? 2 ** 24 : 2 ** 20)
    const zeros = new Uint8Array(allocated ? chunk - (bytes.length % chunk) : 0)
    const file = join(folder, `${kind}${String(this.#file).padStart(5, '0')}.dat`)
    try {
      await writeFile(file, [bytes, zeros])
    } catch (cause) {
      throw diskFull(cause, file) ?? cause
    }
  }
}

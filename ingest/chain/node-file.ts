import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { CoinstrataError } from '#base/errors.ts'
import { deobfuscate, keyBytes } from './obfuscation.ts'

/** Memory is taken in steps, so that a little more than last time needs no new piece. */
const spareBytes = 1 << 20

/**
 * A block or undo file of a node. The bytes that a read returns hold good until the next one: their memory is used
 * again, from file to file, because mapping fresh memory costs more than reading into it.
 */
export class NodeFile {
  #file = ''
  #key = new Uint8Array(keyBytes)
  #descriptor = -1
  #memory = new Uint8Array(0)
  /** Bytes of the open file. */
  size = 0

  /** Opens a file in place of the one before. One that is missing counts as empty. Throws `source_unreadable`. */
  open(file: string, key: Uint8Array): void {
    this.close()
    this.#file = file
    this.#key.set(key)
    try {
      this.#descriptor = openSync(file, 'r')
      this.size = fstatSync(this.#descriptor).size
    } catch (cause) {
      // The blocks that it lacks, or whose undo records it lacks, are named by the caller.
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return
      throw this.#unreadable(cause, 'run as the user of the node, because Bitcoin Core lets nobody else read its files')
    }
  }

  /** De-obfuscated bytes. Throws what `readObfuscated` throws. */
  read(offset: number, length: number): Uint8Array {
    const bytes = this.readObfuscated(offset, length)
    deobfuscate(bytes, this.#key, offset)
    return bytes
  }

  /**
   * Bytes as they stand in the file, to be read through `keyAt(offset)`. Throws `RangeError` for bytes beyond the end
   * of the file, `source_unreadable` where the disk fails.
   */
  readObfuscated(offset: number, length: number): Uint8Array {
    if (offset + length > this.size) throw new RangeError('is cut off by the end of the file')
    if (this.#memory.length < length) this.#memory = new Uint8Array(length + spareBytes)
    const bytes = this.#memory.subarray(0, length)
    try {
      for (let at = 0; at < length; ) {
        const count = readSync(this.#descriptor, bytes, at, length - at, offset + at)
        if (count === 0) throw new RangeError('is cut off by the end of the file')
        at += count
      }
    } catch (cause) {
      if (cause instanceof RangeError) throw cause
      throw this.#unreadable(cause, 'check the health of the disk, then run again')
    }
    return bytes
  }

  /** The key, turned so that its first byte belongs to the byte at `offset`. */
  keyAt(offset: number): Uint8Array {
    return this.#key.map((_, i) => this.#key[(offset + i) % keyBytes]!)
  }

  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor)
    this.#descriptor = -1
    this.size = 0
  }

  #unreadable(cause: unknown, cure: string): CoinstrataError {
    return new CoinstrataError('source_unreadable', `cannot read ${this.#file}`, { cause, cure })
  }
}

/** The whole de-obfuscated content of a block or undo file; empty for a missing one. Throws `source_unreadable`. */
export function readWholeFile(path: string, key: Uint8Array): Uint8Array {
  const file = new NodeFile()
  file.open(path, key)
  try {
    return file.read(0, file.size)
  } finally {
    file.close()
  }
}

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { hasErrorCode } from '#base/errors.ts'
import { diskError, openError } from './file-errors.ts'
import { deobfuscate, keyBytes } from './obfuscation.ts'

/** Spare bytes for slightly larger files. */
const spareBytes = 1 << 20

/**
 * Reads a node's block or undo file. Returned bytes are valid until the next read: memory is
 * reused, because mapping fresh memory takes longer than reading into it.
 */
export class NodeFile {
  #file = ''
  #key = new Uint8Array(keyBytes)
  #descriptor = -1
  #memory = new Uint8Array(0)
  size = 0

  /** A missing file is empty. */
  open(file: string, key: Uint8Array): void {
    this.close()
    this.#file = file
    this.#key.set(key)
    try {
      this.#descriptor = openSync(file, 'r')
      this.size = fstatSync(this.#descriptor).size
    } catch (cause) {
      // The caller reports the missing blocks or undo records.
      if (hasErrorCode(cause, 'ENOENT')) return
      throw openError(file, cause)
    }
  }

  /** Throws `RangeError` past the end of the file. */
  read(offset: number, length: number): Uint8Array {
    const bytes = this.readObfuscated(offset, length)
    deobfuscate(bytes, this.#key, offset)
    return bytes
  }

  /**
   * Reads bytes as stored; decode them with `keyAt(offset)`. Throws `RangeError` past the end of
   * the file.
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
      throw diskError(this.#file, offset, cause)
    }
    return bytes
  }

  /** Key rotated to begin at `offset`. */
  keyAt(offset: number): Uint8Array {
    return this.#key.map((_, i) => this.#key[(offset + i) % keyBytes]!)
  }

  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor)
    this.#descriptor = -1
    this.size = 0
  }

  readonly [Symbol.dispose] = this.close
}

/** A missing file is empty. */
export function readWholeFile(path: string, key: Uint8Array): Uint8Array {
  using file = new NodeFile()
  file.open(path, key)
  return file.read(0, file.size)
}

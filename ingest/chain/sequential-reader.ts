import { type FileHandle, open } from 'node:fs/promises'
import { diskError, openError } from './block-folder.ts'

/** As much as is asked of the disk at a time. */
const chunkBytes = 8 << 20

/** A file as it was when it was opened. */
export interface WholeFile {
  /** Hold good until the next file is read. */
  readonly bytes: Uint8Array
  /** Time of the last change, ms. */
  readonly ctimeMs: number
}

/** Reads files from their beginning to their end, one after the other, into memory that is used again. */
export class SequentialReader {
  #memory = new Uint8Array(0)

  /** Throws `source_not_found`, `source_unreadable`. */
  async read(file: string): Promise<WholeFile> {
    let handle: FileHandle
    try {
      handle = await open(file, 'r')
    } catch (cause) {
      throw openError(file, cause)
    }
    let at = 0
    try {
      const { size, ctimeMs } = await handle.stat()
      if (this.#memory.length < size) this.#memory = new Uint8Array(size + chunkBytes)
      while (at < size) {
        const { bytesRead } = await handle.read(this.#memory, at, Math.min(chunkBytes, size - at), at)
        if (bytesRead === 0) break
        at += bytesRead
      }
      return { bytes: this.#memory.subarray(0, at), ctimeMs }
    } catch (cause) {
      throw diskError(file, at, cause)
    } finally {
      await handle.close()
    }
  }
}

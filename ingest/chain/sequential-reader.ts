import { open } from 'node:fs/promises'
import { diskError, openError } from './file-errors.ts'

const chunkBytes = 8 << 20

export class SequentialReader {
  #memory = new Uint8Array(0)

  /** The bytes are valid until the next call. */
  async read(file: string): Promise<{ readonly bytes: Uint8Array; readonly ctimeMs: number }> {
    await using handle = await open(file, 'r').catch((cause: unknown) => {
      throw openError(file, cause)
    })
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
    }
  }
}

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { CoinstrataError } from '#root/errors.ts'
import { deobfuscate } from './obfuscation.ts'

/** Room left for the next file, which may be a little larger. */
const spareBytes = 1 << 20

/**
 * Reads and de-obfuscates a block or undo file into the memory of `reused` if it has room, else into new memory. A
 * file that is not there is an empty one. Throws `source_unreadable`, `block_corrupt`.
 */
export function readWholeFile(file: string, key: Uint8Array, reused: Uint8Array): Uint8Array {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (cause) {
    // The blocks that it lacks, or whose undo records it lacks, are named by the caller.
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return reused.subarray(0, 0)
    throw unreadable(file, cause, 'run as a user who may read the files of the node (or add this user to its group)')
  }
  try {
    const { size } = fstatSync(descriptor)
    const memory = reused.buffer.byteLength >= size ? new Uint8Array(reused.buffer) : new Uint8Array(size + spareBytes)
    const bytes = memory.subarray(0, size)
    for (let at = 0; at < size; ) {
      const read = readSync(descriptor, bytes, at, size - at, at)
      if (read === 0) throw new CoinstrataError('block_corrupt', `${file} became shorter while it was read`)
      at += read
    }
    deobfuscate(bytes, key, 0)
    return bytes
  } catch (cause) {
    if (cause instanceof CoinstrataError) throw cause
    throw unreadable(file, cause, 'check the health of the disk, then run again')
  } finally {
    closeSync(descriptor)
  }
}

const unreadable = (file: string, cause: unknown, cure: string): CoinstrataError =>
  new CoinstrataError('source_unreadable', `cannot read ${file}`, { cause, cure })

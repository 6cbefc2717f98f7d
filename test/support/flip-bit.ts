import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'

/**
 * Flips a bit in the middle of a file, or at a byte, and keeps its times, as a failing disk does.
 * Returns how to undo it.
 */
export function flipBit(file: string, at = statSync(file).size >> 1, mask = 4): () => void {
  const { atime, mtime } = statSync(file)
  const flip = (): void => {
    const bytes = readFileSync(file)
    bytes[at]! ^= mask
    writeFileSync(file, bytes)
    utimesSync(file, atime, mtime)
  }
  flip()
  return flip
}

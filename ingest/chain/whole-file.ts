import { NodeFile } from './node-file.ts'

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

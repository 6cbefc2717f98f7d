import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { deobfuscate } from '#ingest/chain/obfuscation.ts'

export interface ReadTask {
  readonly files: readonly string[]
  readonly key: Uint8Array | undefined
}

let buffer = new Uint8Array(0)

/** Reads files into one buffer and returns their size: the upper limit of a scan's speed. */
export default function readFiles({ files, key }: ReadTask): number {
  let total = 0
  for (const file of files) {
    const descriptor = openSync(file, 'r')
    const { size } = fstatSync(descriptor)
    if (buffer.length < size) buffer = new Uint8Array(size + (1 << 20))
    const bytes = buffer.subarray(0, size)
    for (let at = 0; at < size; ) at += readSync(descriptor, bytes, at, size - at, at)
    closeSync(descriptor)
    if (key) deobfuscate(bytes, key, 0)
    total += size
  }
  return total
}

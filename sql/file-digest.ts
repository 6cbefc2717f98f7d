import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenGeneration } from './generation.ts'

const chunkBytes = 1 << 20

/**
 * Size and SHA-256 of a file or its first `maxBytes` bytes. Pauses for `pauseMs` after each full
 * megabyte.
 */
export async function digestFile(
  file: string,
  maxBytes = Number.POSITIVE_INFINITY,
  pauseMs = 0,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file, { end: maxBytes - 1, highWaterMark: chunkBytes })) {
    hash.update(chunk)
    bytes += chunk.length
    if (pauseMs > 0 && chunk.length === chunkBytes) await sleep(pauseMs)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Returns a message if the file is missing or differs from the published one. */
export async function describeFileChange(
  file: string,
  published: { readonly bytes: number; readonly sha256: string },
  pauseMs = 0,
): Promise<string | undefined> {
  if (!existsSync(file)) return `${file} is missing`
  const { bytes, sha256 } = await digestFile(file, undefined, pauseMs)
  if (bytes === published.bytes && sha256 === published.sha256) return undefined
  return `${file} is not the file that was published (SHA-256 ${sha256} instead of ${published.sha256})`
}

/**
 * Tables of a generation whose files are missing, unreadable or not as published. Hashing takes
 * some seconds per 5 GB.
 */
export async function findDamagedTables({ folder, generation }: OpenGeneration, pauseMs = 0): Promise<string[]> {
  const damaged: string[] = []
  for (const [name, table] of Object.entries(generation.tables)) {
    const change = describeFileChange(path.join(folder, `${name}.parquet`), table, pauseMs)
    if ((await change.catch(String)) !== undefined) damaged.push(name)
  }
  return damaged
}

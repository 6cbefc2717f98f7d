import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quotedString } from './quote.ts'

/** Size and SHA-256 of a file, or of its first `maxBytes` bytes. */
export async function digestFile(
  file: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  const stream = createReadStream(file, { end: maxBytes - 1 })
  await pipeline(stream, hash)
  return { bytes: stream.bytesRead, sha256: hash.digest('hex') }
}

/** A message if the file is missing or differs from the published one, else `undefined`. */
export async function describeFileChange(
  file: string,
  published: { readonly bytes: number; readonly sha256: string },
): Promise<string | undefined> {
  if (!existsSync(file)) return `${file} is missing`
  const { bytes, sha256 } = await digestFile(file)
  if (bytes === published.bytes && sha256 === published.sha256) return undefined
  return `${file} is not the file that was published (SHA-256 ${sha256} instead of ${published.sha256})`
}

export async function countRows(connection: DuckDBConnection, file: string): Promise<number> {
  const result = await connection.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${quotedString(file)}`)
  return Number(result.getRows()[0]?.[0])
}

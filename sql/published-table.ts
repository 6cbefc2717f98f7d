import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quotedString } from './quote.ts'

/** Size and SHA-256 of a file, as `generation.json` has them. */
export async function fileDigest(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  const stream = createReadStream(file)
  await pipeline(stream, hash)
  return { bytes: stream.bytesRead, sha256: hash.digest('hex') }
}

export async function countRows(connection: DuckDBConnection, file: string): Promise<number> {
  const result = await connection.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${quotedString(file)}`)
  return Number(result.getRows()[0]?.[0])
}

import { rmSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { syncPath } from '#sql/files.ts'
import { parquetFiles, writeParquet } from '#sql/parquet.ts'
import {
  chooseParts,
  joinedPrefix,
  partFile,
  requireIntact,
  type SegmentPart,
  type SegmentStore,
} from './segment-parts.ts'
import { writePart } from './segments.ts'

const segmentsPerJoin = 100

/**
 * The newest segments are not joined: their block files still grow, and a reorganisation may
 * replace them.
 */
const unjoinedCount = 20

/**
 * Joins old segments into folders of a hundred, so that queries open few files. The column
 * `segment` tells their rows apart, so that a single segment can still be replaced. Joined files
 * are synced to the disk before old ones are removed.
 * @param keys segments of the chain, oldest first
 */
export async function joinSegments(
  connection: DuckDBConnection,
  store: SegmentStore,
  keys: readonly string[],
  sizes = { segmentsPerJoin, unjoinedCount },
): Promise<void> {
  const single = new Map<string, SegmentPart>()
  for (const part of chooseParts(store, keys).parts) if (!part.joined) single.set(part.keys[0]!, part)
  let run: SegmentPart[] = []
  for (const key of keys.slice(0, -sizes.unjoinedCount)) {
    const part = single.get(key)
    run = part ? [...run, part] : []
    if (run.length < sizes.segmentsPerJoin) continue
    await join(connection, store, run)
    run = []
  }
}

async function join(connection: DuckDBConnection, store: SegmentStore, parts: readonly SegmentPart[]): Promise<void> {
  requireIntact(store, parts)
  const keys = parts.map((part) => part.keys[0]!)
  // Names sort by age: of several folders with a segment, the newest is read.
  const name = `${joinedPrefix}${new Date().toISOString().replace(/[-:.]/g, '')}-${keys[0]}`
  await writePart(store, name, keys, async (unfinished, table) => {
    const files = parts.map(({ folder }) => partFile(folder, table))
    // Keeps the order of files and rows, nearly by day.
    const rows = `SELECT *, file_index::USMALLINT AS segment FROM ${parquetFiles(files)}`
    // Addresses are read in partitions; sorting puts each in few row groups.
    const order = table === 'address_events' ? ` ORDER BY high >> 28, date` : ''
    await writeParquet(connection, partFile(unfinished, table), rows + order)
  })
  for (const { folder } of parts) rmSync(folder, { recursive: true })
  syncPath(store.folder)
}

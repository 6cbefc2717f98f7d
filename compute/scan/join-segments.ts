import { rmSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { syncPath } from '#sql/files.ts'
import { writeParquet } from '#sql/parquet.ts'
import { quotedString } from '#sql/quote.ts'
import { segmentsFolder } from '../data-folder.ts'
import { choosePartsOf, joinedPrefix, partFile, type SegmentPart } from './segment-parts.ts'
import { writePart } from './segments.ts'

/** Segments in one folder once they are joined. */
const joinedAtOnce = 100

/** The newest segments stay apart: their block files still grow, and a reorganisation may put others in their place. */
const keptApart = 20

/**
 * Joins old segments, a hundred each time, so that what reads them opens few files however long the chain is. `keys` are
 * the segments of the chain, oldest first. The rows of each stay apart by the column `segment`, so that one of them can
 * still be replaced alone. The joined files are on the disk before those that they replace are removed.
 */
export async function joinSegments(
  connection: DuckDBConnection,
  dataDir: string,
  keys: readonly string[],
  sizes = { joinedAtOnce, keptApart },
): Promise<void> {
  const single = new Map<string, SegmentPart>()
  for (const part of choosePartsOf(dataDir, keys).parts) if (!part.joined) single.set(part.keys[0]!, part)
  let run: SegmentPart[] = []
  for (const key of keys.slice(0, -sizes.keptApart)) {
    const part = single.get(key)
    run = part ? [...run, part] : []
    if (run.length < sizes.joinedAtOnce) continue
    await join(connection, dataDir, run)
    run = []
  }
}

async function join(connection: DuckDBConnection, dataDir: string, parts: readonly SegmentPart[]): Promise<void> {
  const keys = parts.map((part) => part.keys[0]!)
  // Names sort by age: the newest is read where several hold the same segment.
  const name = `${joinedPrefix}${new Date().toISOString().replace(/[-:.]/g, '')}-${keys[0]}`
  await writePart(dataDir, name, keys, async (unfinished, table) => {
    const files = parts.map(({ folder }) => quotedString(partFile(folder, table)))
    // Rows keep the order of the files, which is about that of days, and of the rows in each.
    const rows = `SELECT *, file_index::USMALLINT AS segment FROM read_parquet([${files.join(', ')}])`
    await writeParquet(connection, partFile(unfinished, table), rows)
  })
  for (const { folder } of parts) rmSync(folder, { recursive: true })
  syncPath(segmentsFolder(dataDir))
}

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { createTable } from '#sql/columns.ts'
import { publishFolder, unfinishedName } from '#sql/files.ts'
import { diskFull, parquetFiles, writeParquet } from '#sql/parquet.ts'
import { statement } from '#sql/statement.ts'
import { segmentsFolder } from '../data-folder.ts'
import { limbMacros } from './limbs.ts'
import type { ScanResult } from './scan.ts'

/** Changes whenever a scan of the same blocks would yield other tables: older segments are then scanned anew. */
const formatVersion = 2

export const segmentTables = ['flows', 'young_spends', 'blocks', 'histograms'] as const
export type SegmentTable = (typeof segmentTables)[number]

/**
 * The scan of some blocks is kept as a segment: a folder of Parquet files that is written once, under a name made from
 * the hashes of its blocks. A hash commits to all blocks before it, so what a segment holds never changes.
 */
export const segmentKey = (hashes: Uint8Array): string =>
  createHash('sha256').update(`segment ${formatVersion}\n`).update(hashes).digest('hex').slice(0, 32)

export const segmentFile = (dataDir: string, key: string, table: SegmentTable): string =>
  path.join(segmentsFolder(dataDir), key, `${table}.parquet`)

export const hasSegment = (dataDir: string, key: string): boolean => existsSync(path.join(segmentsFolder(dataDir), key))

/**
 * Writes a segment; it stands there complete or not at all. Returns whether it takes the place of one of other content,
 * which must have been scanned from damaged files. Throws `disk_full`.
 */
export async function writeSegment(
  connection: DuckDBConnection,
  dataDir: string,
  key: string,
  tables: ScanResult,
): Promise<boolean> {
  const target = path.join(segmentsFolder(dataDir), key)
  const unfinished = unfinishedName(target)
  const before = existsSync(target)
  let changed = false
  await connection.run(limbMacros)
  try {
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    for (const table of segmentTables) {
      const written = path.join(unfinished, `${table}.parquet`)
      await createTable(connection, `scanned_${table}`, tables[table])
      await writeParquet(connection, written, statement(`segment-${table}`))
      await connection.run(`DROP TABLE scanned_${table}`)
      changed ||= before && (await differ(connection, written, segmentFile(dataDir, key, table)))
    }
    if (before) rmSync(target, { recursive: true })
    publishFolder(unfinished, target)
    return changed
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true })
    throw diskFull(cause, target) ?? cause
  }
}

async function differ(connection: DuckDBConnection, file: string, other: string): Promise<boolean> {
  const [one, two] = [parquetFiles([file]), parquetFiles([other])]
  const result = await connection.runAndReadAll(
    `SELECT count(*)::INTEGER FROM ((FROM ${one} EXCEPT ALL FROM ${two}) UNION ALL (FROM ${two} EXCEPT ALL FROM ${one}))`,
  )
  return result.getRows()[0]![0] !== 0
}

/** Removes all segments but the needed ones, and returns how many there were. */
export function removeOtherSegments(dataDir: string, needed: readonly string[]): number {
  const keep = new Set(needed)
  const others = readdirSync(segmentsFolder(dataDir)).filter((name) => !keep.has(name))
  for (const name of others) rmSync(path.join(segmentsFolder(dataDir), name), { recursive: true, force: true })
  return others.length
}

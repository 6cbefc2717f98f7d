import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { publishFolder, unfinishedName } from '#sql/files.ts'
import { diskFull, parquetFiles } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import { noteCorrection, segmentsFolder, temporaryFolder } from '../data-folder.ts'
import type { ScanResult } from './scan.ts'
import { writeScanned } from './segment-columns.ts'
import { partFile, type SegmentTable, segmentRows, segmentTables, writeManifest } from './segment-parts.ts'

/** Changes whenever a scan of the same blocks would yield other tables: older segments are then scanned anew. */
export const formatVersion = 3

/**
 * The scan of some blocks is kept as a segment: tables that are written once, under a name made from the hashes of its
 * blocks. A hash commits to all blocks before it, so what a segment holds never changes.
 */
export const segmentKey = (hashes: Uint8Array): string =>
  createHash('sha256').update(`segment ${formatVersion}\n`).update(hashes).digest('hex').slice(0, 32)

/**
 * Writes a segment; it stands there complete or not at all. Where `replaced` says that it is stored already, returns
 * whether that had other content, and must have been scanned from damaged files. Throws `disk_full`.
 */
export async function writeSegment(
  dataDir: string,
  key: string,
  tables: ScanResult,
  replaced: boolean,
): Promise<boolean> {
  let changed = false
  await writePart(dataDir, key, [key], async (unfinished, table) => {
    const file = partFile(unfinished, table)
    writeScanned(file, table, tables[table])
    if (replaced) changed ||= await differ(dataDir, parquetFiles([file]), segmentRows(dataDir, [key], table))
    if (changed) noteCorrection(dataDir)
  })
  return changed
}

/** Puts a folder in place that holds the tables of some segments, each written by `write`. Throws `disk_full`. */
export async function writePart(
  dataDir: string,
  name: string,
  keys: readonly string[],
  write: (unfinished: string, table: SegmentTable) => Promise<void>,
): Promise<void> {
  const target = path.join(segmentsFolder(dataDir), name)
  const unfinished = unfinishedName(target)
  try {
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    for (const table of segmentTables) await write(unfinished, table)
    writeManifest(unfinished, keys)
    if (existsSync(target)) rmSync(target, { recursive: true })
    publishFolder(unfinished, target)
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true })
    throw diskFull(cause, target) ?? cause
  }
}

function differ(dataDir: string, rows: string, others: string): Promise<boolean> {
  return withSession({ temporaryFolder: temporaryFolder(dataDir), threads: 1 }, async (connection) => {
    const result = await connection.runAndReadAll(
      `SELECT count(*)::INTEGER FROM ((FROM ${rows} EXCEPT ALL FROM ${others}) UNION ALL (FROM ${others} EXCEPT ALL FROM ${rows}))`,
    )
    return result.getRows()[0]![0] !== 0
  })
}

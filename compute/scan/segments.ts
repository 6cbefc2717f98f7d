import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { publishFolder, unfinishedPath } from '#sql/files.ts'
import { diskFull, parquetFiles } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import type { AddressMode } from '../address-sample.ts'
import type { AddressEventColumns } from '../addresses/address-events.ts'
import { recordCorrection, temporaryFolder } from '../data-folder.ts'
import { readValue } from '../read-value.ts'
import type { ScanResult } from './scan.ts'
import { writeLabelEvents, writeSegmentTable } from './segment-columns.ts'
import { labelStore, partFile, type SegmentStore, segmentRows, segmentStore, writeManifest } from './segment-parts.ts'

/**
 * Increase it if a scan of the same blocks yields other tables: older segments are then scanned
 * again.
 */
export const formatVersion = 10

/**
 * Name of a segment, the stored scan of some blocks. It is a hash of their hashes, which commit to
 * all earlier blocks, and of whether the segment has a sample of the addresses. With
 * `ADDRESSES=all`, addresses are stored elsewhere.
 */
export const segmentKey = (hashes: Uint8Array, addresses: AddressMode): string =>
  createHash('sha256')
    .update(`segment ${formatVersion} addresses ${addresses === 'sample' ? addresses : 'off'}\n`)
    .update(hashes)
    .digest('hex')
    .slice(0, 32)

/**
 * Writes a segment atomically. Returns true if a stored one that it `replaces` had other content,
 * so was scanned from damaged files.
 */
export async function writeSegment(
  dataDir: string,
  key: string,
  tables: ScanResult,
  replaces: boolean,
): Promise<boolean> {
  let changed = false
  const store = segmentStore(dataDir)
  await writePart(store, key, [key], async (unfinished, table) => {
    const file = partFile(unfinished, table)
    writeSegmentTable(file, table, tables[table])
    if (replaces && !changed && !isSameFile(file, partFile(path.join(store.folder, key), table)))
      changed = await haveDifferentRows(dataDir, parquetFiles([file]), segmentRows(store, [key], table))
    if (changed) recordCorrection(dataDir)
  })
  return changed
}

/** Writes a segment's outputs of labelled addresses atomically. */
export const writeLabels = (dataDir: string, key: string, events: AddressEventColumns): Promise<void> =>
  writePart(labelStore(dataDir), key, [key], async (unfinished, table) =>
    writeLabelEvents(partFile(unfinished, table), events),
  )

/** Creates a folder with tables of some segments atomically; `write` writes one table. */
export async function writePart<Table extends string>(
  { folder, tables }: SegmentStore<Table>,
  name: string,
  keys: readonly string[],
  write: (unfinished: string, table: Table) => Promise<void>,
): Promise<void> {
  const target = path.join(folder, name)
  const unfinished = unfinishedPath(target)
  try {
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    for (const table of tables) await write(unfinished, table)
    writeManifest(unfinished, keys, tables)
    if (existsSync(target)) rmSync(target, { recursive: true })
    publishFolder(unfinished, target)
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true })
    throw diskFull(cause, target) ?? cause
  }
}

/** Equal rows mostly have equal bytes, whose comparison takes far less than a query. */
const isSameFile = (file: string, other: string): boolean =>
  existsSync(other) && readFileSync(file).equals(readFileSync(other))

function haveDifferentRows(dataDir: string, rows: string, others: string): Promise<boolean> {
  const count = `SELECT count(*)::INTEGER FROM ((FROM ${rows} EXCEPT ALL FROM ${others}) UNION ALL (FROM ${others} EXCEPT ALL FROM ${rows}))`
  return withSession(
    { temporaryFolder: temporaryFolder(dataDir), threads: 1 },
    async (connection) => (await readValue(connection, count)) !== 0,
  )
}

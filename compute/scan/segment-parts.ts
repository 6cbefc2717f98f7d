import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { dayAt } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { unfinishedPrefix } from '#sql/files.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { labelEventsFolder, segmentsFolder } from '../data-folder.ts'

export const segmentTables = [
  'flows',
  'young_spends',
  'blocks',
  'histograms',
  'kind_flows',
  'created_kinds',
  'young_kinds',
  'coinbases',
  'output_hours',
  'address_events',
] as const
export type SegmentTable = (typeof segmentTables)[number]

/** Folders with tables of a chain's units, named by keys. */
export interface SegmentStore<Table extends string = string> {
  readonly folder: string
  readonly tables: readonly Table[]
}

export const segmentStore = (dataDir: string): SegmentStore<SegmentTable> => ({
  folder: segmentsFolder(dataDir),
  tables: segmentTables,
})

/** Outputs of labelled addresses; see `KnownAddresses`. */
export const labelStore = (dataDir: string): SegmentStore<'label_events'> => ({
  folder: labelEventsFolder(dataDir),
  tables: ['label_events'],
})

/** Prefix of folders with several segments; other folders have the one whose key is their name. */
export const joinedPrefix = 'joined-'

const manifestSchema = z.object({
  /** Segments of the folder. In a joined folder, the column `segment` is the index in this list. */
  keys: z.array(z.string()).min(1),
  /** SHA-256 of each file. */
  files: z.record(z.string(), z.string()),
})

export interface SegmentPart {
  readonly folder: string
  readonly keys: readonly string[]
  readonly joined: boolean
}

export const partFile = (folder: string, table: string): string => path.join(folder, `${table}.parquet`)

const manifestFile = (folder: string): string => path.join(folder, 'segment.json')

/** Writes the manifest of an unfinished folder with the files of all tables. */
export function writeManifest(
  folder: string,
  keys: readonly string[],
  tables: readonly string[] = segmentTables,
): void {
  const files = Object.fromEntries(tables.map((table) => [table, digest(partFile(folder, table))]))
  writeIntactJson(manifestFile(folder), { keys, files })
}

/** Files of a segment folder, with their original size and SHA-256. */
export function listPartFiles(folder: string) {
  const manifest = readManifest(folder)
  if (!manifest) {
    throw new CoinstrataError('data_not_ready', `${manifestFile(folder)} is missing or damaged`, {
      cure: 'run "coinstrata update", which scans its blocks again',
    })
  }
  const tables = segmentTables.map((table) => {
    const file = partFile(folder, table)
    return { file, bytes: statSync(file).size, sha256: manifest.files[table]! }
  })
  return [...tables, describeFile(manifestFile(folder))]
}

export const describeFile = (file: string) => ({ file, bytes: statSync(file).size, sha256: digest(file) })

const digest = (file: string): string => hash('sha256', readFileSync(file))

/**
 * Single segments, then joined ones from newest to oldest: the first part with a segment counts.
 */
export function segmentParts({ folder }: SegmentStore): SegmentPart[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => !name.startsWith(unfinishedPrefix))
  const folderOf = (name: string): string => path.join(folder, name)
  const single = names.filter((name) => !name.startsWith(joinedPrefix))
  const joined = names
    .filter((name) => name.startsWith(joinedPrefix))
    .sort()
    .reverse()
  return [
    ...single.map((name) => ({ folder: folderOf(name), keys: [name], joined: false })),
    ...joined.flatMap((name) => {
      const keys = readManifest(folderOf(name))?.keys
      return keys ? [{ folder: folderOf(name), keys, joined: true }] : []
    }),
  ]
}

const readManifest = (folder: string): z.infer<typeof manifestSchema> | undefined =>
  readIntactJson(manifestFile(folder), manifestSchema)

export interface ChosenPart extends SegmentPart {
  readonly chosenKeys: ReadonlySet<string>
}

/** Chooses one part per segment; `missing` are segments without one. */
export function chooseParts(store: SegmentStore, keys: readonly string[]): { parts: ChosenPart[]; missing: string[] } {
  const missing = new Set(keys)
  const parts = segmentParts(store).flatMap((part) => {
    const chosenKeys = new Set(part.keys.filter((key) => missing.delete(key)))
    return chosenKeys.size > 0 ? [{ ...part, chosenKeys }] : []
  })
  return { parts, missing: [...missing] }
}

export const hasAll = (store: SegmentStore, keys: readonly string[]): boolean =>
  chooseParts(store, keys).missing.length === 0

/** Interval of re-hashing each file: disks can corrupt files that nobody reads. */
const rehashIntervalDays = 16

/**
 * Returns complete segments. Removes damaged ones, so that their blocks are scanned again. Hashes a
 * share of the files each day; `requireIntact` hashes those to be read.
 */
export function storedSegments(store: SegmentStore, now = Date.now()): Set<string> {
  const isDue = (sha256: string): boolean =>
    Number.parseInt(sha256.slice(0, 4), 16) % rehashIntervalDays === dayAt(now) % rehashIntervalDays
  const intact = new Set<string>()
  for (const { folder, keys } of segmentParts(store)) {
    if (isIntact(store, folder, isDue)) for (const key of keys) intact.add(key)
    else rmSync(folder, { recursive: true })
  }
  return intact
}

/**
 * Hashes all files of segments before they are read. Removes damaged segments, then throws
 * `data_not_ready`.
 */
export function requireIntact(store: SegmentStore, parts: readonly SegmentPart[]): void {
  const damaged = parts.filter(({ folder }) => !isIntact(store, folder, () => true))
  for (const { folder } of damaged) rmSync(folder, { recursive: true })
  if (damaged.length === 0) return
  const names = damaged.map(({ folder }) => path.basename(folder)).join(', ')
  throw new CoinstrataError('data_not_ready', `segments were damaged on the disk, and are removed: ${names}`, {
    cure: 'run "coinstrata update", which scans their blocks again',
  })
}

function isIntact({ tables }: SegmentStore, folder: string, isDue: (sha256: string) => boolean): boolean {
  if (!tables.every((table) => existsSync(partFile(folder, table)))) return false
  const files = readManifest(folder)?.files
  return (
    files !== undefined &&
    tables.every((table) => {
      const sha256 = files[table]
      return sha256 !== undefined && (!isDue(sha256) || digest(partFile(folder, table)) === sha256)
    })
  )
}

export function segmentRows<Table extends string>(
  store: SegmentStore<Table>,
  keys: readonly string[],
  table: Table,
): string {
  const { parts, missing } = chooseParts(store, keys)
  if (missing.length > 0) throw new Error(`segments ${missing.slice(0, 3).join(', ')} are not there`)
  const rowsOf = (chosen: readonly SegmentPart[]): string =>
    parquetFiles(chosen.map(({ folder }) => partFile(folder, table)))
  const joined = parts.filter((part) => part.joined)
  const whole = joined.filter(({ keys, chosenKeys }) => chosenKeys.size === keys.length)
  const selects = joined
    .filter((part) => !whole.includes(part))
    .map((part) => {
      const places = part.keys.flatMap((key, place) => (part.chosenKeys.has(key) ? [place] : []))
      return `SELECT * EXCLUDE (segment) FROM ${rowsOf([part])} WHERE segment IN (${places.join(', ')})`
    })
  if (whole.length > 0) selects.push(`SELECT * EXCLUDE (segment) FROM ${rowsOf(whole)}`)
  const single = parts.filter((part) => !part.joined)
  if (single.length > 0) selects.push(`SELECT * FROM ${rowsOf(single)}`)
  return `(${selects.join(' UNION ALL BY NAME ')})`
}

/** Removes folders without needed segments. Returns their number. */
export function removeOtherSegments(store: SegmentStore, needed: readonly string[]): number {
  if (!existsSync(store.folder)) return 0
  const keep = new Set(chooseParts(store, needed).parts.map(({ folder }) => path.basename(folder)))
  const others = readdirSync(store.folder).filter((name) => !keep.has(name))
  for (const name of others) rmSync(path.join(store.folder, name), { recursive: true, force: true })
  return others.length
}

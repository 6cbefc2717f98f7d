import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { replaceFile, unfinishedPrefix } from '#sql/files.ts'
import { quotedString } from '#sql/quote.ts'
import { segmentsFolder } from '../data-folder.ts'
import { isDue, sealOf } from '../file-seals.ts'

export const segmentTables = ['flows', 'young_spends', 'blocks', 'histograms'] as const
export type SegmentTable = (typeof segmentTables)[number]

/** Prefix of folders that hold many segments; any other folder holds the one that it is named after. */
export const joinedPrefix = 'joined-'

const manifestSchema = z.object({
  /** The segments in this folder. In a folder of many, their place in this list is the column `segment` of their rows. */
  keys: z.array(z.string()).min(1),
  /** SHA-256 of each file. */
  files: z.record(z.enum(segmentTables), z.string()),
  /** The seal that each had when it was held against it last; what earlier versions wrote has none. */
  seals: z.partialRecord(z.enum(segmentTables), z.string()).default({}),
})
type Manifest = z.infer<typeof manifestSchema>

/** A folder of Parquet files with the rows of one segment or of many. */
export interface SegmentPart {
  readonly folder: string
  readonly keys: readonly string[]
  readonly joined: boolean
}

export const partFile = (folder: string, table: SegmentTable): string => path.join(folder, `${table}.parquet`)

const manifestFile = (folder: string): string => path.join(folder, 'segment.json')

/** Notes in a folder that is being written what it holds; the files of all tables stand there already. */
export function writeManifest(folder: string, keys: readonly string[]): void {
  const files = Object.fromEntries(segmentTables.map((table) => [table, digest(partFile(folder, table))]))
  writeFileSync(manifestFile(folder), JSON.stringify({ keys, files, seals: sealsOf(folder) }))
}

const sealsOf = (folder: string): Manifest['seals'] =>
  Object.fromEntries(segmentTables.map((table) => [table, sealOf(partFile(folder, table))]))

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

/**
 * What stands in the segments folder, in the order in which it counts where several folders hold the same segment: first
 * those of one segment, then the newest of the others. A folder of many without a readable manifest is passed over.
 */
export function segmentParts(dataDir: string): SegmentPart[] {
  const folder = segmentsFolder(dataDir)
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

function readManifest(folder: string): Manifest | undefined {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(manifestFile(folder), 'utf8')))
  } catch {
    return undefined
  }
}

/** A part with those of its segments that are taken from it. */
export interface TakenPart extends SegmentPart {
  readonly taken: ReadonlySet<string>
}

/** The parts from which these segments are read, each segment from one; and the segments that stand nowhere. */
export function choosePartsOf(dataDir: string, keys: readonly string[]): { parts: TakenPart[]; missing: string[] } {
  const open = new Set(keys)
  const parts = segmentParts(dataDir).flatMap((part) => {
    const taken = new Set(part.keys.filter((key) => open.delete(key)))
    return taken.size > 0 ? [{ ...part, taken }] : []
  })
  return { parts, missing: [...open] }
}

/**
 * The segments that are stored and whole. What is damaged is removed, so that its blocks are scanned again. Only files
 * that were written to since they were hashed last are hashed, and of the others a share each day. Folders of earlier
 * versions have no checksums and are only looked at for their files.
 */
export function intactSegments(dataDir: string, now = Date.now()): Set<string> {
  const intact = new Set<string>()
  for (const { folder, keys, joined } of segmentParts(dataDir)) {
    if (isIntact(folder, joined, now)) for (const key of keys) intact.add(key)
    else rmSync(folder, { recursive: true })
  }
  return intact
}

function isIntact(folder: string, joined: boolean, now: number): boolean {
  if (!segmentTables.every((table) => existsSync(partFile(folder, table)))) return false
  if (!joined && !existsSync(manifestFile(folder))) return true
  const manifest = readManifest(folder)
  if (!manifest) return false
  const seals = sealsOf(folder)
  const open = segmentTables.filter(
    (table) => seals[table] !== manifest.seals[table] || isDue(manifest.files[table], now),
  )
  if (!open.every((table) => digest(partFile(folder, table)) === manifest.files[table])) return false
  const resealed = segmentTables.some((table) => seals[table] !== manifest.seals[table])
  if (resealed) replaceFile(manifestFile(folder), JSON.stringify({ ...manifest, seals }))
  return true
}

/** The rows of these segments, which are all stored, as text for a FROM clause. */
export function segmentRows(dataDir: string, keys: readonly string[], table: SegmentTable): string {
  const { parts, missing } = choosePartsOf(dataDir, keys)
  if (missing.length > 0) throw new Error(`segments ${missing.slice(0, 3).join(', ')} are not there`)
  const filesOf = (of: readonly SegmentPart[]): string =>
    of.map(({ folder }) => quotedString(partFile(folder, table))).join(', ')
  const joined = parts.filter((part) => part.joined)
  const whole = joined.filter(({ keys, taken }) => taken.size === keys.length)
  const selects = joined
    .filter((part) => !whole.includes(part))
    .map((part) => {
      const places = part.keys.flatMap((key, place) => (part.taken.has(key) ? [place] : []))
      return `SELECT * EXCLUDE (segment) FROM read_parquet([${filesOf([part])}]) WHERE segment IN (${places.join(', ')})`
    })
  if (whole.length > 0) selects.push(`SELECT * EXCLUDE (segment) FROM read_parquet([${filesOf(whole)}])`)
  const single = parts.filter((part) => !part.joined)
  if (single.length > 0) selects.push(`SELECT * FROM read_parquet([${filesOf(single)}])`)
  return `(${selects.join(' UNION ALL BY NAME ')})`
}

/** Removes all folders that none of the needed segments is read from, and returns how many there were. */
export function removeOtherSegments(dataDir: string, needed: readonly string[]): number {
  const keep = new Set(choosePartsOf(dataDir, needed).parts.map(({ folder }) => path.basename(folder)))
  const others = readdirSync(segmentsFolder(dataDir)).filter((name) => !keep.has(name))
  for (const name of others) rmSync(path.join(segmentsFolder(dataDir), name), { recursive: true, force: true })
  return others.length
}

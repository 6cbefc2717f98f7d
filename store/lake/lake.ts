import { createHash } from 'node:crypto'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { CoinstrataError } from '#base/errors.ts'
import type { Table } from '#contract/tables/table.ts'
import { type TableName, tableNames, tables } from '#contract/tables/tables.ts'
import type { OpenGeneration } from '#sql/generation.ts'
import { describeParquet } from '#sql/parquet-columns.ts'
import { storeDamaged } from '../failures.ts'
import type { ObjectStore } from '../object-store.ts'
import { writeImmutable } from '../put.ts'
import { manifestBytes, manifestListBytes } from './manifest.ts'
import {
  addSnapshot,
  emptyTable,
  isUpToDate,
  type Metadata,
  metadataSchema,
  removeExpired,
  rollBackTo,
  snapshotGeneration,
  snapshotId,
} from './metadata.ts'
import { mergeSchema } from './schema.ts'

/** Generations as tables of Iceberg: metadata in a store, over Parquet files that stay where they are. */
export interface Lake {
  readonly store: ObjectStore
  /** What the keys of all tables begin with: nothing, or a name and a slash. */
  readonly prefix: string
  /** Where readers find the file of a table. */
  readonly fileAddress: (generation: string, table: TableName) => string
}

/** A generation whose files are there. */
export interface LakeGeneration {
  readonly id: string
  /** Since when it is or was current, in milliseconds. */
  readonly sinceMs: number
  /** `undefined` where it is not on this machine; then it has no snapshot unless it got one earlier. */
  readonly opened: OpenGeneration | undefined
}

/** Tables that are written at the same time. */
const concurrency = 8

/**
 * Brings every table of a lake up to date with these generations, of which the last is the current one: a snapshot of each, and none of any other.
 * A table that the current one lacks is taken out.
 * A table changes whole, when its `version-hint.text` names its next metadata. Returns how many did. Throws `store_failed`, `store_damaged`,
 * `store_conflict`.
 */
export async function writeLake(lake: Lake, generations: readonly LakeGeneration[]): Promise<number> {
  const published = generations.at(-1)?.opened?.generation.tables
  if (!published) return 0
  const names = tableNames.filter((name) => published[name] || optionalTables.has(name))
  let changed = 0
  const work = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const table = new LakeTable(lake, name)
      if (await (published[name] ? table.update(generations) : table.remove())) changed++
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return changed
}

/** Tables that a generation may lack. */
const optionalTables: ReadonlySet<TableName> = new Set(
  tableNames.filter((name) => (tables[name] satisfies Table as Table).setting !== undefined),
)

class LakeTable {
  readonly #lake: Lake
  readonly #name: TableName

  constructor(lake: Lake, name: TableName) {
    this.#lake = lake
    this.#name = name
  }

  async update(generations: readonly LakeGeneration[]): Promise<boolean> {
    const found = await this.#read()
    const before = found?.metadata ?? emptyTable(this.#address())
    const kept = new Set(generations.map(({ id }) => id))
    const current = generations.at(-1)
    if (!current || (found && isUpToDate(before, current.id, kept))) return false

    const version = (found?.version ?? 0) + 1
    const there = before.snapshots.find((snapshot) => snapshotGeneration(snapshot) === current.id)
    let after = there ? rollBackTo(before, there, current.sinceMs) : before
    // A table that is not in the lake yet begins with what there is of its history.
    for (const { opened, sinceMs } of there ? [] : found ? [current] : generations) {
      if (opened?.generation.tables[this.#name]) after = await this.#add(after, opened, sinceMs, version)
    }
    const replaced = found && {
      'timestamp-ms': before['last-updated-ms'],
      'metadata-file': this.#address(metadataName(version - 1)),
    }
    if (replaced) after = { ...after, 'metadata-log': [...after['metadata-log'], replaced] }
    after = removeExpired(after, kept)
    await this.#put(metadataName(version), Buffer.from(JSON.stringify(after)))
    const { store } = this.#lake
    const hint = Buffer.from(String(version))
    const moved = await store.write(this.#key(hintName), hint, found ? { etag: found.etag } : 'absent')
    if (moved === undefined) {
      throw new CoinstrataError(
        'store_conflict',
        `another process is changing the table ${this.#name} of the lake in ${store.name}`,
        {
          cure: 'let only one machine publish to an address, and run "coinstrata publish" again',
        },
      )
    }
    const left = new Set(listFiles(after))
    for (const address of listFiles(before).concat(replaced?.['metadata-file'] ?? [])) {
      if (!left.has(address)) await store.remove(this.#key(path.posix.basename(address)))
    }
    return true
  }

  /** Takes the table out of the lake, if it is there. */
  async remove(): Promise<boolean> {
    const found = await this.#read()
    if (!found) return false
    const { store } = this.#lake
    const addresses = [...listFiles(found.metadata), metadataName(found.version)]
    await store.remove(this.#key(hintName))
    for (const address of addresses) await store.remove(this.#key(path.posix.basename(address)))
    return true
  }

  /** What stands in the lake, by the hint that names the newest metadata. */
  async #read(): Promise<{ readonly metadata: Metadata; readonly version: number; readonly etag: string } | undefined> {
    const { store } = this.#lake
    const hint = await store.read(this.#key(hintName))
    if (hint === undefined || hint === 'unchanged') return undefined
    const text = (await buffer(hint.body)).toString()
    if (!/^\d{1,9}$/.test(text)) throw storeDamaged(store.name, this.#key(hintName), 'is not the number of a version')
    const version = Number(text)
    const key = this.#key(metadataName(version))
    const found = await store.read(key)
    if (found === undefined || found === 'unchanged') throw storeDamaged(store.name, key, 'is missing')
    try {
      const metadata = metadataSchema.parse(JSON.parse((await buffer(found.body)).toString()))
      return { metadata, version, etag: hint.etag }
    } catch {
      throw storeDamaged(store.name, key, 'is not what Coinstrata wrote')
    }
  }

  /** Adds a generation: its manifest, and the list with this manifest. */
  async #add(table: Metadata, opened: OpenGeneration, sinceMs: number, version: number): Promise<Metadata> {
    const { id } = opened.generation
    const { rows = 0, bytes = 0 } = opened.generation.tables[this.#name] ?? {}
    const description = describeParquet(path.join(opened.folder, `${this.#name}.parquet`))
    // A name whose type changed could not be read in both; the table then begins anew.
    const known = mergeSchema(description.columns, { schemas: table.schemas, lastColumnId: table['last-column-id'] })
    const onto = known ? table : emptyTable(table.location)
    const next = known ?? mergeSchema(description.columns, { schemas: [], lastColumnId: 0 })
    if (!next) throw new Error(`${this.#name} has two columns of one name`)
    const parent = onto.snapshots.length > 0 ? onto['current-snapshot-id'] : undefined
    const sequenceNumber = onto['last-sequence-number'] + 1
    const addition = { snapshotId: snapshotId(id), parentId: parent, sequenceNumber }
    const manifest = manifestBytes(
      addition,
      { address: this.#lake.fileAddress(id, this.#name), bytes, description },
      next.schema,
    )
    const [manifestName, listName] = ['manifest', 'list'].map((what) => `${version}-${id}-${what}.avro`)
    await this.#put(manifestName!, manifest)
    const listed = { ...addition, address: this.#address(manifestName), bytes: manifest.length, rows }
    await this.#put(listName!, manifestListBytes(listed))
    return addSnapshot(
      onto,
      {
        generation: id,
        ...next,
        manifestList: this.#address(listName),
        rows,
        bytes,
      },
      sinceMs,
    )
  }

  async #put(name: string, content: Buffer): Promise<void> {
    await writeImmutable(this.#lake.store, this.#key(name), content, createHash('sha256').update(content).digest('hex'))
  }

  #key = (name: string): string => `${this.#lake.prefix}${this.#name}/metadata/${name}`

  /** Of one of its files, or its own. */
  #address = (name?: string): string =>
    name === undefined
      ? `${this.#lake.store.address}/${this.#lake.prefix}${this.#name}`
      : `${this.#lake.store.address}/${this.#key(name)}`
}

/** The newest version of a table, which readers of folders look for under this name. */
const hintName = 'version-hint.text'
const metadataName = (version: number): string => `v${version}.metadata.json`

/** Addresses of all that belongs to the metadata, but themselves. */
const listFiles = (table: Metadata): string[] => [
  ...table.snapshots.flatMap(({ 'manifest-list': list }) => [list, list.replace(/list\.avro$/, 'manifest.avro')]),
  ...table['metadata-log'].map((entry) => entry['metadata-file']),
]

import { createHash } from 'node:crypto'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { CoinstrataError } from '#base/errors.ts'
import type { Table } from '#contract/tables/table.ts'
import { type TableName, tableNames, tables } from '#contract/tables/tables.ts'
import type { OpenGeneration } from '#sql/generation.ts'
import { describeParquet } from '#sql/parquet-columns.ts'
import { type ObjectStore, writeImmutable } from '../object-store.ts'
import { transfer } from '../transfer.ts'
import { createManifest, createManifestList } from './manifest.ts'
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

/** Iceberg metadata; the Parquet files are elsewhere. */
export interface Lake {
  readonly store: ObjectStore
  /** Before all keys: empty, or a name and slash. */
  readonly prefix: string
  /** Parquet file of a table, for readers. */
  readonly fileAddress: (generation: string, table: TableName) => string
}

export interface LakeGeneration {
  readonly id: string
  /** When it became current, in ms since 1970. */
  readonly sinceMs: number
  /** `undefined` if not on this machine: it then keeps an earlier snapshot but gets no new one. */
  readonly opened: OpenGeneration | undefined
}

/**
 * Gives every table one snapshot per generation, the last one current. Removes tables that the
 * current generation lacks. Each table changes atomically, when `version-hint.text` names its new
 * metadata. Returns the number of changed tables.
 */
export async function writeLake(lake: Lake, generations: readonly LakeGeneration[]): Promise<number> {
  const published = generations.at(-1)?.opened?.generation.tables
  if (!published) return 0
  const names = tableNames.filter((name) => published[name] || optionalTables.has(name))
  let changed = 0
  await transfer(names, async (name) => {
    const table = new LakeTable(lake, name)
    if (await (published[name] ? table.update(generations) : table.remove())) changed++
  })
  return changed
}

/** Tables that a generation may lack. */
const optionalTables: ReadonlySet<TableName> = new Set(
  tableNames.filter(
    (name) => name === tables.own_metrics.name || (tables[name] satisfies Table as Table).setting !== undefined,
  ),
)

interface FoundMetadata {
  /** Undefined if there are none, or they are damaged: they are then written from the generations. */
  readonly metadata: Metadata | undefined
  /** No file has a later one. */
  readonly version: number
  /** Tag of the hint. */
  readonly etag: string | undefined
}

class LakeTable {
  readonly #lake: Lake
  readonly #name: TableName

  constructor(lake: Lake, name: TableName) {
    this.#lake = lake
    this.#name = name
  }

  async update(generations: readonly LakeGeneration[]): Promise<boolean> {
    const found = await this.#read()
    // The addresses of a lake that was moved are wrong.
    const known = found.metadata?.location === this.#address() ? found.metadata : undefined
    const before = known ?? emptyTable(this.#address())
    const retained = new Set(generations.map(({ id }) => id))
    const current = generations.at(-1)
    if (!current || (known && isUpToDate(before, current.id, retained))) return false

    const version = found.version + 1
    const there = before.snapshots.find((snapshot) => snapshotGeneration(snapshot) === current.id)
    let after = there ? rollBackTo(before, there, current.sinceMs) : before
    // A new table starts with snapshots of all generations.
    for (const { opened, sinceMs } of there ? [] : known ? [current] : generations) {
      if (opened?.generation.tables[this.#name]) after = await this.#add(after, opened, sinceMs, version)
    }
    const replaced = known && {
      'timestamp-ms': before['last-updated-ms'],
      'metadata-file': this.#address(metadataName(version - 1)),
    }
    if (replaced) after = { ...after, 'metadata-log': [...after['metadata-log'], replaced] }
    after = removeExpired(after, retained)
    await this.#put(metadataName(version), Buffer.from(JSON.stringify(after)))
    const { store } = this.#lake
    const hint = Buffer.from(String(version))
    const etag = await store.write(
      this.#key(hintName),
      hint,
      found.etag === undefined ? 'absent' : { etag: found.etag },
    )
    if (etag === undefined) {
      throw new CoinstrataError(
        'store_conflict',
        `another process is changing the table ${this.#name} of the lake in ${store.name}`,
        {
          cure: 'let only one machine publish to an address, and run "coinstrata publish" again',
        },
      )
    }
    const left = new Set([hintName, metadataName(version), ...listFiles(after).map((one) => path.posix.basename(one))])
    for (const name of await this.#namesOf(found)) if (!left.has(name)) await store.remove(this.#key(name))
    return true
  }

  async remove(): Promise<boolean> {
    const found = await this.#read()
    const names = await this.#namesOf(found)
    if (names.length === 0) return false
    const { store } = this.#lake
    await store.remove(this.#key(hintName))
    for (const name of names) await store.remove(this.#key(name))
    return true
  }

  /** Files that the metadata references, or if they are damaged, all files except data. */
  #namesOf({ metadata, version }: FoundMetadata): Promise<string[]> | string[] {
    if (!metadata) return this.#list()
    return [...listFiles(metadata).map((address) => path.posix.basename(address)), metadataName(version)]
  }

  async #read(): Promise<FoundMetadata> {
    const { store } = this.#lake
    const found = await store.read(this.#key(hintName))
    const hint = found === 'unchanged' ? undefined : found
    const text = hint ? (await buffer(hint.body)).toString() : ''
    const metadata = /^\d{1,9}$/.test(text) ? await this.#readMetadata(Number(text)) : undefined
    if (metadata) return { metadata, version: Number(text), etag: hint?.etag }
    const versions = (await this.#list()).map((name) => Number(/^v(\d{1,9})\.metadata\.json$/.exec(name)?.[1] ?? 0))
    return { metadata: undefined, version: Math.max(0, ...versions), etag: hint?.etag }
  }

  async #readMetadata(version: number): Promise<Metadata | undefined> {
    const found = await this.#lake.store.read(this.#key(metadataName(version)))
    if (found === undefined || found === 'unchanged') return undefined
    const text = (await buffer(found.body)).toString()
    try {
      return metadataSchema.parse(JSON.parse(text))
    } catch {
      return undefined
    }
  }

  async #list(): Promise<string[]> {
    return (await this.#lake.store.list(this.#key(''))).map(({ key }) => path.posix.basename(key))
  }

  /** Writes a generation's manifest and manifest list; returns the metadata with its snapshot. */
  async #add(table: Metadata, opened: OpenGeneration, sinceMs: number, version: number): Promise<Metadata> {
    const { id } = opened.generation
    const { rows = 0, bytes = 0 } = opened.generation.tables[this.#name] ?? {}
    const description = describeParquet(path.join(opened.folder, `${this.#name}.parquet`))
    // Readers cannot follow a changed column type, so a new table then replaces the old.
    const known = mergeSchema(description.columns, { schemas: table.schemas, lastColumnId: table['last-column-id'] })
    const onto = known ? table : emptyTable(table.location)
    const next = known ?? mergeSchema(description.columns, { schemas: [], lastColumnId: 0 })
    if (!next) throw new Error(`${this.#name} has two columns of one name`)
    const parent = onto.snapshots.length > 0 ? onto['current-snapshot-id'] : undefined
    const sequenceNumber = onto['last-sequence-number'] + 1
    const addition = { snapshotId: snapshotId(id), parentId: parent, sequenceNumber }
    const manifest = await createManifest(
      addition,
      { address: this.#lake.fileAddress(id, this.#name), bytes, description },
      next.schema,
    )
    const [manifestName, listName] = ['manifest', 'list'].map((what) => `${version}-${id}-${what}.avro`)
    await this.#put(manifestName!, manifest)
    const listed = { address: this.#address(manifestName), bytes: manifest.length, rows }
    await this.#put(listName!, await createManifestList(addition, listed))
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

  /** A file's address, or the table's. */
  #address = (name?: string): string =>
    name === undefined
      ? `${this.#lake.store.address}/${this.#lake.prefix}${this.#name}`
      : `${this.#lake.store.address}/${this.#key(name)}`
}

/** Readers of folders find the newest version by it. */
const hintName = 'version-hint.text'
const metadataName = (version: number): string => `v${version}.metadata.json`

/** All files that the metadata references. */
const listFiles = (table: Metadata): string[] => [
  ...table.snapshots.flatMap(({ 'manifest-list': list }) => [list, list.replace(/list\.avro$/, 'manifest.avro')]),
  ...table['metadata-log'].map((entry) => entry['metadata-file']),
]

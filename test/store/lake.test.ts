import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import avsc from 'avsc'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tableNames, tables } from '#contract/tables/tables.ts'
import { type OpenGeneration, publishedFolder } from '#sql/generation.ts'
import { describeParquet, type ParquetColumn, type ParquetType } from '#sql/parquet-columns.ts'
import { FileStore } from '#store/file-store.ts'
import { writeFolderLake, writeStoreLake } from '#store/lake/generations.ts'
import { type LakeGeneration, writeLake } from '#store/lake/lake.ts'
import { type Metadata, metadataSchema } from '#store/lake/metadata.ts'
import { createNameMapping, mergeSchema } from '#store/lake/schema.ts'
import { openStore } from '#store/open-store.ts'
import { publishToStore } from '#store/publish.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { rowsOf } from '#test/support/published.ts'
import { publishLake, tableAt } from './support/lake-generations.ts'

/** Without metrics of the operator. */
const published = tableNames.filter((name) => name !== tables.own_metrics.name)

const folder = temporaryFolder('lake')
const dataDir = path.join(folder, 'data')
let generations: readonly OpenGeneration[]

beforeAll(async () => {
  generations = (await publishLake(dataDir)).generations
  expect(generations).toHaveLength(2)
})
afterAll(() => rmSync(folder, { recursive: true }))

const localPath = (address: string): string => {
  expect(address).toMatch(/^file:\/\/\//)
  return address.slice('file://'.length)
}

/**
 * The records of a file of Avro, and its notes, as a reader has them that knows nothing of what
 * wrote it.
 */
async function readAvro<Of>(content: Uint8Array, schema: z.ZodType<Of>) {
  const decoder = new avsc.streams.BlockDecoder()
  const records: unknown[] = []
  let notes: Record<string, string> = {}
  decoder.on('metadata', (_type: unknown, _codec: unknown, header: { meta: Record<string, Buffer> }) => {
    notes = Object.fromEntries(Object.entries(header.meta).map(([name, value]) => [name, value.toString()]))
  })
  for await (const one of Readable.from([content], { objectMode: false }).pipe(decoder)) records.push(one)
  return { records: z.array(schema).parse(records), notes }
}

/** A value that may be missing, as avsc gives it: itself, or by the name of its type. */
const entries = <Value>(value: z.ZodType<Value>) =>
  z
    .array(z.object({ key: z.int(), value }))
    .transform((pairs) => new Map(pairs.map((pair) => [pair.key, pair.value] as const)))

const listedSchema = z.object({
  manifest_path: z.string(),
  manifest_length: z.int(),
  sequence_number: z.int(),
  added_snapshot_id: z.int(),
  added_rows_count: z.int(),
})
const entrySchema = z.object({
  status: z.literal(1),
  snapshot_id: z.int(),
  data_file: z.object({
    content: z.literal(0),
    file_path: z.string(),
    file_format: z.literal('PARQUET'),
    record_count: z.int(),
    file_size_in_bytes: z.int(),
    column_sizes: entries(z.int()),
    value_counts: entries(z.int()),
    null_value_counts: entries(z.int()),
    lower_bounds: entries(z.instanceof(Buffer)),
    upper_bounds: entries(z.instanceof(Buffer)),
    split_offsets: z.array(z.int()),
  }),
})

async function fileOf(list: string) {
  const [listed] = (await readAvro(readFileSync(localPath(list)), listedSchema)).records
  const manifest = readFileSync(localPath(listed!.manifest_path))
  expect(manifest).toHaveLength(listed!.manifest_length)
  const { records, notes } = await readAvro(manifest, entrySchema)
  expect(records).toHaveLength(1)
  return { listed: listed!, entry: records[0]!, notes }
}

it('has a snapshot of each generation in every table, which leads to its file and says how long that is', async () => {
  const ids = new Set<string>()
  for (const name of published) {
    const table = tableAt(path.join(dataDir, 'lake', name))
    expect(table.location).toBe(`file://${dataDir}/lake/${name}`)
    expect(table.snapshots.map(({ summary }) => summary.generation)).toEqual(
      generations.map(({ generation }) => generation.id),
    )
    expect(table['current-snapshot-id']).toBe(table.snapshots.at(-1)?.['snapshot-id'])
    ids.add(table.snapshots.map((snapshot) => snapshot['snapshot-id']).join())
    for (const [place, { folder: published, generation }] of generations.entries()) {
      const snapshot = table.snapshots[place]!
      expect(table.refs[generation.id]).toEqual({ 'snapshot-id': snapshot['snapshot-id'], type: 'tag' })
      const { listed, entry } = await fileOf(snapshot['manifest-list'])
      const { rows, bytes: length } = generation.tables[name]!
      expect(listed).toMatchObject({
        added_snapshot_id: snapshot['snapshot-id'],
        sequence_number: snapshot['sequence-number'],
        added_rows_count: rows,
      })
      expect(entry.snapshot_id).toBe(snapshot['snapshot-id'])
      const file = path.join(published, `${name}.parquet`)
      expect(localPath(entry.data_file.file_path)).toBe(file)
      expect(entry.data_file).toMatchObject({ record_count: rows, file_size_in_bytes: length })
      expect(statSync(file).size).toBe(length)
    }
  }
  // So that one number reads all tables as they were at the same time.
  expect(ids.size).toBe(1)
})

it('numbers the fields of a manifest as Iceberg does, by which readers find them', async () => {
  const [snapshot] = tableAt(path.join(dataDir, 'lake', 'blocks')).snapshots
  const { notes } = await fileOf(snapshot!['manifest-list'])
  const numbered: string[] = []
  JSON.parse(notes['avro.schema'] ?? '', (_, value) => {
    if (value?.['field-id'] !== undefined) numbered.push(`${value.name} ${value['field-id']}`)
    return value
  })
  // "Manifests" in the specification, version 2
  const map = (name: string, id: number, key: number): string[] => [`key ${key}`, `value ${key + 1}`, `${name} ${id}`]
  expect(numbered).toEqual([
    ...['status 0', 'snapshot_id 1', 'sequence_number 3', 'file_sequence_number 4', 'content 134', 'file_path 100'],
    ...['file_format 101', 'partition 102', 'record_count 103', 'file_size_in_bytes 104'],
    ...[map('column_sizes', 108, 117), map('value_counts', 109, 119), map('null_value_counts', 110, 121)].flat(),
    ...[map('lower_bounds', 125, 126), map('upper_bounds', 128, 129)].flat(),
    ...['split_offsets 132', 'data_file 2'],
  ])
})

it('tells of columns what the files hold', async () => {
  const table = tableAt(path.join(dataDir, 'lake', 'blocks'))
  const { entry, notes } = await fileOf(table.snapshots[1]!['manifest-list'])
  const file = `'${localPath(entry.data_file.file_path)}'`
  const columns = await rowsOf(`SELECT column_name, column_type FROM (DESCRIBE FROM ${file})`)
  const [schema] = table.schemas
  const types: Record<string, string> = {
    INTEGER: 'int',
    BIGINT: 'long',
    DOUBLE: 'double',
    DATE: 'date',
    TIMESTAMP: 'timestamp',
    VARCHAR: 'string',
  }
  expect(schema!.fields.map(({ name, type }) => [name, type])).toEqual(
    columns.map(([name, type]) => [name, types[String(type)]]),
  )
  expect(schema!.fields.find(({ name }) => name === 'height')?.doc).toContain('the first block of the chain')
  expect(JSON.parse(notes.schema ?? '')).toEqual(schema)
  const { data_file: data } = entry
  for (const { id, name, type } of schema!.fields) {
    const [[rows, known, low, high] = []] = await rowsOf(
      `SELECT count(*), count(${name}), ${['min', 'max'].map((of) => (type === 'date' ? `${of}(${name}) - DATE '1970-01-01'` : type === 'timestamp' ? `epoch_us(${of}(${name}))` : `${of}(${name})`)).join(', ')} FROM ${file}`,
    )
    expect(data.value_counts.get(id)).toBe(Number(rows))
    expect(data.null_value_counts.get(id)).toBe(Number(rows) - Number(known))
    const [least, greatest] = [data.lower_bounds.get(id), data.upper_bounds.get(id)]
    const read = (value: Buffer): string => String(value.length === 4 ? value.readInt32LE() : value.readBigInt64LE())
    if (type === 'double' || type === 'string') expect([least, greatest]).toEqual([undefined, undefined])
    else expect([read(least!), read(greatest!)], name).toEqual([low, high])
  }
  const groups = await rowsOf(
    `SELECT min(coalesce(dictionary_page_offset, data_page_offset)) FROM parquet_metadata(${file}) GROUP BY row_group_id ORDER BY row_group_id`,
  )
  expect(data.split_offsets).toEqual(groups.map(([offset]) => Number(offset)))
  // Lists are of elements with numbers of their own, exact sums have all their digits.
  expect(tableAt(path.join(dataDir, 'lake', 'catalogue')).schemas[0]!.fields).toContainEqual(
    expect.objectContaining({ name: 'related', type: expect.objectContaining({ type: 'list', element: 'string' }) }),
  )
  expect(tableAt(path.join(dataDir, 'lake', 'flows')).schemas[0]!.fields).toContainEqual(
    expect.objectContaining({ name: 'spent_sat_seconds', type: 'decimal(38,0)' }),
  )
})

describe('a lake that is kept up to date', () => {
  const place = path.join(folder, 'kept')
  const location = path.join(place, 'lake', 'flows')
  const lakeOf = (): Parameters<typeof writeLake>[0] => ({
    store: new FileStore(place),
    prefix: 'lake/',
    fileAddress: (id, table) => `file://${publishedFolder(dataDir)}/${id}/${table}.parquet`,
  })
  const known = (made: number, since: number): LakeGeneration => ({
    id: generations[made]!.generation.id,
    sinceMs: since,
    opened: generations[made],
  })
  const currentOf = ({ snapshots, ...table }: Metadata): string | undefined =>
    snapshots.find((snapshot) => snapshot['snapshot-id'] === table['current-snapshot-id'])?.summary.generation

  it('follows publications, going back, and generations that are removed, and leaves nothing behind', async () => {
    const [first, second] = [known(0, 1000), known(1, 2000)]
    expect(await writeLake(lakeOf(), [first])).toBe(published.length)
    expect(await writeLake(lakeOf(), [first])).toBe(0)
    expect(await writeLake(lakeOf(), [first, second])).toBe(published.length)
    const both = tableAt(location)
    expect(both['snapshot-log'].map((entry) => entry['timestamp-ms'])).toEqual([1000, 2000])
    expect(both.snapshots[1]!['parent-snapshot-id']).toBe(both.snapshots[0]!['snapshot-id'])
    expect(both['last-sequence-number']).toBe(2)

    // Somebody goes back, on a machine whose clock is behind.
    await writeLake(lakeOf(), [second, { ...first, sinceMs: 1500 }])
    const back = tableAt(location)
    expect(currentOf(back)).toBe(first.id)
    expect(back.snapshots).toEqual(both.snapshots)
    expect(back['snapshot-log'].map((entry) => entry['timestamp-ms'])).toEqual([1000, 2000, 2000])
    expect(back['metadata-log'].map((entry) => path.basename(entry['metadata-file']))).toEqual([
      'v1.metadata.json',
      'v2.metadata.json',
    ])
    expect(back['table-uuid']).toBe(both['table-uuid'])

    // The next one is computed elsewhere; the first is gone.
    await writeLake(lakeOf(), [{ ...second, sinceMs: 3000 }])
    const last = tableAt(location)
    expect(last.snapshots.map(({ summary }) => summary.generation)).toEqual([second.id])
    expect(last['snapshot-log'].map((entry) => entry['timestamp-ms'])).toEqual([3000])
    const lists = last.snapshots.map((snapshot) => path.basename(snapshot['manifest-list']))
    expect(readdirSync(path.join(location, 'metadata')).sort()).toEqual(
      [
        ...lists.flatMap((list) => [list, list.replace('list', 'manifest')]),
        ...last['metadata-log'].map((entry) => path.basename(entry['metadata-file'])),
        'v4.metadata.json',
        'version-hint.text',
      ].sort(),
    )
  })

  it('names new metadata only after every file that they reference is written, in a slow store, too', async () => {
    const slow = path.join(folder, 'slow')
    class Slow extends FileStore {
      override async write(...[key, content, condition]: Parameters<FileStore['write']>) {
        const isHint = path.basename(key) === 'version-hint.text'
        // What is referenced takes longer than what references it.
        if (!isHint) await setTimeout(key.endsWith('-manifest.avro') ? 30 : key.endsWith('-list.avro') ? 15 : 2)
        else {
          const metadata = path.join(slow, path.dirname(key))
          const version = readFileSync(path.join(metadata, `v${content}.metadata.json`), 'utf8')
          for (const { 'manifest-list': list } of metadataSchema.parse(JSON.parse(version)).snapshots) {
            const { listed } = await fileOf(list)
            expect(path.dirname(localPath(listed.manifest_path))).toBe(metadata)
          }
        }
        return super.write(key, content, condition)
      }
    }
    const lake = { ...lakeOf(), store: new Slow(slow) }
    expect(await writeLake(lake, [known(0, 1000)])).toBe(published.length)
  })

  it.each(['version-hint.text', 'v1.metadata.json'])(
    'writes a table again if its %s is damaged or gone',
    async (name) => {
      const broken = path.join(folder, `broken-${name}`)
      const lake = { ...lakeOf(), store: new FileStore(broken) }
      const all = [known(1, 1000), known(0, 2000)]
      expect(await writeLake(lake, all)).toBe(published.length)
      const folderOf = (table: string) => path.join(broken, lake.prefix, table, 'metadata')
      const right = tableAt(path.dirname(folderOf('days'))).snapshots.map(({ summary }) => summary.generation)
      const damages = [
        (file: string) => void flipBit(file, 0, 64),
        (file: string) => writeFileSync(file, ''),
        (file: string) => rmSync(file),
      ]
      for (const damage of damages) {
        const version = readFileSync(path.join(folderOf('days'), 'version-hint.text'), 'utf8')
        damage(path.join(folderOf('days'), name.replace('v1', `v${version}`)))
        expect(await writeLake(lake, all)).toBe(1)
        expect(tableAt(path.dirname(folderOf('days'))).snapshots.map(({ summary }) => summary.generation)).toEqual(
          right,
        )
        expect(await writeLake(lake, all)).toBe(0)
      }
      // Nothing is left of earlier versions.
      expect(readdirSync(folderOf('days')).filter((one) => one.endsWith('.metadata.json'))).toHaveLength(1)
    },
  )

  it('does not change a table that somebody else changed meanwhile', async () => {
    const hint = path.join(location, 'metadata', 'version-hint.text')
    class Raced extends FileStore {
      override write(...[key, content, condition]: Parameters<FileStore['write']>) {
        if (path.join(place, key) === hint) writeFileSync(hint, '3')
        return super.write(key, content, condition)
      }
    }
    const lake = { ...lakeOf(), store: new Raced(place) }
    await expect(writeLake(lake, [known(1, 3000), known(0, 4000)])).rejects.toMatchObject({ code: 'store_conflict' })
    expect(readFileSync(hint, 'utf8')).toBe('3')
  })
})

it('keeps the number of a column for as long as its name and type stay', () => {
  const column = (name: string, type: ParquetType): ParquetColumn => ({
    name,
    type,
    description: undefined,
    unit: undefined,
    bytes: 0,
    values: 0,
    nulls: 0,
    min: undefined,
    max: undefined,
  })
  const [a, list, c] = [column('a', 'int64'), column('list', { listOf: 'string' }), column('c', 'double')]
  const first = mergeSchema([a, list], { schemas: [], lastColumnId: 0 })!
  expect(first).toMatchObject({ lastColumnId: 3, schema: { 'schema-id': 0, fields: [{ id: 1 }, { id: 2 }] } })
  const second = mergeSchema([c, list], { schemas: [first.schema], lastColumnId: first.lastColumnId })!
  expect(second).toMatchObject({ lastColumnId: 4, schema: { 'schema-id': 1, fields: [{ id: 4 }, { id: 2 }] } })
  const schemas = [first.schema, second.schema]
  const known = { schemas, lastColumnId: second.lastColumnId }
  expect(mergeSchema([a, list], known)).toEqual({ schema: first.schema, lastColumnId: 4 })
  expect(createNameMapping(schemas)).toEqual([
    { 'field-id': 1, names: ['a'] },
    { 'field-id': 2, names: ['list'], fields: [{ 'field-id': 3, names: ['element'] }] },
    { 'field-id': 4, names: ['c'] },
  ])
  expect(mergeSchema([column('a', 'double')], known)).toBeUndefined()
})

describe('in a store', () => {
  it('stands over what the store holds, and goes with it', async () => {
    const place = path.join(folder, 'store')
    const store = await openStore(`file://${place}`)
    await publishToStore(store, dataDir)
    expect(await writeStoreLake(store, dataDir)).toBe(published.length)
    expect(await writeStoreLake(store, dataDir)).toBe(0)
    const table = tableAt(path.join(place, 'lake', 'days'))
    // Only the newer one was ever published there.
    const [{ generation }] = [generations[1]!]
    expect(table.snapshots.map(({ summary }) => summary.generation)).toEqual([generation.id])
    const { entry } = await fileOf(table.snapshots[0]!['manifest-list'])
    expect(entry.data_file.file_path).toBe(`file://${place}/g/${generation.id}/days.parquet`)
    expect(describeParquet(localPath(entry.data_file.file_path)).rows).toBe(generation.tables.days?.rows)
  })
})

it('moves with its data folder', async () => {
  const moved = path.join(folder, 'moved', 'data')
  cpSync(dataDir, moved, { recursive: true, verbatimSymlinks: true })
  expect(await writeFolderLake(moved)).toBe(published.length)
  expect(await writeFolderLake(moved)).toBe(0)
  const table = tableAt(path.join(moved, 'lake', 'days'))
  expect(table.location).toBe(`file://${moved}/lake/days`)
  expect(table.snapshots.map(({ summary }) => summary.generation)).toEqual(
    generations.map(({ generation }) => generation.id),
  )
  for (const snapshot of table.snapshots) {
    const { entry } = await fileOf(snapshot['manifest-list'])
    expect(entry.data_file.file_path).toBe(`file://${moved}/published/${snapshot.summary.generation}/days.parquet`)
  }
  // Nothing is left of the files with the old addresses.
  const names = readdirSync(path.join(moved, 'lake', 'days', 'metadata'))
  expect(names.filter((name) => name.endsWith('.json'))).toHaveLength(1)
  expect(names.filter((name) => name.endsWith('.avro'))).toHaveLength(2 * generations.length)
})

it('is brought up to date by the program where LAKE is on', async () => {
  const again = path.join(folder, 'program')
  cpSync(dataDir, again, { recursive: true, verbatimSymlinks: true })
  rmSync(path.join(again, 'lake'), { recursive: true })
  const [first, second] = generations.map(({ generation }) => generation.id)
  const args = ['--data-dir', again]
  expect(await coinstrata(['rollback', ...args], { environment: { LAKE: 'on' } })).toMatchObject({ exitCode: 0 })
  const { snapshots, ...table } = tableAt(path.join(again, 'lake', 'cohorts'))
  expect(snapshots.map((one) => one.summary.generation).sort()).toEqual([first, second])
  const current = snapshots.find((one) => one['snapshot-id'] === table['current-snapshot-id'])
  expect(current?.summary.generation).toBe(first)
})

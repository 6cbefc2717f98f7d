import { createHash } from 'node:crypto'
import { z } from 'zod'
import { createNameMapping, type Schema, schemaSchema } from './schema.ts'

const snapshotSchema = z.object({
  'snapshot-id': z.int(),
  'parent-snapshot-id': z.int().optional(),
  'sequence-number': z.int(),
  'timestamp-ms': z.int(),
  'manifest-list': z.string(),
  'schema-id': z.int(),
  summary: z.record(z.string(), z.string()),
})
const logged = { 'timestamp-ms': z.int() }

/** Iceberg table metadata, version 2, restricted to what this program writes. */
export const metadataSchema = z.object({
  'format-version': z.literal(2),
  'table-uuid': z.string(),
  location: z.string(),
  'last-sequence-number': z.int(),
  'last-updated-ms': z.int(),
  'last-column-id': z.int(),
  schemas: z.array(schemaSchema),
  'current-schema-id': z.int(),
  'partition-specs': z.tuple([z.object({ 'spec-id': z.literal(0), fields: z.tuple([]) })]),
  'default-spec-id': z.literal(0),
  'last-partition-id': z.literal(999),
  'sort-orders': z.tuple([z.object({ 'order-id': z.literal(0), fields: z.tuple([]) })]),
  'default-sort-order-id': z.literal(0),
  properties: z.record(z.string(), z.string()),
  'current-snapshot-id': z.int(),
  refs: z.record(z.string(), z.object({ 'snapshot-id': z.int(), type: z.enum(['branch', 'tag']) })),
  snapshots: z.array(snapshotSchema),
  'snapshot-log': z.array(z.object({ ...logged, 'snapshot-id': z.int() })),
  'metadata-log': z.array(z.object({ ...logged, 'metadata-file': z.string() })),
})
export type Metadata = z.infer<typeof metadataSchema>
export type Snapshot = Metadata['snapshots'][number]

/** The same in all tables of a generation; below 2^53, which every JSON parser reads exactly. */
export const snapshotId = (generation: string): number =>
  Number.parseInt(createHash('sha256').update(generation).digest('hex').slice(0, 13), 16)

export const snapshotGeneration = ({ summary }: Snapshot): string => summary.generation ?? ''

/** True if this generation is current and all snapshots are retained. */
export const isUpToDate = (table: Metadata, current: string, retained: ReadonlySet<string>): boolean =>
  table['current-snapshot-id'] === snapshotId(current) &&
  table.snapshots.every((snapshot) => retained.has(snapshotGeneration(snapshot)))

export const emptyTable = (location: string): Metadata => ({
  'format-version': 2,
  'table-uuid': '',
  location,
  'last-sequence-number': 0,
  'last-updated-ms': 0,
  'last-column-id': 0,
  schemas: [],
  'current-schema-id': 0,
  'partition-specs': [{ 'spec-id': 0, fields: [] }],
  'default-spec-id': 0,
  'last-partition-id': 999,
  'sort-orders': [{ 'order-id': 0, fields: [] }],
  'default-sort-order-id': 0,
  properties: {},
  'current-snapshot-id': -1,
  refs: {},
  snapshots: [],
  'snapshot-log': [],
  'metadata-log': [],
})

export interface NewSnapshot {
  readonly generation: string
  readonly schema: Schema
  readonly lastColumnId: number
  readonly manifestList: string
  readonly rows: number
  readonly bytes: number
}

export function addSnapshot(
  table: Metadata,
  { generation, schema, lastColumnId, manifestList, rows, bytes }: NewSnapshot,
  sinceMs: number,
): Metadata {
  const id = snapshotId(generation)
  const [time, sequence] = [nextTimestamp(table, sinceMs), table['last-sequence-number'] + 1]
  const snapshot: Snapshot = {
    'snapshot-id': id,
    ...(table.snapshots.length > 0 && { 'parent-snapshot-id': table['current-snapshot-id'] }),
    'sequence-number': sequence,
    'timestamp-ms': time,
    'manifest-list': manifestList,
    'schema-id': schema['schema-id'],
    summary: {
      operation: 'overwrite',
      generation,
      'total-records': String(rows),
      'total-data-files': '1',
      'total-files-size': String(bytes),
    },
  }
  const added: Metadata = {
    ...table,
    // A table replaced because of a column's changed type is another table.
    'table-uuid': table.snapshots.length > 0 ? table['table-uuid'] : createUuid(`${table.location} ${id}`),
    'last-sequence-number': sequence,
    'last-column-id': lastColumnId,
    schemas: table.schemas.includes(schema) ? table.schemas : [...table.schemas, schema],
    snapshots: [...table.snapshots, snapshot],
  }
  return setCurrent(added, snapshot, time)
}

export const rollBackTo = (table: Metadata, snapshot: Snapshot, sinceMs: number): Metadata =>
  setCurrent(table, snapshot, nextTimestamp(table, sinceMs))

const setCurrent = (table: Metadata, snapshot: Snapshot, time: number): Metadata => ({
  ...table,
  'last-updated-ms': time,
  'current-schema-id': snapshot['schema-id'],
  'current-snapshot-id': snapshot['snapshot-id'],
  'snapshot-log': [...table['snapshot-log'], { 'timestamp-ms': time, 'snapshot-id': snapshot['snapshot-id'] }],
})

/** Readers reject descending times, as after a clock was set back. */
const nextTimestamp = (table: Metadata, sinceMs: number): number => Math.max(sinceMs, table['last-updated-ms'])

/** Removes expired generations' snapshots and updates everything derived from them. */
export function removeExpired(table: Metadata, retained: ReadonlySet<string>): Metadata {
  const snapshots = table.snapshots.filter((snapshot) => retained.has(snapshotGeneration(snapshot)))
  const ids = new Set(snapshots.map((snapshot) => snapshot['snapshot-id']))
  const used = new Set(snapshots.map((snapshot) => snapshot['schema-id']))
  const schemas = table.schemas.filter((schema) => used.has(schema['schema-id']))
  const lastGone = table['snapshot-log'].findLastIndex((entry) => !ids.has(entry['snapshot-id']))
  const oldest = Math.min(...snapshots.map((snapshot) => snapshot['timestamp-ms']))
  const tags = snapshots.map((of) => [
    snapshotGeneration(of),
    { 'snapshot-id': of['snapshot-id'], type: 'tag' as const },
  ])
  return {
    ...table,
    snapshots,
    schemas,
    properties: { 'schema.name-mapping.default': JSON.stringify(createNameMapping(schemas)) },
    refs: { main: { 'snapshot-id': table['current-snapshot-id'], type: 'branch' }, ...Object.fromEntries(tags) },
    'snapshot-log': table['snapshot-log'].slice(lastGone + 1),
    'metadata-log': table['metadata-log'].filter((entry) => entry['timestamp-ms'] >= oldest),
  }
}

/** Version 8, whose content is free. */
function createUuid(text: string): string {
  const digest = createHash('sha256').update(text).digest()
  digest[6] = (digest[6]! & 0x0f) | 0x80
  digest[8] = (digest[8]! & 0x3f) | 0x80
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

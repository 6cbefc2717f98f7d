import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import avro, { type Schema as AvroSchema, type schema as avroSchema } from 'avsc'
import type { ParquetColumn, ParquetDescription } from '#sql/parquet-columns.ts'
import type { Schema } from './schema.ts'

export interface DataFile {
  readonly address: string
  readonly bytes: number
  readonly description: ParquetDescription
}

/** A snapshot replaces the whole table. */
export interface Addition {
  readonly snapshotId: number
  readonly parentId: number | undefined
  readonly sequenceNumber: number
}

/** Avro schemas with Iceberg's field ids. */
const record = (name: string, ...fields: avroSchema.RecordType['fields']): avroSchema.RecordType => ({
  type: 'record',
  name,
  fields,
})
const field = (id: number, name: string, type: AvroSchema) => ({
  name,
  type,
  'field-id': id,
  ...(Array.isArray(type) && { default: null }),
})
const optional = (type: avroSchema.DefinedType): AvroSchema => ['null', type]
/** Integer keys, which maps of Avro lack. */
const map = (keyId: number, value: 'long' | 'bytes'): avroSchema.DefinedType => ({
  type: 'array',
  logicalType: 'map',
  items: record(`k${keyId}_v${keyId + 1}`, field(keyId, 'key', 'int'), field(keyId + 1, 'value', value)),
})

/** From "Manifests" in Iceberg's specification, version 2. */
const manifestEntry = record(
  'manifest_entry',
  field(0, 'status', 'int'),
  field(1, 'snapshot_id', optional('long')),
  field(3, 'sequence_number', optional('long')),
  field(4, 'file_sequence_number', optional('long')),
  field(
    2,
    'data_file',
    record(
      'r2',
      field(134, 'content', 'int'),
      field(100, 'file_path', 'string'),
      field(101, 'file_format', 'string'),
      field(102, 'partition', record('r102')),
      field(103, 'record_count', 'long'),
      field(104, 'file_size_in_bytes', 'long'),
      field(108, 'column_sizes', optional(map(117, 'long'))),
      field(109, 'value_counts', optional(map(119, 'long'))),
      field(110, 'null_value_counts', optional(map(121, 'long'))),
      field(125, 'lower_bounds', optional(map(126, 'bytes'))),
      field(128, 'upper_bounds', optional(map(129, 'bytes'))),
      field(132, 'split_offsets', optional({ type: 'array', items: 'long', 'element-id': 133 })),
    ),
  ),
)

const manifestFile = record(
  'manifest_file',
  field(500, 'manifest_path', 'string'),
  field(501, 'manifest_length', 'long'),
  field(502, 'partition_spec_id', 'int'),
  field(517, 'content', 'int'),
  field(515, 'sequence_number', 'long'),
  field(516, 'min_sequence_number', 'long'),
  field(503, 'added_snapshot_id', 'long'),
  field(504, 'added_files_count', 'int'),
  field(505, 'existing_files_count', 'int'),
  field(506, 'deleted_files_count', 'int'),
  field(512, 'added_rows_count', 'long'),
  field(513, 'existing_rows_count', 'long'),
  field(514, 'deleted_rows_count', 'long'),
)

const content = { data: 0 } as const
const status = { added: 1 } as const

const isList = ({ type }: ParquetColumn): boolean => typeof type === 'object' && 'listOf' in type

/** With one data file. */
export function createManifest(
  { snapshotId }: Addition,
  { address, bytes, description }: DataFile,
  schema: Schema,
): Promise<Buffer> {
  const columns = new Map(description.columns.map((column) => [column.name, column]))
  const byColumn = <Value>(read: (column: ParquetColumn) => Value | undefined) =>
    schema.fields.flatMap(({ id, name }) => {
      const column = columns.get(name)
      const value = column && read(column)
      return value === undefined ? [] : [{ key: id, value }]
    })
  const bound = (value: Uint8Array | undefined): Buffer | undefined => value && Buffer.from(value)
  const entry = {
    status: status.added,
    snapshot_id: snapshotId,
    // Both are inherited from the manifest list.
    sequence_number: null,
    file_sequence_number: null,
    data_file: {
      content: content.data,
      file_path: address,
      file_format: 'PARQUET',
      partition: {},
      record_count: description.rows,
      file_size_in_bytes: bytes,
      column_sizes: byColumn((column) => column.bytes),
      // Iceberg counts lists, Parquet their elements.
      value_counts: byColumn((column) => (isList(column) ? undefined : column.values)),
      null_value_counts: byColumn((column) => (isList(column) ? undefined : column.nulls)),
      lower_bounds: byColumn(({ min }) => bound(min)),
      upper_bounds: byColumn(({ max }) => bound(max)),
      split_offsets: description.rowGroups,
    },
  }
  return toAvro(manifestEntry, entry, {
    schema: JSON.stringify(schema),
    'schema-id': String(schema['schema-id']),
    'partition-spec': '[]',
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
  })
}

/** With one manifest. */
export function createManifestList(
  { snapshotId, parentId, sequenceNumber }: Addition,
  { address, bytes, rows }: { readonly address: string; readonly bytes: number; readonly rows: number },
): Promise<Buffer> {
  const listed = {
    manifest_path: address,
    manifest_length: bytes,
    partition_spec_id: 0,
    content: content.data,
    sequence_number: sequenceNumber,
    min_sequence_number: sequenceNumber,
    added_snapshot_id: snapshotId,
    added_files_count: 1,
    existing_files_count: 0,
    deleted_files_count: 0,
    added_rows_count: rows,
    existing_rows_count: 0,
    deleted_rows_count: 0,
  }
  return toAvro(manifestFile, listed, {
    'snapshot-id': String(snapshotId),
    'parent-snapshot-id': String(parentId ?? null),
    'sequence-number': String(sequenceNumber),
    'format-version': '2',
  })
}

/** Avro file with one row, and notes as metadata; reproducible. */
async function toAvro(schema: AvroSchema, row: object, notes: Readonly<Record<string, string>>): Promise<Buffer> {
  const options = {
    metadata: Object.fromEntries(Object.entries(notes).map(([key, text]) => [key, Buffer.from(text)])),
    syncMarker: createHash('sha256')
      .update(JSON.stringify([schema, row, notes]))
      .digest()
      .subarray(0, 16),
  }
  const encoder = new avro.streams.BlockEncoder(schema, options)
  encoder.end(row)
  return buffer(encoder)
}

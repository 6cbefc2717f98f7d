import type { ParquetColumn, ParquetDescription } from '#sql/parquet-columns.ts'
import { avroFile, bytes, field, int, list, long, map, optional, record, string } from './avro.ts'
import type { Schema } from './schema.ts'

/** The Parquet file of a table in a generation. */
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

/** A data file with its columns by their ids in the schema. */
interface Entry {
  readonly snapshotId: number
  readonly file: DataFile
  readonly columns: ReadonlyMap<number, ParquetColumn>
}

const mapColumns = <Value>(
  { columns }: Entry,
  value: (column: ParquetColumn) => Value | undefined,
): ReadonlyMap<number, Value> => {
  const known = new Map<number, Value>()
  for (const [id, column] of columns) {
    const found = value(column)
    if (found !== undefined) known.set(id, found)
  }
  return known
}

const nothing = (): undefined => undefined
const content = { data: 0 } as const
const status = { added: 1 } as const

/** Field ids and names of "Manifests" in Iceberg's specification, version 2. */
const dataFile = record<Entry>('r2', [
  field(134, 'content', int, () => content.data),
  field(100, 'file_path', string, ({ file }) => file.address),
  field(101, 'file_format', string, () => 'PARQUET'),
  field(102, 'partition', record<Entry>('r102', []), (entry) => entry),
  field(103, 'record_count', long, ({ file }) => file.description.rows),
  field(104, 'file_size_in_bytes', long, ({ file }) => file.bytes),
  field(108, 'column_sizes', optional(map(117, 118, long)), (entry) => mapColumns(entry, (column) => column.bytes)),
  field(109, 'value_counts', optional(map(119, 120, long)), (entry) => mapColumns(entry, countValues)),
  field(110, 'null_value_counts', optional(map(121, 122, long)), (entry) => mapColumns(entry, countNulls)),
  field(125, 'lower_bounds', optional(map(126, 127, bytes)), (entry) => mapColumns(entry, ({ min }) => min)),
  field(128, 'upper_bounds', optional(map(129, 130, bytes)), (entry) => mapColumns(entry, ({ max }) => max)),
  field(132, 'split_offsets', optional(list(133, long)), ({ file }) => file.description.rowGroups),
])
const manifestEntry = record<Entry>('manifest_entry', [
  field(0, 'status', int, () => status.added),
  field(1, 'snapshot_id', optional(long), ({ snapshotId }) => snapshotId),
  // Both are inherited from the manifest list.
  field(3, 'sequence_number', optional(long), nothing),
  field(4, 'file_sequence_number', optional(long), nothing),
  field(2, 'data_file', dataFile, (entry) => entry),
])

const isList = ({ type }: ParquetColumn): boolean => typeof type === 'object' && 'listOf' in type
/** Iceberg wants counts of lists, but Parquet has those of their elements. */
const countValues = (column: ParquetColumn): number | undefined => (isList(column) ? undefined : column.values)
const countNulls = (column: ParquetColumn): number | undefined => (isList(column) ? undefined : column.nulls)

/** The manifest of a snapshot, which has one data file. */
export function manifestBytes({ snapshotId }: Addition, file: DataFile, schema: Schema): Buffer {
  const columns = new Map(file.description.columns.map((column) => [column.name, column]))
  const entry: Entry = {
    snapshotId,
    file,
    columns: new Map(
      schema.fields.flatMap(({ id, name }) => {
        const column = columns.get(name)
        return column ? [[id, column] as const] : []
      }),
    ),
  }
  return avroFile(manifestEntry, [entry], {
    schema: JSON.stringify(schema),
    'schema-id': String(schema['schema-id']),
    'partition-spec': '[]',
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
  })
}

interface ManifestFile extends Addition {
  readonly address: string
  readonly bytes: number
  readonly rows: number
}

const manifestFile = record<ManifestFile>('manifest_file', [
  field(500, 'manifest_path', string, ({ address }) => address),
  field(501, 'manifest_length', long, (listed) => listed.bytes),
  field(502, 'partition_spec_id', int, () => 0),
  field(517, 'content', int, () => content.data),
  field(515, 'sequence_number', long, ({ sequenceNumber }) => sequenceNumber),
  field(516, 'min_sequence_number', long, ({ sequenceNumber }) => sequenceNumber),
  field(503, 'added_snapshot_id', long, ({ snapshotId }) => snapshotId),
  field(504, 'added_files_count', int, () => 1),
  field(505, 'existing_files_count', int, () => 0),
  field(506, 'deleted_files_count', int, () => 0),
  field(512, 'added_rows_count', long, ({ rows }) => rows),
  field(513, 'existing_rows_count', long, () => 0),
  field(514, 'deleted_rows_count', long, () => 0),
])

/** The manifest list of a snapshot, which has one manifest. */
export const manifestListBytes = (listed: ManifestFile): Buffer =>
  avroFile(manifestFile, [listed], {
    'snapshot-id': String(listed.snapshotId),
    'parent-snapshot-id': String(listed.parentId ?? null),
    'sequence-number': String(listed.sequenceNumber),
    'format-version': '2',
  })

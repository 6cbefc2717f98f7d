import type { DuckDBConnection } from '@duckdb/node-api'
import { CoinstrataError } from '#base/errors.ts'
import { quotedString } from './quote.ts'

/**
 * Writes a query's rows to a new Parquet file, not atomically: write into an unfinished folder. The
 * query defines types and order; it needs an ORDER BY, so that the same rows give the same bytes.
 * With `partitionBy`, `file` is a folder with a folder `NAME=VALUE` per value of that column, whose
 * files lack the column. Encodings are those of Parquet 1 (PLAIN and dictionaries), because Spark
 * and fastparquet cannot read all newer ones.
 */
export async function writeParquet(
  connection: DuckDBConnection,
  file: string,
  query: string,
  { rowsPerGroup, partitionBy }: { readonly rowsPerGroup?: number | undefined; readonly partitionBy?: string } = {},
): Promise<void> {
  const select = query.trim().replace(/;$/, '')
  const groups = rowsPerGroup === undefined ? '' : `, ROW_GROUP_SIZE ${rowsPerGroup}`
  const place = partitionBy === undefined ? 'USE_TMP_FILE false' : `PARTITION_BY (${partitionBy})`
  try {
    await connection.run(
      `COPY (${select}) TO ${quotedString(file)}
       (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v1, ${place}${groups})`,
    )
  } catch (cause) {
    throw diskFull(cause, file) ?? cause
  }
}

/** Returns the `disk_full` error if a write failed for lack of space. */
export function diskFull(cause: unknown, target: string): CoinstrataError | undefined {
  if (!(cause instanceof Error) || !/ENOSPC|No space left|disk is full|EDQUOT|quota exceeded/i.test(cause.message))
    return undefined
  return new CoinstrataError('disk_full', `no room left on the disk to write ${target}`, {
    cause,
    cure: 'free some space, or move the data folder (DATA_DIR) to a larger disk, and run again: nothing was lost',
  })
}

/** SQL list. Throws `invalid_configuration` for paths that DuckDB takes for patterns. */
export function fileList(files: readonly string[]): string {
  // Escaped, they are still patterns, whose files a statement with several uses counts twice.
  const pattern = files.find((file) => /[*?[]/.test(file))
  if (pattern === undefined) return `[${files.map(quotedString).join(', ')}]`
  throw new CoinstrataError('invalid_configuration', `${pattern} cannot be read: its path has one of the signs * ? [`, {
    cure: 'rename the folder',
  })
}

/**
 * `read_parquet` over files, for a FROM clause. Names of folders such as `date=2024-05-05` are not
 * columns, as they would be by default. With `byName`, files that lack a column have nulls. Throws
 * `invalid_configuration` for paths with `*`, `?` or `[`.
 */
export const parquetFiles = (files: readonly string[], { byName = false } = {}): string =>
  `read_parquet(${fileList(files)}, hive_partitioning = false, union_by_name = ${byName})`

import type { DuckDBConnection } from '@duckdb/node-api'
import { type ReadColumn, streamColumns } from '#sql/columns.ts'
import { parquetFiles, writeParquet } from '#sql/parquet.ts'
import { quotedString } from '#sql/quote.ts'

/** Rows that are merged at a time: few enough to group and sort in memory. */
const rowsPerStep = 500_000

/**
 * Merges the flow rows of all segment files into the rows of the table `flows`: what each closed day spent of the coins
 * of each creation day, sorted by both. Days are merged a stretch at a time, from the segments that reach into it, and
 * each stretch is a new file `<file>.<number>`. Each merged row also goes to `onRows`, in that order, with the columns
 * `date`, `created_date`, `sats_high`, `sats_low`, `spent_outputs`, `seconds_high`, `seconds_low`; see `limbs.ts`. Returns
 * the files in order.
 */
export async function mergeFlows(
  connection: DuckDBConnection,
  segments: readonly string[],
  lastDay: number,
  file: string,
  onRows: (rows: number, columns: Record<string, ReadColumn>) => void,
): Promise<string[]> {
  const parts: string[] = []
  for (const { from, to, files } of stretches(await describeSegments(connection, segments), segments, lastDay)) {
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE merged_flows AS
       SELECT date, created_date, sum(spent_sats)::BIGINT AS spent_sats, sum(spent_outputs)::BIGINT AS spent_outputs,
         sum(sat_seconds_low)::BIGINT AS low, sum(sat_seconds_high)::BIGINT AS high,
         sum(output_seconds)::BIGINT AS output_seconds
       FROM ${parquetFiles(files)}
       WHERE date >= DATE '1970-01-01' + ${from} AND date < DATE '1970-01-01' + ${to}
       GROUP BY date, created_date ORDER BY date, created_date`,
    )
    const rows = streamColumns(
      connection,
      `SELECT date, created_date, addend_high(spent_sats) AS sats_high, addend_low(spent_sats) AS sats_low,
         spent_outputs::DOUBLE AS spent_outputs,
         addend_high(high, low) AS seconds_high, addend_low(high, low) AS seconds_low
       FROM merged_flows`,
    )
    for await (const { rows: count, columns } of rows) onRows(count, columns)
    const part = `${file}.${parts.length}`
    await writeParquet(
      connection,
      part,
      `SELECT date, created_date, spent_sats, spent_outputs,
         from_limbs(high, low)::DECIMAL(38, 0) AS spent_sat_seconds,
         output_seconds AS spent_output_seconds
       FROM merged_flows`,
    )
    parts.push(part)
  }
  await connection.run('DROP TABLE merged_flows')
  return parts
}

/** Where the flow rows of a segment stand, and which unix days they reach over. */
interface SegmentFlows {
  readonly file: string
  readonly firstDay: number
  readonly lastDay: number
  readonly rows: number
}

async function describeSegments(connection: DuckDBConnection, files: readonly string[]): Promise<SegmentFlows[]> {
  const result = await connection.runAndReadAll(
    `SELECT filename, (min(date) - DATE '1970-01-01')::INTEGER, (max(date) - DATE '1970-01-01')::INTEGER,
       count(*)::DOUBLE
     FROM read_parquet([${files.map(quotedString).join(', ')}], filename = true) GROUP BY filename`,
  )
  return result.getRows().map(([file, firstDay, lastDay, rows]) => ({
    file: String(file),
    firstDay: Number(firstDay),
    lastDay: Number(lastDay),
    rows: Number(rows),
  }))
}

/**
 * Cuts the days into stretches, each with about as many rows, with the segments that have rows in it. Block files hold
 * blocks out of order, so several segments may have a day in common.
 */
function stretches(described: readonly SegmentFlows[], all: readonly string[], lastDay: number) {
  const byDay = [...described].sort((a, b) => a.firstDay - b.firstDay)
  // A chain that spends nothing has no rows; it still gets a table.
  const bounds = [byDay[0]?.firstDay ?? lastDay]
  let rows = 0
  for (const segment of byDay) {
    if (rows > rowsPerStep && segment.firstDay > bounds.at(-1)! && segment.firstDay <= lastDay) {
      bounds.push(segment.firstDay)
      rows = 0
    }
    rows += segment.rows
  }
  bounds.push(lastDay + 1)
  return bounds.slice(0, -1).map((from, i) => {
    const to = bounds[i + 1]!
    const within = byDay.filter((segment) => segment.firstDay < to && segment.lastDay >= from).map(({ file }) => file)
    return { from, to, files: within.length > 0 ? within : all }
  })
}

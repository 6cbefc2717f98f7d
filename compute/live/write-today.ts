import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Column, Value } from '#contract/tables/column.ts'
import { today } from '#contract/tables/today.ts'
import { switchLink, syncPath, unfinishedName } from '#sql/files.ts'
import { publishedFolder, todayLink } from '#sql/generation.ts'
import { createTableOfRows } from '#sql/rows.ts'
import { writeTable } from '#sql/write-table.ts'

/** Files are kept while slow readers may still have them open. */
const kept = 5

/**
 * Puts a row in place of that of the table `today`: in a new file, to which the link then leads, so that nobody reads a
 * file that changes. Throws `schema_mismatch` unless the row is as declared, `disk_full`.
 */
export async function writeToday(
  connection: DuckDBConnection,
  dataDir: string,
  row: Readonly<Record<string, Value<Column>>>,
): Promise<void> {
  const columns: Readonly<Record<string, Column>> = today.columns
  await createTableOfRows(connection, today.name, columns, [row])
  const link = todayLink(publishedFolder(dataDir))
  const folder = path.dirname(link)
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${today.name}-${Date.now()}.parquet`)
  const unfinished = unfinishedName(file)
  await writeTable(connection, unfinished, today, `FROM ${today.name} ORDER BY date`)
  syncPath(unfinished)
  renameSync(unfinished, file)
  switchLink(link, path.basename(file))
  const files = readdirSync(folder).filter((name) => /^today-\d+\.parquet$/.test(name))
  for (const name of files.sort().slice(0, -kept)) rmSync(path.join(folder, name))
}

import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Column, Value } from '#contract/tables/column.ts'
import { today } from '#contract/tables/today.ts'
import { publishFile, switchLink, unfinishedPath } from '#sql/files.ts'
import { publishedFolder, todayFile, todayLink } from '#sql/generation.ts'
import { rowsRelation } from '#sql/rows.ts'
import { writeTable } from '#sql/write-table.ts'

/** Files kept, including the newest, because slow readers may have old ones open. */
const keptFiles = 5

/** Writes the row of `today` to a new file, and switches the link. */
export async function writeToday(
  connection: DuckDBConnection,
  dataDir: string,
  row: Readonly<Record<string, Value<Column>>>,
): Promise<void> {
  const columns: Readonly<Record<string, Column>> = today.columns
  const { from } = rowsRelation(today.name, columns, [row])
  const link = todayLink(publishedFolder(dataDir))
  const folder = path.dirname(link)
  mkdirSync(folder, { recursive: true })
  const unfinished = unfinishedPath(link)
  const { sha256 } = await writeTable(connection, unfinished, today, `FROM ${from} ORDER BY date`)
  const file = path.join(folder, todayFile(Date.now(), sha256))
  publishFile(unfinished, file)
  switchLink(link, path.basename(file))
  const files = readdirSync(folder).filter((name) => /^today-\d.*\.parquet$/.test(name))
  for (const name of files.sort().slice(0, -keptFiles)) rmSync(path.join(folder, name))
}

import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { isoDate, parseDay } from '#base/days.ts'
import { firstPublished } from '#contract/tables/first-published.ts'
import { readColumns } from './columns.ts'
import { describeFileChange } from './file-digest.ts'
import { publishFile, removeUnfinished, unfinishedPath } from './files.ts'
import { currentGenerationId, listGenerations } from './generation.ts'
import { parquetFiles } from './parquet.ts'
import { addChecksum, verifyChecksum } from './parquet-checksum.ts'
import { writeTable } from './write-table.ts'

/** Folder of the first published values, by month. */
export const firstPublishedFolder = (dataDir: string): string => path.join(dataDir, 'first_published')
/** File in a generation's folder with the values that it was the first to publish. */
export const firstPublishedFile = (generationFolder: string): string =>
  path.join(generationFolder, `${firstPublished.name}.parquet`)

/** No generation is first to publish a value this much older than its last day. */
const maxAgeDays = 31

export interface MonthFile {
  /** YYYY-MM */
  readonly month: string
  readonly file: string
  /** A run found it damaged. */
  readonly isSetAside: boolean
}

/** A restored copy may be beside its month's file, such as `2026-11-restored.parquet`. */
const namePattern = /^(\d{4}-\d\d)(?:-\w+)?\.parquet(\.damaged)?$/

/** Files of first published values, oldest month first. */
export function listMonthFiles(dataDir: string): MonthFile[] {
  const folder = firstPublishedFolder(dataDir)
  return (existsSync(folder) ? readdirSync(folder) : []).sort().flatMap((name): MonthFile[] => {
    const [, month, setAside] = namePattern.exec(name) ?? []
    return month === undefined ? [] : [{ month, file: path.join(folder, name), isSetAside: setAside !== undefined }]
  })
}

/**
 * Returns intact files of the chosen months. Renames damaged ones, so that nothing overwrites them.
 * Requires the lock of the folder.
 */
export async function openMonths(dataDir: string, isChosen: (month: string) => boolean): Promise<string[]> {
  const intact: string[] = []
  for (const { month, file, isSetAside } of listMonthFiles(dataDir)) {
    if (isSetAside || !isChosen(month)) continue
    if (verifyChecksum(await readFile(file)) !== undefined) intact.push(file)
    else renameSync(file, `${file}.damaged`)
  }
  return intact
}

/**
 * Adds the values first published by the generations up to the current one to the files of their
 * months; existing values of a day and metric stay. Completes a killed run. Requires the lock of
 * the data folder.
 */
export async function appendFirstPublished(connection: DuckDBConnection, dataDir: string): Promise<void> {
  const current = currentGenerationId(dataDir)
  const published = listGenerations(dataDir).flatMap(({ id, opened }) =>
    opened?.generation.first_published && current !== undefined && id <= current ? [opened] : [],
  )
  if (published.length === 0) return
  mkdirSync(firstPublishedFolder(dataDir), { recursive: true })
  removeUnfinished(firstPublishedFolder(dataDir))
  const days = published.map(({ generation }) => parseDay(generation.last_date))
  const oldest = monthOf(Math.min(...days) - maxAgeDays)
  const known = await countByGeneration(connection, await openMonths(dataDir, (month) => month >= oldest))
  for (const { folder, generation } of published) {
    const { id, simulated, first_published } = generation
    if (!first_published || known.get(id) === first_published.rows) continue
    const file = firstPublishedFile(folder)
    if ((await describeFileChange(file, first_published)) === undefined)
      await addGeneration(connection, dataDir, { file, simulated })
  }
}

const monthOf = (day: number): string => isoDate(day).slice(0, 7)

async function countByGeneration(
  connection: DuckDBConnection,
  files: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (files.length === 0) return new Map()
  const counts = await connection.runAndReadAll(
    `SELECT generation, count(*)::INTEGER FROM ${parquetFiles(files)} GROUP BY generation`,
  )
  return new Map(counts.getRows().map(([id, rows]) => [String(id), Number(rows)]))
}

async function addGeneration(
  connection: DuckDBConnection,
  dataDir: string,
  { file, simulated }: { readonly file: string; readonly simulated: boolean },
): Promise<void> {
  const dates = await readColumns(
    connection,
    `SELECT min(date) AS first, max(date) AS last FROM ${parquetFiles([file])}`,
  )
  const [firstMonth, lastMonth] = [dates.first, dates.last].map((date) => monthOf(date![0]!))
  const known = await openMonths(dataDir, (month) => month >= firstMonth! && month <= lastMonth!)
  const isNew = known.length === 0 ? '' : `ANTI JOIN ${parquetFiles(known)} AS known USING (metric, date)`
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE added_values AS SELECT added.* FROM ${parquetFiles([file])} AS added ${isNew}`,
  )
  const months = await connection.runAndReadAll(`SELECT DISTINCT strftime(date, '%Y-%m') FROM added_values ORDER BY 1`)
  for (const month of months.getRows().map(String)) {
    const target = path.join(firstPublishedFolder(dataDir), `${month}.parquet`)
    // Not a name that "*.parquet" matches.
    const unfinished = unfinishedPath(path.join(path.dirname(target), 'month'))
    const before = known.includes(target) ? `FROM ${parquetFiles([target])} UNION ALL` : ''
    const query = `FROM (${before} FROM added_values WHERE strftime(date, '%Y-%m') = '${month}')
      ORDER BY published_at, metric, date`
    await writeTable(connection, unfinished, firstPublished, query, simulated ? { simulated } : undefined)
    addChecksum(unfinished)
    publishFile(unfinished, target)
  }
  await connection.run('DROP TABLE added_values')
}

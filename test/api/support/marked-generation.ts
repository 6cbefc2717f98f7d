import { cpSync, mkdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { digestFile } from '#sql/file-digest.ts'
import { openGeneration, publishedFolder, removeOldGenerations, switchToGeneration } from '#sql/generation.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { writeParquet } from '#sql/parquet.ts'

/** Numbers that name a row instead of telling something of it. */
const keys = new Set(['id', 'bin', 'cycle', 'grade', 'height'])
/** Spends are taken away, so that what is unspent is what was created. */
const emptied = new Set(['flows.spent_sats', 'overwritten.sats'])
const inCoins = new Set(['days.created_sats'])

/**
 * Writes a copy of a generation in which every number in every table is `mark`, and every
 * definition and name says so. Amounts that are served in BTC are `mark` BTC. Returns the folder,
 * which is not published yet.
 */
export async function writeMarkedGeneration(
  connection: DuckDBConnection,
  base: string,
  staging: string,
  mark: number,
): Promise<string> {
  const folder = path.join(staging, `marked-${String(mark).padStart(3, '0')}`)
  mkdirSync(folder, { recursive: true })
  const { generation } = openGeneration(base)
  for (const [table, published] of Object.entries(generation.tables)) {
    const file = path.join(base, `${table}.parquet`)
    const described = await connection.runAndReadAll(`DESCRIBE FROM '${file}'`)
    const columns = described.getRowObjects().map(({ column_name, column_type }) => {
      const name = String(column_name)
      return `${markedValue(`${table}.${name}`, name, String(column_type), mark)} AS "${name}"`
    })
    const marked = path.join(folder, `${table}.parquet`)
    await writeParquet(connection, marked, `SELECT ${columns.join(', ')} FROM '${file}'`)
    Object.assign(published, await digestFile(marked))
  }
  generation.id = path.basename(folder)
  generation.tip.height = mark
  writeIntactJson(path.join(folder, 'generation.json'), generation)
  return folder
}

function markedValue(place: string, name: string, type: string, mark: number): string {
  if (name === 'description' || name === 'name') return `'generation ${mark}'`
  if (!/^(DOUBLE|BIGINT|INTEGER|DECIMAL.*)$/.test(type) || keys.has(name)) return `"${name}"`
  const value = emptied.has(place) ? 0 : inCoins.has(place) ? mark * 100_000_000 : mark
  return `${value}::${type}`
}

/**
 * Publishes a written generation as the program does: by one rename of the link, then the oldest
 * ones go.
 */
export function publishMarked(dataDir: string, folder: string): void {
  const id = path.basename(folder)
  const unfinished = path.join(publishedFolder(dataDir), `.tmp-${id}`)
  cpSync(folder, unfinished, { recursive: true })
  renameSync(unfinished, path.join(publishedFolder(dataDir), id))
  switchToGeneration(dataDir, id)
  removeOldGenerations(dataDir)
}

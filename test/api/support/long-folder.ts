import { cpSync, linkSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { isoDate, msPerDay, parseDay } from '#base/days.ts'
import { writeToday } from '#compute/live/write-today.ts'
import { firstPublished } from '#contract/tables/first-published.ts'
import { digestFile } from '#sql/file-digest.ts'
import { appendFirstPublished, firstPublishedFile } from '#sql/first-published.ts'
import { currentGeneration, publishedFolder } from '#sql/generation.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { keptFile, keptFolder } from '#sql/kept-rows.ts'
import { withSession } from '#sql/session.ts'
import { writeTable } from '#sql/write-table.ts'
import { publishDemoChain } from '#test/support/demo-chain.ts'
import { openDay } from './served-chain.ts'

/** All days of the demo chain, with rows after blocks, first values and an earlier generation. */
export interface LongFolder {
  /** Metrics with rows after blocks and first values. */
  readonly fineIds: readonly string[]
  readonly earlier: string
  readonly current: string
  readonly lastDay: number
}

const blockDays = 14
const hourDays = 100
const firstValueDays = 300

export async function makeLongFolder(dataDir: string): Promise<LongFolder> {
  const demo = `${dataDir}-demo`
  await publishDemoChain(demo)
  const published = publishedFolder(dataDir)
  cpSync(realpathSync(publishedFolder(demo)), published, { recursive: true, verbatimSymlinks: true })
  rmSync(demo, { recursive: true })
  const { folder, generation } = currentGeneration(dataDir)!
  const lastDay = parseDay(generation.last_date)
  const addGeneration = (id: string, changes: object): string => {
    const target = path.join(published, id)
    mkdirSync(target)
    for (const name of readdirSync(folder))
      if (name.endsWith('.parquet')) linkSync(path.join(folder, name), path.join(target, name))
    writeIntactJson(path.join(target, 'generation.json'), { ...generation, id, ...changes })
    return target
  }
  const earlier = '20200101T000000000Z-0-00000000'
  addGeneration(earlier, { created_at: '2020-01-01T00:00:00.000Z', last_date: isoDate(lastDay - 1) })
  const fineIds = await withSession({ temporaryFolder: path.join(dataDir, 'tmp') }, async (connection) => {
    const catalogue = path.join(folder, 'catalogue.parquet')
    const found = await connection.runAndReadAll(
      `SELECT id FROM '${catalogue}' WHERE list_contains(intervals, 'block') ORDER BY id LIMIT 50`,
    )
    const ids = found.getRows().map(String)
    await writeToday(connection, dataDir, openDay(lastDay + 1))
    const kept = keptFolder(published)
    const columns = ids.map((id, i) => `${i} + row_number() OVER () / 7.0 AS "${id}"`).join(', ')
    for (let day = lastDay - hourDays; day <= lastDay; day++) {
      const isBlocks = day > lastDay - blockDays
      const [rows, seconds] = isBlocks ? [144, 600] : [24, 3_600]
      const unfinished = path.join(kept, 'unfinished')
      await connection.run(`COPY (
        SELECT DATE '${isoDate(day)}' AS date, date_trunc('hour', epoch_ms(${day * msPerDay} + 1000 * ${seconds} * i)) AS hour,
          (${144 * day} + i)::INTEGER AS height, 'hash' AS hash, epoch_ms(${day * msPerDay} + 1000 * ${seconds} * i) AS time, ${columns}
        FROM range(${rows}) AS made(i)) TO '${unfinished}' (FORMAT parquet)`)
      const { sha256 } = await digestFile(unfinished)
      const name = keptFile({ detail: isBlocks ? 'blocks' : 'hours', date: isoDate(day), rows, at: 1, sha256 })
      renameSync(unfinished, path.join(kept, name))
    }
    const old = '20180601T000000000Z-0-00000000'
    const target = addGeneration(old, {})
    const first_published = await writeTable(
      connection,
      firstPublishedFile(target),
      firstPublished,
      `SELECT date, metric, random() AS value, '${old}' AS generation, TIMESTAMP '2018-06-01' AS published_at
       FROM (SELECT unnest([${ids.map((id) => `'${id}'`).join(', ')}]) AS metric),
         (SELECT DATE '2018-05-31' - i::INTEGER AS date FROM range(${firstValueDays}) AS days(i)) ORDER BY metric, date`,
    )
    writeIntactJson(path.join(target, 'generation.json'), {
      ...generation,
      id: old,
      created_at: '2018-06-01T00:00:00.000Z',
      last_date: '2018-05-31',
      first_published,
    })
    await appendFirstPublished(connection, dataDir)
    rmSync(target, { recursive: true })
    return ids
  })
  return { fineIds, earlier, current: generation.id, lastDay }
}

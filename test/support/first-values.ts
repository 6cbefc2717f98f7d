import path from 'node:path'
import { firstPublished } from '#contract/tables/first-published.ts'
import type { Row } from '#contract/tables/table.ts'
import { appendFirstPublished, firstPublishedFile, firstPublishedFolder } from '#sql/first-published.ts'
import { openGeneration, publishedFolder } from '#sql/generation.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { rowsRelation } from '#sql/rows.ts'
import { withSession } from '#sql/session.ts'
import { writeTable } from '#sql/write-table.ts'
import { rowsOf } from './published.ts'

/** A value by metric and date. */
export type FirstValues = readonly (readonly [metric: string, date: string, value: number])[]

/** Notes in a published generation that it was the first to publish these values. */
export async function addFirstValues(dataDir: string, id: string, values: FirstValues): Promise<void> {
  const folder = path.join(publishedFolder(dataDir), id)
  const { generation } = openGeneration(folder)
  const published_at = generation.created_at.replace('T', ' ').replace('Z', '')
  const rows = values.map(
    ([metric, date, value]): Row<typeof firstPublished> => ({ date, metric, value, generation: id, published_at }),
  )
  const first_published = await withSession({ temporaryFolder: path.join(dataDir, 'tmp') }, async (connection) => {
    const { from } = rowsRelation('rows', firstPublished.columns, rows)
    const query = `SELECT * FROM ${from} ORDER BY metric, date`
    return writeTable(connection, firstPublishedFile(folder), firstPublished, query)
  })
  writeIntactJson(path.join(folder, 'generation.json'), { ...generation, first_published })
}

export async function appendFirstValues(dataDir: string): Promise<void> {
  await withSession({ temporaryFolder: path.join(dataDir, 'tmp') }, (connection) =>
    appendFirstPublished(connection, dataDir),
  )
}

/** Rows of all months as `metric date value generation`, by metric and date. */
export const firstValuesOf = async (dataDir: string, where = 'true'): Promise<string[]> => {
  const files = path.join(firstPublishedFolder(dataDir), '*.parquet')
  const rows = await rowsOf(
    `SELECT metric, date, value, generation FROM '${files}' WHERE ${where} ORDER BY metric, date, generation`,
  )
  return rows.map((row) => row.join(' '))
}

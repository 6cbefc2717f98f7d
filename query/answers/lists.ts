import type { Endpoint, EndpointParameters } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { paths } from '#contract/paths.ts'
import { type TableName, tableNames, tables } from '#contract/tables/tables.ts'
import { fileList } from '#sql/parquet.ts'
import { tableOf } from '../table/columns.ts'
import { tableTier, type UnrestrictedView, type View, type ViewedTable } from '../view.ts'
import { type Answer, noData } from './answer.ts'
import { dateValues } from './newest-rows.ts'

const registryAnswer =
  (table: ViewedTable, { path }: Endpoint, order: string) =>
  async (view: View): Promise<Answer> =>
    view.has(table) ? listed(view, `FROM ${view.table(table, path)} ORDER BY ${order}`) : noData

export const fundsAnswer = registryAnswer('etf_registry', endpoints.etfRegistry, `country = 'US' DESC, country, ticker`)
export const entitiesAnswer = registryAnswer('treasury_registry', endpoints.datRegistry, 'id')

/** With their first and last dates. */
export const exchangesAnswer =
  (table: 'funding' | 'open_interest') =>
  async ({ all }: UnrestrictedView): Promise<Answer> => {
    if (!all.has(table)) return noData
    const named = all.has('exchanges')
    return listed(
      all,
      `SELECT exchange, ${named ? 'any_value(names.name)' : 'exchange'} AS name,
         min(date) AS first_date, max(date) AS last_date
       FROM ${all.table(table)}
       ${named ? `LEFT JOIN ${all.table('exchanges')} AS names USING (exchange)` : ''}
       GROUP BY exchange ORDER BY exchange`,
    )
  }

/** Newest first; with dates, cycles that overlap them. */
export async function cycleBoundariesAnswer(
  view: View,
  { family, start_date, end_date }: EndpointParameters<typeof endpoints.cycleBoundaries>,
): Promise<Answer> {
  if (!view.has('cycles')) return noData
  const found = await view.query(
    `SELECT cycle, family, start_date, end_date, duration_days, start_height, start_price, provisional
     FROM ${view.table('cycles', endpoints.cycleBoundaries.path)}
     WHERE family = $family AND start_date <= $last AND coalesce(end_date, DATE '9999-12-31') >= $first
     ORDER BY cycle DESC`,
    { family, ...dateValues({ first: start_date ?? 0, last: end_date ?? view.lastDay }) },
  )
  const cycles = tableOf(found)
  return cycles.rows === 0 && start_date === undefined && end_date === undefined ? noData : { table: cycles }
}

async function listed(reader: Pick<View, 'queryOnce'>, query: string): Promise<Answer> {
  const list = tableOf(await reader.queryOnce(query))
  return list.rows === 0 ? noData : { table: list }
}

/** With the tier each needs. */
export async function tablesAnswer(view: UnrestrictedView): Promise<Answer> {
  const { generation, catalogue } = view
  const found = tableNames.flatMap((name) => {
    const file = generation.tables[name]
    return file ? [{ name, file }] : []
  })
  const text = (name: string, of: (one: (typeof found)[number]) => string) =>
    ({ name, kind: 'text', values: found.map(of) }) as const
  const byTable = Map.groupBy(catalogue.metrics, ({ table_name }) => table_name)
  const integer = (name: string, of: (one: (typeof found)[number]) => number) =>
    ({ name, kind: 'integer', values: Float64Array.from(found, of) }) as const
  const columns = await Promise.all(found.map(({ name }) => listColumns(view, name)))
  return {
    table: tableOf([
      text('name', ({ name }) => name),
      text('row_for', ({ name }) => tables[name].rowFor),
      text('holds', ({ name }) => tables[name].holds),
      integer('rows', ({ file }) => file.rows),
      integer('bytes', ({ file }) => file.bytes),
      text('sha256', ({ file }) => file.sha256),
      text('tier', ({ name }) => tableTier(name, { metrics: byTable.get(name) ?? [] })),
      text('path', ({ name }) => paths.table.replace('{file}', `${name}.parquet`)),
      { name: 'columns', kind: 'list', values: columns },
    ]),
  }
}

/** Name, type and unit of each, also of those that only some tiers see. */
async function listColumns({ all }: UnrestrictedView, name: TableName): Promise<readonly string[]> {
  if (all.damaged.includes(name)) return []
  const [columns] = await all.queryOnce(
    `SELECT list(concat_ws(' ', column_name, column_type, notes -> column_name ->> 'unit')) FROM (DESCRIBE FROM ${all.table(name)}), (
       SELECT decode(value)::JSON -> 'columns' AS notes FROM parquet_kv_metadata(${fileList([all.fileOf(name)])})
       WHERE decode(key) = 'coinstrata')`,
  )
  return columns?.kind === 'list' ? (columns.values[0] ?? []) : []
}

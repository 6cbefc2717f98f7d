import { DuckDBDateValue } from '@duckdb/node-api'
import { endpoints } from '#contract/endpoints.ts'
import { todayMetrics, todayState } from '#contract/tables/today.ts'
import { tiers } from '#contract/tiers.ts'
import type { Fields } from '../fields.ts'
import { type Column, tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, withheldMeta } from './answer.ts'

/** For metrics unknown to the catalogue. */
const highestGrade = tiers.enterprise.grade

const notFollowed: Answer = {
  table: tableOf([]),
  meta: {
    note: 'nothing is known about the day after the last published one: the node is not followed, or no block has come since',
  },
  version: '',
}

/** The open day, if it follows the published ones. Metrics need the same tier as on closed days. */
export async function todayAnswer(view: View, _: unknown, wanted: Fields): Promise<Answer> {
  const { today } = view
  if (today === undefined) return notFollowed
  const fields = Object.keys(todayMetrics).map((name) => ({
    name,
    grade: view.catalogue.find(name)?.grade ?? highestGrade,
  }))
  const { visible, withheld } = view.split(fields, endpoints.today.path)
  const names = [...Object.keys(todayState), ...visible.map(({ name }) => name)]
  const columns = await view.query(`SELECT ${names.join(', ')} FROM ${today} WHERE date > $last`, {
    last: new DuckDBDateValue(view.lastDay),
  })
  const table = tableOf(columns)
  if (table.rows === 0) return notFollowed
  return { table, meta: withheldMeta(wanted.of(withheld)), version: versionOf(columns) }
}

const versionOf = (columns: readonly Column[]): string =>
  columns.flatMap(({ name, values }) => (name === 'updated_at' ? [String(values[0])] : [])).join()

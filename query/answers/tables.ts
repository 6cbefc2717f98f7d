import { paths } from '#contract/paths.ts'
import { tableNames, tables } from '#contract/tables/tables.ts'
import { tableOf } from '../table/columns.ts'
import type { UnrestrictedView } from '../view.ts'
import { tableTier } from '../whole-tables.ts'
import type { Answer } from './answer.ts'

/** The published tables and the tier that each needs. */
export function tablesAnswer({ generation, catalogue }: UnrestrictedView): Answer {
  const found = tableNames.flatMap((name) => {
    const file = generation.tables[name]
    return file ? [{ name, file }] : []
  })
  const text = (name: string, of: (one: (typeof found)[number]) => string) =>
    ({ name, kind: 'text', values: found.map(of) }) as const
  const integer = (name: string, of: (one: (typeof found)[number]) => number) =>
    ({ name, kind: 'integer', values: Float64Array.from(found, of) }) as const
  return {
    table: tableOf([
      text('name', ({ name }) => name),
      text('row_for', ({ name }) => tables[name].rowFor),
      text('holds', ({ name }) => tables[name].holds),
      integer('rows', ({ file }) => file.rows),
      integer('bytes', ({ file }) => file.bytes),
      text('sha256', ({ file }) => file.sha256),
      text('tier', ({ name }) => tableTier(name, catalogue)),
      text('path', ({ name }) => paths.table.replace('{file}', `${name}.parquet`)),
    ]),
  }
}

import { endpoints } from '#contract/endpoints.ts'
import type { Range } from '#contract/parameters.ts'
import { tableOf } from '../table/columns.ts'
import { type UnrestrictedView, View } from '../view.ts'
import { type Answer, noData } from './answer.ts'
import { newestRows } from './newest-rows.ts'

/** Newest first, with the hash and signature of the list of all days. */
export async function proofAnswer({ all, work }: UnrestrictedView, range: Range): Promise<Answer> {
  const { proof } = all.generation
  if (!all.has('day_hashes')) return noData
  const view = new View(all, 'enterprise', work)
  const from = view.table('day_hashes', endpoints.proof.path)
  const rows = await newestRows(view, view.page(range), { from, columns: ['*'] })
  return { table: tableOf(rows), meta: { proof } }
}

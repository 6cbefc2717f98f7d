import { ApiError } from '#contract/api-error.ts'
import type { EndpointParameters } from '#contract/endpoint.ts'
import type { endpoints } from '#contract/endpoints.ts'
import type { Fields } from '../fields.ts'
import { emptyTable, tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import type { Answer, RetainedViews } from './answer.ts'
import { historyMeta } from './days.ts'
import { requireSeries } from './series.ts'

/** Days on which two generations differ, newest first. */
export async function revisionsAnswer(
  view: View,
  { metric: id, from, ...range }: EndpointParameters<typeof endpoints.revisions>,
  _: Fields,
  retained: RetainedViews,
): Promise<Answer> {
  const { generation } = view
  const metric = requireSeries(view, id, 'metric')
  const [after] = await view.valuesOf([metric])
  if (from === generation.id) {
    const message = `from and generation are both ${from}: name two different ones`
    throw new ApiError('invalid_parameter', message, { parameter: 'from' })
  }
  // Its files are not those of this view: damage of one must not be taken for damage of the other.
  const read = async (other: View) => {
    const known = other.catalogue.find(id)
    const [before] = known ? await other.valuesOf([known]) : []
    return { id: other.generation.id, firstDay: other.firstDay, lastDay: other.lastDay, known, before }
  }
  const earlier = await retained.readEarlier(generation.id, read, from)
  // Machines keep different generations, so the ETag names it.
  if (!earlier) {
    return { table: emptyTable, version: 'none', meta: { note: `no generation before ${generation.id} is kept` } }
  }
  const compared_with = earlier.id
  const { known, before } = earlier
  const version = compared_with
  if (!known || !before) {
    return { table: emptyTable, version, meta: { compared_with, note: `${compared_with} has no metric '${id}'` } }
  }
  const { first, last, rows, ascending } = view.page(range)
  const [oldest, newest] = [Math.max(first, earlier.firstDay), Math.min(last, earlier.lastDay)]
  const changed: { day: number; before: number; after: number }[] = []
  for (let i = 0; i <= newest - oldest && changed.length < rows; i++) {
    const day = ascending ? oldest + i : newest - i
    const [one, other] = [before[day - earlier.firstDay]!, after![day - view.firstDay]!]
    if (one === other || (Number.isNaN(one) && Number.isNaN(other))) continue
    changed.push({ day, before: one, after: other })
  }
  const numbers = (of: (row: (typeof changed)[number]) => number): Float64Array => Float64Array.from(changed, of)
  const redefined =
    known.formula !== metric.formula && `its formula was ${known.formula ?? 'none'} and is ${metric.formula ?? 'none'}`
  const note = redefined || (changed.length === 0 && 'no value changed')
  return {
    table: tableOf([
      { name: 'date', kind: 'date', values: numbers(({ day }) => day) },
      { name: 'value_before', kind: 'number', values: numbers((row) => row.before) },
      { name: 'value_after', kind: 'number', values: numbers((row) => row.after) },
      { name: 'change', kind: 'number', values: numbers((row) => row.after - row.before) },
      { name: 'change_percent', kind: 'number', values: numbers((row) => percentChange(row.before, row.after)) },
    ]),
    version,
    meta: { compared_with, ...historyMeta(view, range, changed.length), ...(note !== false && { note }) },
  }
}

const percentChange = (before: number, after: number): number =>
  before === 0 ? Number.NaN : (100 * (after - before)) / Math.abs(before)

import { DuckDBDateValue } from '@duckdb/node-api'
import { satsPerCoin } from '#base/bitcoin.ts'
import { findClosest } from '#base/suggestions.ts'
import { ApiError } from '#contract/api-error.ts'
import { endpoints } from '#contract/endpoints.ts'
import type { Range } from '#contract/parameters.ts'
import type { Fields } from '../fields.ts'
import { tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, noData } from './answer.ts'
import { historyMeta } from './days.ts'

const columnNames = ['date', 'value', 'low', 'high'].map((name) => ({ name }))

/** A measure of addresses with its intervals, newest first. */
export async function addressEstimatesAnswer(
  view: View,
  range: Range & { readonly measure: string },
  fields: Fields,
): Promise<Answer> {
  if (!view.has('address_balances')) return noData
  const { first, last, rows, ascending } = view.page(range)
  const columns = fields.of(columnNames).map(({ name }) => name)
  const read = await view.query(
    `FROM (
       SELECT ${columns.join(', ')} FROM ${view.table('address_balances', endpoints.addressEstimates.path)}
       WHERE date BETWEEN $first AND $last AND measure = $measure
       ORDER BY date ${ascending ? 'ASC' : 'DESC'} LIMIT $rows
     ) ORDER BY date DESC`,
    { first: new DuckDBDateValue(first), last: new DuckDBDateValue(last), measure: range.measure, rows },
  )
  const table = tableOf(read)
  return { table, meta: historyMeta(view, range, table.rows) }
}

/** Fields of an answer as expressions over `label_days`. */
const labelFields = Object.entries({
  date: 'date',
  label: 'label',
  addresses: 'addresses',
  balance: `balance_sats / ${satsPerCoin}`,
  received: `received_sats / ${satsPerCoin}`,
  spent: `spent_sats / ${satsPerCoin}`,
  realized_cap: 'realized_cap',
  realized_price: `realized_cap / nullif(balance_sats, 0) * ${satsPerCoin}`,
  average_age_days: `coin_days / nullif(balance_sats, 0) * ${satsPerCoin}`,
  coin_days_destroyed: 'coin_days_destroyed',
}).map(([name, expression]) => ({ name, expression }))

/**
 * Balances, flows, age and cost of the operator's labels, newest day first. Throws `not_found` for
 * an unknown label.
 */
export async function addressLabelsAnswer(
  view: View,
  range: Range & { readonly label?: string | undefined },
  fields: Fields,
): Promise<Answer> {
  if (!view.has('label_days')) return noData
  const { first, last, rows, ascending } = view.page(range)
  const { label } = range
  if (label !== undefined) await requireLabel(view, label)
  const columns = fields.of(labelFields).map(({ name, expression }) => `${expression} AS ${name}`)
  const read = await view.query(
    `SELECT ${columns.join(', ')} FROM (
       FROM ${view.table('label_days', endpoints.addressLabels.path)}
       WHERE date BETWEEN $first AND $last ${label === undefined ? '' : 'AND label = $label'}
       ORDER BY date ${ascending ? 'ASC' : 'DESC'}, label LIMIT $rows
     ) ORDER BY date DESC, label`,
    {
      ...{ first: new DuckDBDateValue(first), last: new DuckDBDateValue(last), rows },
      ...(label !== undefined && { label }),
    },
  )
  const table = tableOf(read)
  return { table, meta: historyMeta(view, range, table.rows) }
}

async function requireLabel(view: View, label: string): Promise<void> {
  const [names] = await view.query(
    `SELECT DISTINCT label FROM ${view.table('label_days', endpoints.addressLabels.path)} ORDER BY label`,
    {},
  )
  const known = Array.from<unknown, string>(names?.values ?? [], String)
  if (known.includes(label)) return
  const closest = findClosest(label, known)
  const message = `there is no label '${label}'${closest === undefined ? '' : `; did you mean '${closest}'?`}`
  throw new ApiError('not_found', message, { parameter: 'label' })
}

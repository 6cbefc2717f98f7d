import { satsPerCoin } from '#base/bitcoin.ts'
import { findClosest } from '#base/suggestions.ts'
import { ApiError } from '#contract/api-error.ts'
import type { EndpointParameters } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import type { Fields } from '../fields.ts'
import { tableOf } from '../table/columns.ts'
import type { View } from '../view.ts'
import { type Answer, noData } from './answer.ts'
import { historyMeta } from './days.ts'
import { newestRows } from './newest-rows.ts'

const columnNames = ['date', 'value', 'low', 'high'].map((name) => ({ name }))

/** A measure with its intervals, newest first. */
export async function addressEstimatesAnswer(
  view: View,
  range: EndpointParameters<typeof endpoints.addressEstimates>,
  fields: Fields,
): Promise<Answer> {
  if (!view.has('address_balances')) return noData
  const rows = await newestRows(view, view.page(range), {
    from: view.table('address_balances', endpoints.addressEstimates.path),
    columns: fields.of(columnNames).map(({ name }) => name),
    where: 'measure = $measure',
    values: { measure: range.measure },
  })
  const table = tableOf(rows)
  return { table, meta: historyMeta(view, range, table.rows) }
}

/** Expressions over `label_days`, by field. */
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

/** Balances, flows, age and cost of the operator's labels, newest day first. */
export async function addressLabelsAnswer(
  view: View,
  range: EndpointParameters<typeof endpoints.addressLabels>,
  fields: Fields,
): Promise<Answer> {
  if (!view.has('label_days')) return noData
  const { label } = range
  if (label !== undefined) await requireLabel(view, label)
  const rows = await newestRows(view, view.page(range), {
    from: view.table('label_days', endpoints.addressLabels.path),
    columns: fields.of(labelFields).map(({ name, expression }) => `${expression} AS ${name}`),
    ...(label !== undefined && { where: 'label = $label', values: { label } }),
    thenBy: 'label',
  })
  const table = tableOf(rows)
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

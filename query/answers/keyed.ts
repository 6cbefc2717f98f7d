import { DuckDBDateValue } from '@duckdb/node-api'
import { isoDate } from '#base/days.ts'
import { ApiError } from '#contract/api-error.ts'
import { type EndpointId, endpoints } from '#contract/endpoints.ts'
import { defaultInterval } from '#contract/intervals.ts'
import type { DailyRange } from '#contract/parameters.ts'
import type { ColumnName } from '#contract/tables/table.ts'
import { tables } from '#contract/tables/tables.ts'
import type { Fields } from '../fields.ts'
import { type Column, emptyTable, tableOf } from '../table/columns.ts'
import type { View, ViewedTable } from '../view.ts'
import { type Answer, noData } from './answer.ts'
import { historyMeta, periodDays, periodRows } from './days.ts'

/** One exchange, fund or entity is served at a time. */
export interface KeyedTable {
  readonly table: ViewedTable
  readonly key: string
  /** Lists all keys, including those without rows. */
  readonly registry: { readonly table: ViewedTable; readonly key: string }
  /** To which the catalogue assigns the metrics. */
  readonly endpoint: EndpointId
  /** In messages. */
  readonly what: string
  readonly listedAt: string
  /** Further condition on the rows. */
  readonly where?: string
}

type ColumnOf<Name extends ViewedTable> = ColumnName<(typeof tables)[Name]>

/** Checks column names against the declared tables at compile time. */
export const keyedTable = <const Name extends ViewedTable, const Registry extends ViewedTable>(
  keyed: KeyedTable & {
    readonly table: Name
    readonly key: ColumnOf<Name>
    readonly registry: { readonly table: Registry; readonly key: ColumnOf<Registry> }
  },
): KeyedTable => keyed

/**
 * Rows of the key that a parameter names. Throws `not_found` for an unknown key,
 * `insufficient_tier`.
 */
export const keyedAnswer =
  <Name extends string>(keyed: KeyedTable, parameter: Name) =>
  (view: View, parameters: DailyRange & Readonly<Record<Name, string | number>>, fields: Fields): Promise<Answer> =>
    readKey(view, parameters, keyed, parameters[parameter], fields)

async function readKey(
  view: View,
  range: DailyRange,
  keyed: KeyedTable,
  wanted: string | number,
  fields: Fields,
): Promise<Answer> {
  const { table, key, what, endpoint, where = 'true' } = keyed
  if (!view.has(table)) return noData
  const found = await findKey(view, keyed, wanted)
  const from = view.table(table, `a single ${what}`)
  const columns = fields.of(Object.keys(tables[table].columns).map((name) => ({ name }))).map(({ name }) => name)
  const { first, last, rows, enough, ascending } = periodDays(view, range)
  const read = await view.query(
    `FROM (
       SELECT ${columns.join(', ')} FROM ${from}
       WHERE ${key} = $found AND date BETWEEN $first AND $last AND ${where}
       ORDER BY date ${ascending ? 'ASC' : 'DESC'} LIMIT $enough
     ) ORDER BY date DESC`,
    { found, first: new DuckDBDateValue(first), last: new DuckDBDateValue(last), enough },
  )
  if (read[0]?.values.length === 0) {
    const [known] = await view.query(`SELECT count(*) FROM ${from} WHERE ${key} = $found`, { found })
    if (known?.values[0] === 0)
      return view.isCut ? { table: emptyTable, meta: { history_limited_to: isoDate(view.firstDay) } } : noData
  }
  const answer = tableOf(aggregatePeriods(view, range, read, { rows, endpoint }))
  return { table: answer, meta: historyMeta(view, range, answer.rows) }
}

function aggregatePeriods(
  view: View,
  range: DailyRange,
  read: readonly Column[],
  { rows, endpoint }: { readonly rows: number; readonly endpoint: EndpointId },
): readonly Column[] {
  const dates = read.find(({ kind }) => kind === 'date')
  if (dates?.kind !== 'date' || (range.interval ?? defaultInterval) === defaultInterval) return read
  const days = dates.values
  const { newest, column } = periodRows(view, days.toReversed(), range, rows)
  const metrics = view.catalogue.servedBy(endpoint)
  const rowsOf = newest.map((row) => days.length - 1 - row)
  return read.map((one) => {
    switch (one.kind) {
      case 'number': {
        // A column that is no metric is a level: a running total, a share.
        const defaultAggregate = metrics.find(({ field }) => field === one.name)?.aggregate ?? 'last'
        return { ...one, values: column(one.values.toReversed(), defaultAggregate) }
      }
      case 'integer':
      case 'date':
        return { ...one, values: Float64Array.from(rowsOf, (row) => one.values[row]!) }
      case 'flag':
        return { ...one, values: rowsOf.map((row) => one.values[row]!) }
      case 'text':
        return { ...one, values: rowsOf.map((row) => one.values[row]!) }
      default:
        throw new Error(`column ${one.name} of ${endpoint} has no intervals`)
    }
  })
}

/** As in the tables: requests may use any case for exchanges and tickers. */
async function findKey<Key extends string | number>(view: View, keyed: KeyedTable, wanted: Key): Promise<Key | string> {
  const { registry, key, what, listedAt } = keyed
  if (!view.has(registry.table)) return wanted
  const [keys] = await view.queryOnce(
    `SELECT ${registry.key}::VARCHAR FROM ${view.table(registry.table, listedAt)} ORDER BY ${registry.key}`,
  )
  const allowed = [...(keys?.values ?? [])].map(String)
  const found = allowed.find((one) => one.toLowerCase() === String(wanted).toLowerCase())
  if (found !== undefined) return typeof wanted === 'number' ? wanted : found
  const list = allowed.length <= 20 ? `; there are ${allowed.join(', ')}` : ''
  throw new ApiError('not_found', `there is no ${what} '${wanted}'${list}; ${listedAt} lists those that have data`, {
    parameter: key,
    ...(list && { allowed }),
  })
}

const byExchange = {
  key: 'exchange',
  registry: { table: 'exchanges', key: 'exchange' },
  what: 'exchange',
} as const

export const fundingOfExchange = keyedTable({
  ...byExchange,
  table: 'funding',
  endpoint: endpoints.fundingExchange.id,
  listedAt: endpoints.fundingExchanges.path,
})

export const openInterestOfExchange = keyedTable({
  ...byExchange,
  table: 'open_interest',
  endpoint: endpoints.oiExchange.id,
  listedAt: endpoints.oiExchanges.path,
})

export const fund = keyedTable({
  table: 'etf',
  key: 'ticker',
  endpoint: endpoints.etfTicker.id,
  registry: { table: 'etf_registry', key: 'ticker' },
  what: 'fund',
  listedAt: endpoints.etfRegistry.path,
})

import { isoDate } from '#base/days.ts'
import { ApiError } from '#contract/api-error.ts'
import { type EndpointId, endpoints } from '#contract/endpoints.ts'
import { defaultInterval } from '#contract/intervals.ts'
import type { DailyRange } from '#contract/parameters.ts'
import type { ColumnName } from '#contract/tables/table.ts'
import { tables } from '#contract/tables/tables.ts'
import type { Fields } from '../fields.ts'
import { type Column, emptyTable, rowsAt, type Table, tableOf } from '../table/columns.ts'
import type { View, ViewedTable } from '../view.ts'
import { type Answer, noData } from './answer.ts'
import { historyMeta, periodDays, periodRows } from './days.ts'
import { newestRows } from './newest-rows.ts'

/** One exchange, fund or entity at a time. */
export interface KeyedTable {
  readonly table: ViewedTable
  readonly key: string
  /** Lists all keys, including those without rows. */
  readonly registry: { readonly table: ViewedTable; readonly key: string }
  /** The catalogue assigns the metrics to this endpoint. */
  readonly endpoint: EndpointId
  /** In messages. */
  readonly what: string
  readonly listedAt: string
  /** Further condition on the rows. */
  readonly where?: string
}

type ColumnOf<Name extends ViewedTable> = ColumnName<(typeof tables)[Name]>

/** Checks column names at compile time. */
export const keyedTable = <const Name extends ViewedTable, const Registry extends ViewedTable>(
  keyed: KeyedTable & {
    readonly table: Name
    readonly key: ColumnOf<Name>
    readonly registry: { readonly table: Registry; readonly key: ColumnOf<Registry> }
  },
): KeyedTable => keyed

/** Rows of the key that a parameter names. */
export const keyedAnswer =
  <Name extends string>(keyed: KeyedTable, parameter: Name) =>
  async (view: View, range: DailyRange & Readonly<Record<Name, string | number>>, fields: Fields): Promise<Answer> => {
    const { table, key, what, endpoint, where = 'true' } = keyed
    if (!view.has(table)) return noData
    const found = await findKey(view, keyed, range[parameter])
    const from = view.table(table, `a single ${what}`)
    const { rows, enough, ...days } = periodDays(view, range)
    const read = await newestRows(
      view,
      { ...days, rows: enough },
      {
        from,
        columns: fields.of(Object.keys(tables[table].columns).map((name) => ({ name }))).map(({ name }) => name),
        where: `${key} = $found AND ${where}`,
        values: { found },
      },
    )
    if (read[0]?.values.length === 0) {
      const [known] = await view.query(`SELECT count(*) FROM ${from} WHERE ${key} = $found`, { found })
      if (known?.values[0] === 0)
        return view.isCut ? { table: emptyTable, meta: { history_limited_to: isoDate(view.firstDay) } } : noData
    }
    const answer = aggregatePeriods(view, range, tableOf(read), { rows, endpoint })
    return { table: answer, meta: historyMeta(view, range, answer.rows) }
  }

function aggregatePeriods(
  view: View,
  range: DailyRange,
  read: Table,
  { rows, endpoint }: { readonly rows: number; readonly endpoint: EndpointId },
): Table {
  const dates = read.columns.find(({ kind }) => kind === 'date')
  if (dates?.kind !== 'date' || (range.interval ?? defaultInterval) === defaultInterval) return read
  const { newest, column } = periodRows(view, dates.values.toReversed(), range, rows)
  const metrics = view.catalogue.servedBy(endpoint)
  const shown = rowsAt(
    read,
    newest.map((row) => read.rows - 1 - row),
  )
  const columns = shown.columns.map((one, i): Column => {
    const whole = read.columns[i]
    if (one.kind !== 'number' || whole?.kind !== 'number') return one
    // Columns that are no metrics are levels: a running total, a share.
    const defaultAggregate = metrics.find(({ field }) => field === one.name)?.aggregate ?? 'last'
    return { ...one, values: column(whole.values.toReversed(), defaultAggregate) }
  })
  return { ...shown, columns }
}

/** Requests may use any case for exchanges and tickers. */
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

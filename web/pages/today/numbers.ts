import { dayOf, isoDate } from '#base/days.ts'
import { read } from '../../data/client.ts'
import { type Columns, readColumns } from '../../data/columns.ts'
import { health } from '../../data/freshness.ts'

/** The eight numbers that matter, with how people call them; each line is of the year before. */
export const cards = [
  { id: 'mvrv', name: 'MVRV' },
  { id: 'realized_price', name: 'Realized price' },
  { id: 'sth_realized_price', name: 'Short-term cost basis' },
  { id: 'nupl', name: 'NUPL' },
  { id: 'sopr', name: 'SOPR' },
  { id: 'lth_supply', name: 'Long-term supply' },
  { id: 'hash_rate_7d', name: 'Hash rate' },
  { id: 'etf_net_flow_btc_7d_sum', name: 'ETF flow, 7 days' },
] as const

/** Where the numbers of the page lie in their history; those above the reader's tier are left out. */
export const readStandings = () =>
  read('metrics/percentiles', { metrics: ['price', ...cards.map(({ id }) => id)].join() })

/** The values of a year, one request for all lines; of metrics above the reader's tier there are none. */
export async function readYear(ids: readonly string[]): Promise<Columns> {
  const last = health.peek()?.published?.last_date
  return readColumns(ids, last === undefined ? {} : { from: isoDate(dayOf(last) - 364) })
}

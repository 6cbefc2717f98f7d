import type { Status } from '#contract/status.ts'
import { ago } from '../../parts/numbers.ts'
import { TableHead } from '../../parts/sortable-table.tsx'
import { formatDayAge } from './format.ts'

const contents: Readonly<Record<string, string>> = {
  prices: 'Prices',
  funding: 'Funding rates',
  open_interest: 'Open interest',
  etf: 'ETFs',
  treasuries: 'Treasuries',
}

export function Sources({ status }: { readonly status: Status }) {
  const { market, sources, generations } = status
  const now = Date.parse(status.at)
  const isSimulated = generations.some(({ is_current, simulated }) => is_current && simulated)
  return (
    <section>
      <h2>Market data</h2>
      {market.length === 0 ? (
        <p class="muted">
          None are published. <code>coinstrata fetch</code> asks public sources, and{' '}
          <code>coinstrata import prices FILE</code> reads a file; the next update publishes them.
        </p>
      ) : (
        <section class="table" aria-label="Market data">
          <table>
            <caption class="hidden">Published market data and how far it reaches</caption>
            <TableHead
              columns={['What', ['Since', 'not-phone'], 'Last day', 'Age', ['Sources that day', 'not-phone']]}
            />
            <tbody>
              {market.map(({ table, first_date, last_date, sources: of }) => (
                <tr key={table}>
                  <th scope="row">{contents[table] ?? table}</th>
                  <td class="not-phone">{first_date}</td>
                  <td>{last_date}</td>
                  <td>{formatDayAge(last_date, now)}</td>
                  <td class="not-phone muted">{of.join(', ')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <h2>Sources</h2>
      {sources.length === 0 ? (
        <p class="muted">
          {isSimulated
            ? 'The data in this folder is simulated, so no source is asked.'
            : 'No source has been asked yet. “coinstrata fetch” asks them, and “coinstrata start” does so every night.'}
        </p>
      ) : (
        <section class="table" aria-label="Sources">
          <table>
            <caption class="hidden">Sources that were asked</caption>
            <TableHead columns={['Source', 'Outcome', 'Answered', ['Snapshot', 'not-phone']]} />
            <tbody>
              {sources.map(({ source, outcome, answered_at, snapshot_at, message }) => (
                <tr key={source}>
                  <th scope="row">{source}</th>
                  <td>
                    {outcome.replace('_', ' ')}
                    {message !== null && <span class="muted">: {message}</span>}
                  </td>
                  <td>{answered_at === null ? 'not yet' : ago(answered_at, now)}</td>
                  <td class="not-phone">{snapshot_at === null ? '' : ago(snapshot_at, now)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  )
}

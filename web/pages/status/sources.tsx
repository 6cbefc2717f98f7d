import { msPerDay } from '#base/days.ts'
import type { Status } from '#contract/status.ts'
import { ago } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'

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
          <Table
            caption="Published market data and how far it reaches"
            rows={market}
            columns={[
              { name: 'What', show: ({ table }) => contents[table] ?? table },
              { name: 'Since', class: 'not-phone', show: ({ first_date }) => first_date },
              { name: 'Last day', show: ({ last_date }) => last_date },
              { name: 'Age', show: ({ last_date }) => formatDayAge(last_date, now) },
              { name: 'Sources that day', class: 'not-phone muted', show: (one) => one.sources.join(', ') },
            ]}
          />
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
          <Table
            caption="Sources that were asked"
            rows={sources}
            columns={[
              { name: 'Source', show: ({ source }) => source },
              { name: 'Outcome', show: showOutcome },
              { name: 'Answered', show: ({ answered_at: at }) => (at === null ? 'not yet' : ago(at, now)) },
              { name: 'Snapshot', class: 'not-phone', show: ({ snapshot_at: at }) => at && ago(at, now) },
            ]}
          />
        </section>
      )}
    </section>
  )
}

/** For runs and sources. */
export const showOutcome = ({ outcome, message }: { readonly outcome: string; readonly message: string | null }) => (
  <>
    {outcome.replace('_', ' ')}
    {message !== null && <span class="muted">: {message}</span>}
  </>
)

function formatDayAge(date: string, now: number): string {
  const days = Math.floor((now - Date.parse(date)) / msPerDay)
  if (days <= 0) return 'today'
  return days === 1 ? 'yesterday' : `${days} days ago`
}

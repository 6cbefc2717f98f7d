import { type Account, act } from '../../data/accounts.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { longDate, writeCount } from '../../parts/numbers.ts'
import { TableHead } from '../../parts/sortable-table.tsx'

const daysShown = 30
const dayLength = 86_400_000

export function Usage({ account }: { readonly account: Account }) {
  const { value, error, retry } = useAnswer(() => act('GET /v1/usage'), [account.email])
  if (error !== undefined && !value) return <Failed error={error} retry={retry} />
  const counts = new Map<string, number>()
  for (const { date, requests } of value ?? []) counts.set(date, (counts.get(date) ?? 0) + requests)
  const dates = Array.from({ length: daysShown }, (_, i) => isoDay(Date.now() - (daysShown - 1 - i) * dayLength))
  const max = Math.max(1, ...dates.map((date) => counts.get(date) ?? 0))
  const today = dates.at(-1) ?? ''
  const used = (value ?? []).filter(({ date }) => date === today)
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">Usage</h2>
      <p class="muted">
        {writeCount(counts.get(today) ?? 0)} of {writeCount(account.requests_per_day)} requests today. The day ends at
        midnight UTC. Below, the last {daysShown} days; the highest bar stands for {writeCount(max)}.
      </p>
      <svg
        class="days"
        viewBox={`0 0 ${daysShown * 10} 60`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Requests by day; at most ${writeCount(max)} on one of the last ${daysShown} days`}
      >
        {dates.map((date, i) => {
          const height = (56 * (counts.get(date) ?? 0)) / max
          return (
            <rect key={date} x={i * 10 + 1} y={59 - height} width="8" height={height}>
              <title>{`${longDate(date)}: ${writeCount(counts.get(date) ?? 0)}`}</title>
            </rect>
          )
        })}
        <path d={`M0 59.5H${daysShown * 10}`} />
      </svg>
      {used.length > 0 && (
        <details>
          <summary>Today by key and endpoint ({used.length})</summary>
          <div class="wide">
            <table>
              <TableHead columns={['Key', 'Endpoint', ['Requests', 'number']]} />
              <tbody>
                {used.map(({ key, endpoint, requests }) => (
                  <tr key={`${key} ${endpoint}`}>
                    <td>{key === null ? 'This site' : <code>{key}…</code>}</td>
                    <td>{endpoint}</td>
                    <td class="number">{writeCount(requests)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </section>
  )
}

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

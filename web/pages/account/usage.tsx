import { dayAt, isoDate } from '#base/days.ts'
import { type Account, act } from '../../data/accounts.ts'
import { longDate, writeCount } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'

const daysShown = 30

export function Usage({ account }: { readonly account: Account }) {
  const { value, failure } = useAnswer(() => act('GET /v1/usage'), [account.email])
  if (failure) return failure
  const counts = new Map<string, number>()
  for (const { date, requests } of value ?? []) counts.set(date, (counts.get(date) ?? 0) + requests)
  const dates = Array.from({ length: daysShown }, (_, i) => isoDate(dayAt(Date.now()) - (daysShown - 1 - i)))
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
            <Table
              rows={used}
              columns={[
                { name: 'Key', show: ({ key }) => (key === null ? 'This site' : <code>{key}…</code>) },
                { name: 'Endpoint', show: ({ endpoint }) => endpoint },
                { name: 'Requests', class: 'number', show: ({ requests }) => writeCount(requests) },
              ]}
            />
          </div>
        </details>
      )}
    </section>
  )
}

import type { Status } from '#contract/status.ts'
import { Bar } from '../../parts/bar.tsx'
import { TableHead } from '../../parts/table-head.tsx'
import { formatDuration, formatMinute } from './format.ts'

export function Runs({ status }: { readonly status: Status }) {
  const { runs, due } = status
  const now = Date.parse(status.at)
  const durationMs = ({ started_at, ended_at }: Status['runs'][number]): number =>
    (ended_at === null ? now : Date.parse(ended_at)) - Date.parse(started_at)
  const maxDurationMs = Math.max(...runs.map(durationMs))
  return (
    <section>
      <h2>Runs</h2>
      {runs.length === 0 ? (
        <p class="muted">
          No runs are recorded in this data folder. <code>coinstrata start</code> and <code>coinstrata update</code>{' '}
          record theirs.
        </p>
      ) : (
        <section class="table" aria-label="Runs">
          <table>
            <caption class="hidden">The newest runs of each job</caption>
            <TableHead columns={['Job', 'Began', 'Outcome', ['Took', 'number'], ['', 'not-phone']]} />
            <tbody>
              {runs.map((run) => {
                const wasKilled = run.ended_at === null && run.outcome === 'failed'
                return (
                  <tr key={run.job + run.started_at}>
                    <th scope="row">{run.job}</th>
                    <td>{formatMinute(run.started_at)}</td>
                    <td>
                      {run.outcome}
                      {run.message !== null && <span class="muted">: {run.message}</span>}
                    </td>
                    <td class="number">{wasKilled ? 'killed' : formatDuration(durationMs(run))}</td>
                    <td class="not-phone">{!wasKilled && <Bar share={durationMs(run) / maxDurationMs} />}</td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </section>
      )}
      {due.length > 0 && (
        <p class="muted">
          {due
            .map(({ job, at }) => `${job} ${Date.parse(at) > now ? 'is due' : 'was due'} ${formatMinute(at)}`)
            .join(', ')}
          .
        </p>
      )}
    </section>
  )
}

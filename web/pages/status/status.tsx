import { useEffect } from 'preact/hooks'
import { paths } from '#contract/paths.ts'
import type { Status as State } from '#contract/status.ts'
import { useTitle } from '../../app/title.ts'
import { readJson, request } from '../../data/client.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Bar } from '../../parts/bar.tsx'
import { Failed } from '../../parts/failed.tsx'
import { writeCount } from '../../parts/numbers.ts'
import { TableHead } from '../../parts/sortable-table.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { formatDuration, formatMinute, formatProved } from './format.ts'
import { Served } from './served.tsx'
import { Sources } from './sources.tsx'

const interval = 60_000

export function Status() {
  useTitle('Status')
  const { value, error, retry } = useAnswer(readStatus, [])
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && retry(), interval)
    return () => clearInterval(timer)
  }, [retry])
  return (
    <>
      <h1>Status</h1>
      {error !== undefined && <Failed error={error} retry={retry} />}
      {value ? (
        <>
          <Served status={value} />
          <Generations status={value} />
          <Runs status={value} />
          <Sources status={value} />
        </>
      ) : (
        error === undefined && <Waiting lines={14} />
      )}
    </>
  )
}

/** Not cached: the status changes within a generation. */
const readStatus = async (): Promise<State> => readJson(await request(paths.status.slice(1)))

function Generations({ status }: { readonly status: State }) {
  const { generations, damaged } = status
  if (generations.length === 0 && damaged.length === 0) return null
  return (
    <section>
      <h2>Generations</h2>
      <p class="muted">
        Everything is published at once or not at all. <code>coinstrata rollback</code> goes back to an older one that
        is kept.
      </p>
      <ol class="timeline">
        {generations.map(({ id, at, is_current, was_left, first_date, last_date, tip_height, proved }) => (
          <li key={id} class={is_current ? 'current' : undefined}>
            <p>
              <time dateTime={at}>{formatMinute(at)}</time>
              {is_current && <b> current</b>}
              {was_left && <span class="muted"> left; “coinstrata rollback {id}” makes it current again</span>}
            </p>
            <p class="muted">
              <code>{id}</code>
            </p>
            <p class="muted">
              {first_date} to {last_date} · block {writeCount(tip_height)} · proved {formatProved(proved)}
            </p>
          </li>
        ))}
        {damaged.map((id) => (
          <li key={id}>
            <p>
              <code>{id}</code>
            </p>
            <p class="muted">Its generation.json is missing or damaged.</p>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Runs({ status }: { readonly status: State }) {
  const { runs, due } = status
  const now = Date.parse(status.at)
  const durationMs = ({ started_at, ended_at }: State['runs'][number]): number =>
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

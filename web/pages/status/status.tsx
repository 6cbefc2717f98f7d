import { useEffect } from 'preact/hooks'
import { formatMinute } from '#base/days.ts'
import { formatDuration } from '#base/quantities.ts'
import { paths } from '#contract/paths.ts'
import { describeProved } from '#contract/proofs.ts'
import type { Status as State } from '#contract/status.ts'
import { useTitle } from '../../app/title.ts'
import { readJson, request } from '../../data/client.ts'
import { Bar } from '../../parts/bar.tsx'
import { Failed } from '../../parts/failed.tsx'
import { writeCount } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { Served } from './served.tsx'
import { Sources, showOutcome } from './sources.tsx'

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
              <time dateTime={at}>{formatMinute(Date.parse(at))}</time>
              {is_current && <b> current</b>}
              {was_left && <span class="muted"> left; “coinstrata rollback {id}” makes it current again</span>}
            </p>
            <p class="muted">
              <code>{id}</code>
            </p>
            <p class="muted">
              {first_date} to {last_date} · block {writeCount(tip_height)} · proved {describeProved(proved)}
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
    Math.max(0, (ended_at === null ? now : Date.parse(ended_at)) - Date.parse(started_at))
  const wasKilled = ({ ended_at, outcome }: State['runs'][number]): boolean => ended_at === null && outcome === 'failed'
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
          <Table
            caption="The newest runs of each job"
            rows={runs}
            columns={[
              { name: 'Job', show: ({ job }) => job },
              { name: 'Began', show: ({ started_at }) => formatMinute(Date.parse(started_at)) },
              { name: 'Outcome', show: showOutcome },
              {
                name: 'Took',
                class: 'number',
                show: (run) => (wasKilled(run) ? 'killed' : formatDuration(durationMs(run) / 1000)),
              },
              {
                name: '',
                class: 'not-phone',
                show: (run) => !wasKilled(run) && <Bar share={durationMs(run) / maxDurationMs} />,
              },
            ]}
          />
        </section>
      )}
      {due.length > 0 && (
        <p class="muted">
          {due
            .map(
              ({ job, at }) => `${job} ${Date.parse(at) > now ? 'is due' : 'was due'} ${formatMinute(Date.parse(at))}`,
            )
            .join(', ')}
          .
        </p>
      )}
    </section>
  )
}

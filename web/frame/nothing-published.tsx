import { formatDuration } from '#base/quantities.ts'
import type { Health } from '#contract/health.ts'
import { useTitle } from '../app/title.ts'
import { toSentence } from '../data/failure.ts'
import { Bar } from '../parts/bar.tsx'

/** Shows progress of the first update or why there is none, until the opened page has data. */
export function NothingPublished({ health: { last_update: update, problems } }: { readonly health: Health }) {
  const isRunning = update?.outcome === 'running'
  const { step, share } = update?.progress ?? { step: 'starting', share: null }
  useTitle(isRunning ? 'The first update runs' : 'Nothing is published')
  return (
    <section class="nothing-published">
      <h1>{isRunning ? 'The first update runs' : 'Nothing is published yet'}</h1>
      {isRunning && (
        <div role="status">
          <p>
            {toSentence(share === null ? step : `${step}: ${Math.floor(100 * share)} %`)}{' '}
            <span class="muted">{formatDuration(update.seconds ?? 0)} so far</span>
          </p>
          {share !== null && <Bar share={share} />}
          <p class="muted">This page appears when it is done.</p>
        </div>
      )}
      {!isRunning &&
        problems.map(({ code, message, cure }) => (
          <div key={code} class="failed">
            <p>{toSentence(message)}</p>
            <p class="muted">{cure}</p>
          </div>
        ))}
    </section>
  )
}

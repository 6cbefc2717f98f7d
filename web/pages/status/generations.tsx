import type { Status } from '#contract/status.ts'
import { writeCount } from '../../parts/numbers.ts'
import { formatMinute, formatProved } from './format.ts'

export function Generations({ status }: { readonly status: Status }) {
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

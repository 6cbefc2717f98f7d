import type { ComponentChildren } from 'preact'
import { toHref } from '../../app/router.ts'
import { health } from '../../data/freshness.ts'
import { type Loaded, useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { longDate } from '../../parts/numbers.ts'
import { Waiting } from '../../parts/waiting.tsx'

/** What `read` finds of a market, once it is known of which days there are data. */
export function useMarket<T>(read: (lastDate: string) => Promise<T>): Loaded<T> {
  const lastDate = health.value?.published?.last_date
  return useAnswer(async () => (lastDate === undefined ? undefined : read(lastDate)), [lastDate])
}

/** A market that is on its way, failed, or here. */
export function Market<T>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<T>
  readonly children: (value: T) => ComponentChildren
}) {
  const { value, error, retry } = loaded
  if (value !== undefined) return <>{children(value)}</>
  return error === undefined ? <Waiting lines={12} /> : <Failed error={error} retry={retry} />
}

/** Where nothing is known of a market: why that may be, and what to do. */
export function NothingKnown({ what, sources }: { readonly what: string; readonly sources: readonly string[] }) {
  return (
    <div class="failed">
      <p>Nothing is known of {what} here.</p>
      <p class="muted">
        No source of them has answered, or sources are off (<code>MARKET_SOURCES=none</code>).{' '}
        <code>coinstrata fetch {sources.join(' ')}</code> asks them, <code>coinstrata import</code> takes a file, and
        the next <code>coinstrata update</code> publishes what they said. <a href={toHref('/status')}>Status</a> shows
        how it went.
      </p>
    </div>
  )
}

/** Where the reader's tier sees less than a year. */
export function LinesBegin({ on }: { readonly on: string | undefined }) {
  return on === undefined ? null : (
    <p class="remark">Lines begin on {longDate(on)}, with the history that is open here; a key shows the whole year.</p>
  )
}

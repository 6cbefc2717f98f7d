import type { ComponentChildren } from 'preact'
import { toHref } from '../../app/router.ts'
import { health } from '../../data/freshness.ts'
import { type Loaded, useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { longDate } from '../../parts/numbers.ts'
import { Waiting } from '../../parts/waiting.tsx'

/** Loads a market when the last published date is known. */
export function useMarket<T>(read: (lastDate: string) => Promise<T>): Loaded<T> {
  const lastDate = health.value?.published?.last_date
  return useAnswer(async () => (lastDate === undefined ? undefined : read(lastDate)), [lastDate])
}

interface MarketProps<T> {
  /** Returns undefined if nothing is known about the market. */
  readonly read: (lastDate: string) => Promise<T | undefined>
  readonly what: string
  readonly sources: readonly string[]
  readonly children: (value: T) => ComponentChildren
}

export function Market<T>({ read, what, sources, children }: MarketProps<T>) {
  const { value, error, retry } = useMarket(async (lastDate) => ({ known: await read(lastDate) }))
  if (!value) return error === undefined ? <Waiting lines={12} /> : <Failed error={error} retry={retry} />
  if (value.known !== undefined) return <>{children(value.known)}</>
  return (
    <div class="failed">
      <p>There is no data on {what} here.</p>
      <p class="muted">
        No source has answered, or sources are turned off (<code>MARKET_SOURCES=none</code>).{' '}
        <code>coinstrata fetch {sources.join(' ')}</code> asks them, <code>coinstrata import</code> reads a file, and
        the next <code>coinstrata update</code> publishes the data. <a href={toHref('/status')}>Status</a> shows the
        outcome.
      </p>
    </div>
  )
}

/** A remark if the reader's tier sees less than a year. */
export function LinesBegin({ on }: { readonly on: string | undefined }) {
  return on === undefined ? null : (
    <p class="remark">Lines begin on {longDate(on)}, like the history visible here; a key shows the whole year.</p>
  )
}

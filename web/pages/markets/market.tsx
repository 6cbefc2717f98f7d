import type { ComponentChildren } from 'preact'
import { isoDate } from '#base/days.ts'
import { toHref } from '../../app/router.ts'
import type { Columns } from '../../data/columns.ts'
import { longDate } from '../../parts/numbers.ts'
import { useLastDay } from '../../parts/use-answer.tsx'
import { Waiting } from '../../parts/waiting.tsx'

interface MarketProps<T> {
  /** Returns undefined without data. */
  readonly read: (lastDate: string) => Promise<T | undefined>
  readonly what: string
  readonly sources: readonly string[]
  readonly children: (value: T) => ComponentChildren
}

export function Market<T>({ read, what, sources, children }: MarketProps<T>) {
  const { value, failure } = useLastDay(async (lastDate) => ({ known: await read(lastDate) }))
  if (!value) return failure ?? <Waiting lines={12} />
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

/** Shown if the tier sees less than a year. */
export const LinesBegin = ({ columns: { isCut, firstDay } }: { readonly columns: Columns }) =>
  isCut && (
    <p class="remark">
      Lines begin on {longDate(isoDate(firstDay))}, like the history visible here; a key shows the whole year.
    </p>
  )

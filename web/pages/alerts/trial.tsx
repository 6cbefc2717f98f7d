import { useState } from 'preact/hooks'
import type { z } from 'zod'
import { parseDay } from '#base/days.ts'
import type { AlertTrial, alertTrialBody } from '#contract/alerts.ts'
import { pathTo, toHref } from '../../app/router.ts'
import { HistoryNote } from '../../chart/history-note.tsx'
import { InteractiveChart } from '../../chart/interactive-chart.tsx'
import type { View } from '../../chart/view.ts'
import { longDate, writeCount, writeValue } from '../../parts/numbers.ts'
import { conditionLevels } from './conditions.tsx'

export type WatchedBody = z.input<typeof alertTrialBody>

const examples = ['price', 'mvrv', 'nupl', 'hash_ribbon']
const maxListed = 5
const chartHeight = 340

interface TrialProps {
  /** Undefined without a valid metric or formula. */
  readonly series: Pick<WatchedBody, 'metric' | 'formula'> | undefined
  /** The condition has its numbers. */
  readonly isComplete: boolean
  readonly tried: { readonly trial: AlertTrial; readonly watched: WatchedBody } | undefined
  readonly unit: string
}

/** Chart with the days on which the alert would have fired. */
export function Trial({ series, isComplete, tried, unit }: TrialProps) {
  const [view, setView] = useState<View>({ range: 'all', days: undefined, scale: undefined })
  if (!series)
    return (
      <p class="muted">
        Name a metric or a formula to see its chart, or begin with one of these:{' '}
        {examples.map((id) => (
          <a key={id} href={`${toHref(pathTo('alerts'))}?watch=${id}`}>
            {id}
          </a>
        ))}
      </p>
    )
  const { metric, formula = '' } = series
  const { fired = [], from = null } = tried?.trial ?? {}
  const levels = tried ? conditionLevels(tried.watched.condition) : []
  const options = {
    ...(metric === undefined ? { formulas: [{ expression: formula }] } : { metric }),
    reference_lines: [...levels.map((y) => ({ y })), ...fired.map(({ date }) => ({ x: parseDay(date) }))],
  }
  const newest = fired.slice(-maxListed).reverse()
  return (
    <>
      <div role="status">
        {tried ? (
          <p>
            <b>{describeCount(tried.trial)}</b>
            {from !== null && ` since ${longDate(from)}.`} {describeNow(tried.trial, unit)}
          </p>
        ) : (
          <p class="muted">
            {isComplete ? '\u00a0' : 'Give the condition its numbers to see when it would have fired.'}
          </p>
        )}
        {newest.length > 0 && (
          <p class="muted">
            {fired.length > newest.length ? `The last ${newest.length}: ` : 'On '}
            {newest.map(({ date, value }) => `${longDate(date)} (${writeValue(unit, value ?? Number.NaN)})`).join(', ')}
          </p>
        )}
      </div>
      <HistoryNote />
      <InteractiveChart
        options={options}
        view={view}
        onView={setView}
        height={chartHeight}
        label={`${metric ?? formula}, with the days on which the alert would have fired`}
      />
      {tried && (
        <p class="hint">
          {tried.trial.each_block
            ? 'Evaluated each night, and after each block while the service follows its node.'
            : 'Evaluated each night: values of a day that is not over would mislead.'}
        </p>
      )}
    </>
  )
}

function describeCount({ count, from }: AlertTrial): string {
  if (from === null) return 'The condition is not known on any day that you see.'
  return count === 0
    ? 'It would not have fired'
    : `It would have fired ${count === 1 ? 'once' : `${writeCount(count)} times`}`
}

function describeNow({ is_met, value, paused }: AlertTrial, unit: string): string {
  if (paused !== null) return `It could not fire now: ${paused}.`
  if (is_met === null || value === null) return ''
  const now = writeValue(unit, value)
  return is_met ? `It is met now (${now}), so the alert fires when it becomes true again.` : `Now it is ${now}.`
}

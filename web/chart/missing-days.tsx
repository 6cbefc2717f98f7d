import { isoDate } from '#base/days.ts'
import { tiers } from '#contract/tiers.ts'
import type { ChartRequestError } from '#render/page/page.ts'
import { toHref } from '../app/router.ts'
import { access } from '../data/accounts.ts'
import { toSentence } from '../data/failure.ts'
import { Button } from '../parts/button.tsx'
import { longDate } from '../parts/numbers.ts'
import type { View } from './view.ts'

interface MissingDaysProps {
  readonly error: ChartRequestError
  /** The chart shows hours or blocks. */
  readonly isFine: boolean
  readonly view: View
  readonly onView: (view: View) => void
}

/** Says why a chart has no values on its days, and shows other days. */
export function MissingDays({ error, isFine, view, onView }: MissingDaysProps) {
  if (isFine) {
    return (
      <div class="failed" role="alert">
        <p>There are no hours or blocks of these days.</p>
        <p class="muted">
          Prices, and what blocks alone determine, have every hour. Other metrics have hours from the time on at which
          this service began to follow its node, and blocks of the last 14 days. Choose the newest days, or points of a
          day.
        </p>
        <Button onClick={() => onView({ ...view, range: '1m', days: undefined })}>Show the newest month</Button>
      </div>
    )
  }
  const { days, range } = view
  const what =
    error.problem.parameter !== 'start_date'
      ? toSentence(error.message)
      : days
        ? `There is no data from ${longDate(isoDate(days[0]))} to ${longDate(isoDate(days[1]))}.`
        : 'There is no data for these days.'
  const { historyDays } = tiers[access.value?.tier ?? 'enterprise']
  const isAll = !days && range === 'all'
  return (
    <div class="failed" role="alert">
      <p>{what}</p>
      {Number.isFinite(historyDays) ? (
        <p class="muted">You see the newest {historyDays} days; an account of tier pro shows all.</p>
      ) : isAll ? (
        <p class="muted">
          Check on <a href={toHref('/status')}>Status</a> whether its source was read, or choose another metric.
        </p>
      ) : (
        <p class="muted">Choose other days, or show all of them.</p>
      )}
      {!isAll && <Button onClick={() => onView({ ...view, range: 'all', days: undefined })}>Show all days</Button>}
    </div>
  )
}

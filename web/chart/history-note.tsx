import { pages } from '#contract/pages.ts'
import { toHref } from '../app/router.ts'
import { access } from '../data/accounts.ts'
import { writeCount } from '../parts/numbers.ts'
import { visibleHistory } from './visible-history.ts'

/** Number of days that the reader's tier may see; nothing if all. */
export function HistoryNote() {
  const { days = 0, hidden = 0 } = visibleHistory() ?? {}
  if (hidden === 0) return null
  return (
    <p class="history-note">
      {days - hidden} of {writeCount(days)} days.{' '}
      {access.value?.email ? 'Tier pro sees all.' : <a href={toHref(pages.account)}>Sign in for all</a>}
    </p>
  )
}

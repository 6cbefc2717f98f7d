import { parseDay } from '#base/days.ts'
import { pages } from '#contract/pages.ts'
import { tiers } from '#contract/tiers.ts'
import { toHref } from '../app/router.ts'
import { access } from '../data/accounts.ts'
import { health } from '../data/freshness.ts'
import { writeCount } from '../parts/numbers.ts'

/** States how many of all days the reader's tier may see; nothing if it may see all. */
export function HistoryNote() {
  const { first_date, last_date } = health.value?.published ?? {}
  const { tier, email } = access.value ?? {}
  if (tier === undefined || first_date === undefined || last_date === undefined) return null
  const { historyDays } = tiers[tier]
  const days = parseDay(last_date) - parseDay(first_date) + 1
  if (historyDays >= days) return null
  return (
    <p class="history-note">
      {historyDays} of {writeCount(days)} days.{' '}
      {email ? 'Tier pro sees all.' : <a href={toHref(pages.account)}>Sign in for all</a>}
    </p>
  )
}

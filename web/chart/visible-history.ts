import { isoDate, parseDay } from '#base/days.ts'
import { type RangeName, rangeDays } from '#contract/chart-options.ts'
import { tiers } from '#contract/tiers.ts'
import { access } from '../data/accounts.ts'
import { health } from '../data/freshness.ts'

/** First visible and last unix day, and counts of all and hidden days. */
export function visibleHistory() {
  const { first_date, last_date } = health.value?.published ?? {}
  const { tier } = access.value ?? {}
  if (tier === undefined || first_date === undefined || last_date === undefined) return undefined
  const [start, last] = [parseDay(first_date), parseDay(last_date)]
  const first = Math.max(start, last - tiers[tier].historyDays + 1)
  return { first, last, days: last - start + 1, hidden: first - start }
}

export function isBeyondHistory(range: RangeName): boolean {
  const history = visibleHistory()
  if (!history?.hidden || range === 'all') return false
  const { first, last } = history
  if (range === 'ytd') return parseDay(`${isoDate(last).slice(0, 4)}-01-01`) < first
  return last - (range === 'cycle' ? daysSinceHalving() : rangeDays[range] - 1) < first
}

/** Ten minutes a block. */
const daysSinceHalving = (): number => ((health.value?.tip_height ?? 0) % 210_000) / 144

import type { z } from 'zod'
import type { alertCondition } from '#contract/alerts.ts'

/** Unchecked fields of a condition. */
export type NewCondition = z.input<typeof alertCondition>

/** The condition as a formula, true if not 0. */
export function toFormula(series: string, condition: NewCondition): string {
  const { kind } = condition
  if (kind === 'above' || kind === 'below') return `(${series}) ${kind === 'above' ? '>' : '<'} ${condition.value}`
  if (kind === 'outside') return `(${series}) < ${condition.low} or (${series}) > ${condition.high}`
  if (kind === 'all_time_high') return `(${series}) > shift(cummax(${series}), 1)`
  if (kind === 'percentile') return `percentile(${series}) > ${condition.percentile}`
  const { direction, percent } = condition
  const change = `percent_change(${series}, ${condition.days})`
  if (direction === 'fall') return `${change} < -${percent}`
  return `${direction === 'rise' ? change : `abs(${change})`} > ${percent}`
}

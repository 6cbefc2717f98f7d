import type { z } from 'zod'
import type { alertCondition } from '#contract/alerts.ts'

/** Unchecked fields of a condition. */
export type NewCondition = z.input<typeof alertCondition>

/** The condition as a formula, true if not 0. */
export function toFormula(series: string, condition: NewCondition): string {
  switch (condition.kind) {
    case 'above':
      return `(${series}) > ${condition.value}`
    case 'below':
      return `(${series}) < ${condition.value}`
    case 'outside':
      return `(${series}) < ${condition.low} or (${series}) > ${condition.high}`
    case 'change': {
      const change = `percent_change(${series}, ${condition.days})`
      const { direction, percent } = condition
      if (direction === 'fall') return `${change} < -${percent}`
      return `${direction === 'rise' ? change : `abs(${change})`} > ${percent}`
    }
    case 'all_time_high':
      return `(${series}) > shift(cummax(${series}), 1)`
    case 'percentile':
      return `percentile(${series}) > ${condition.percentile}`
  }
}

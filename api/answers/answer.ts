import type { Endpoint, ParametersOf } from '#contract/endpoint.ts'
import type { Meta } from '#contract/envelope.ts'
import { type Tier, tierForGrade, tiers } from '#contract/tiers.ts'
import { ApiError } from '../api-error.ts'
import type { Published } from '../published/published.ts'
import { emptyTable, type Table } from '../table/columns.ts'

/** Rows, and what there is to say about them. */
export interface Answer {
  readonly table: Table
  readonly meta?: AnswerMeta
}

export type AnswerMeta = Omit<Meta, 'generation' | 'simulated'>

export type Answerer<E extends Endpoint> = (
  published: Published,
  tier: Tier,
  parameters: ParametersOf<E>,
) => Answer | Promise<Answer>

/** No rows, because what they would show is not known here. */
export const noData: Answer = { table: emptyTable, meta: { note: 'no data of this kind are here yet' } }

/** The first unix day that a tier may see. */
export const firstVisibleDay = ({ firstDay, lastDay }: Published, tier: Tier): number =>
  Math.max(firstDay, lastDay - tiers[tier].historyDays + 1)

interface Graded {
  readonly grade: number
}

/**
 * Splits fields by what a tier may see. Throws `insufficient_tier` where nothing is left of them.
 */
export function byTier<Field extends Graded>(fields: readonly Field[], tier: Tier, what: string) {
  const visible = fields.filter(({ grade }) => grade <= tiers[tier].grade)
  const withheld = fields.filter(({ grade }) => grade > tiers[tier].grade)
  if (visible.length === 0 && withheld.length > 0) {
    const least = Math.min(...withheld.map(({ grade }) => grade))
    throw insufficientTier(what, tier, tierForGrade(least))
  }
  return { visible, withheld }
}

export function insufficientTier(what: string, tier: Tier, needed: Tier): ApiError {
  const message = `${what} needs tier ${needed}${needed === 'pro' ? ' or higher' : ''}; this request has tier ${tier}`
  return new ApiError('insufficient_tier', message, { tier, needed })
}

/** What `meta` says of withheld fields. */
export function withheldMeta(names: readonly string[], fields: readonly Graded[]): AnswerMeta {
  if (names.length === 0) return {}
  const highest = Math.max(...fields.map(({ grade }) => grade))
  return { withheld: [...names], withheld_tier: highest > 1 ? 'enterprise' : 'pro' }
}

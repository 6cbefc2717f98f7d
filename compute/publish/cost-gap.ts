import { isoDate } from '#base/days.ts'
import { costMeasures as ofAddresses } from '#contract/balance-measures.ts'
import type { Generation } from '#sql/generation.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { withDependents } from '../catalogue/metric-history.ts'
import { type BaseMeasure, costMeasures } from '../cohorts/base-measures.ts'
import { type CostBasis, negligibleShare } from '../cohorts/cost-basis.ts'

/** Coins with unknown cost, and the day from which they are negligible; null without such coins. */
export type CostGap = NonNullable<Generation['prices']>['unpriced']

/**
 * @param firstDay unix day of the first element of `realizedCap` and `unpricedShare` (of all coins)
 */
export function findCostGap(
  firstDay: number,
  { unpriced }: CostBasis,
  realizedCap: Float64Array,
  unpricedShare: Float64Array,
): CostGap {
  if (!unpriced.includes(1)) return null
  const known = realizedCap.findIndex((value) => !Number.isNaN(value))
  return {
    first_date: isoDate(firstDay + unpriced.indexOf(1)),
    last_date: isoDate(firstDay + unpriced.lastIndexOf(1)),
    share: unpricedShare.at(-1)!,
    known_from: known < 0 ? null : isoDate(firstDay + known),
  }
}

/** Adds the gap to the description of each metric that is null because of it. */
export function describeCostGap(catalogue: Catalogue, gap: CostGap): Catalogue {
  if (!gap) return catalogue
  const affected = followsFromCost(catalogue, [], ofAddresses)
  const note =
    `Null if more than ${100 * negligibleShare} % of the coins have no price: ` +
    `those created from ${gap.first_date} to ${gap.last_date}, before the stored prices begin; "coinstrata fetch" gets them.`
  return appendNote(catalogue, affected, 'description', note)
}

/** Appends a note to a text of some metrics. */
export const appendNote = (
  catalogue: Catalogue,
  ids: ReadonlySet<string>,
  text: 'description' | 'variant',
  note: string,
): Catalogue => ({
  ...catalogue,
  definitions: catalogue.definitions.map((definition) =>
    ids.has(definition.id) ? { ...definition, [text]: [definition[text], note].filter(Boolean).join(' ') } : definition,
  ),
})

const agesOfCost: ReadonlySet<string> = new Set(['mean_dollar_age', 'utxos_in_profit', 'utxos_in_loss'])

/**
 * Ids of metrics that depend, directly or through formulas, on the cost of coins or on other given
 * measures of cohorts and addresses.
 */
export function followsFromCost(
  { definitions, formulas }: Catalogue,
  measures: readonly BaseMeasure[] = [],
  balances: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const ofCohorts: ReadonlySet<string> = new Set([...costMeasures, ...measures])
  const origins = definitions.filter(({ from, table }) => {
    if (table === 'cost_basis' || from?.table === 'cost_distribution') return true
    if (from?.table === 'coin_ages') return agesOfCost.has(from.column)
    if (from?.table === 'address_balances') return balances.has(from.key ?? '')
    return from?.table === 'cohorts' && ofCohorts.has(from.column)
  })
  return withDependents(
    formulas,
    origins.map(({ id }) => id),
  )
}

import { defaultAggregates, type MetricAggregate, type MetricKind } from '#contract/metric-kinds.ts'
import { inferNodeKind } from './kind.ts'
import type { Formula, FormulaNode } from './parse.ts'

type Describe = (id: string) => { readonly kind: MetricKind; readonly aggregate: MetricAggregate }

/**
 * Infers how periods of a formula follow from its metrics: a flow is the sum of its days, a level the
 * last one, and a ratio or another combination the formula over the period. The mean of the days is
 * what compares days with others, a rate times a level, and a flow over a level: these differ daily.
 */
export const inferAggregate = ({ root }: Formula, find: Describe): MetricAggregate => inferNode(root, find) ?? 'last'

/** Undefined for numbers. */
export function inferNode(node: FormulaNode, find: Describe): MetricAggregate | undefined {
  if (node.kind === 'metric') return find(node.id).aggregate
  const kind = inferNodeKind(node, (id) => find(id).kind)
  if (kind === undefined) return undefined
  if (kind === 'flow' || node.kind !== 'pointwise') return defaultAggregates[kind]
  const operands = node.operands.map((operand) => inferNode(operand, find))
  // A level plus the day's flow is a level; the range between high and low is one of the period.
  if (kind === 'level') return operands.some((one) => one !== undefined && !isDaily(one)) ? 'formula' : 'last'
  const [first, second] = operands
  const isPerLevel = node.name === '/' && first === 'sum' && second === 'last'
  const isOfDay = isPerLevel || (node.name === '*' && operands.includes('last'))
  return isOfDay || node.name === 'coalesce' ? 'mean' : 'formula'
}

const isDaily = (aggregate: MetricAggregate): boolean => aggregate === 'last' || aggregate === 'sum'

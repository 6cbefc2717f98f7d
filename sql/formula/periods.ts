import type { MetricAggregate, MetricKind } from '#contract/metric-kinds.ts'
import { inferNode } from './aggregate.ts'
import { evaluateFormula } from './evaluate.ts'
import type { Formula, FormulaNode } from './parse.ts'

export interface PeriodInput {
  readonly kind: MetricKind
  readonly aggregate: MetricAggregate
  /** By day. */
  readonly values: Float64Array
  /** By day, the value of its period so far; `values` unless the aggregate is recomputed. */
  readonly toDate: Float64Array
}

export interface Periods {
  /** Returns the input of each id in the formula's references. */
  readonly find: (id: string) => PeriodInput
  /** First row of the period of each row; negative if it is before the first. */
  readonly starts: Int32Array
}

/**
 * Evaluates a formula over the days of each period so far: the newest day of a period has its
 * value. Within a formula, a flow is the mean of the days, so that a ratio of two flows is that of
 * their sums and what is per day stays so. Flows and rates count on days on which all are known.
 */
export function evaluateToDate(formula: Formula, { find, starts }: Periods): Float64Array {
  const { length } = starts
  const lookup = (id: string) => find(id).values
  const inputs = new Map<FormulaNode, { how: MetricAggregate; values: Float64Array }>()
  const collect = (node: FormulaNode): void => {
    const how = inferNode(node, find)
    if (how === undefined) return
    if (node.kind === 'metric') inputs.set(node, { how, values: find(node.id).toDate })
    else if (node.kind === 'pointwise' && how === 'formula') node.operands.forEach(collect)
    else inputs.set(node, { how, values: evaluateFormula({ ...formula, root: node }, length, lookup) })
  }
  collect(formula.root)
  const added = [...inputs.values()].filter(({ how }) => how === 'sum' || how === 'mean')
  const counted = new Uint8Array(length).fill(1)
  for (const { values } of added)
    for (let row = 0; row < length; row++) if (Number.isNaN(values[row]!)) counted[row] = 0
  const toDate = new Map<FormulaNode, Float64Array>()
  for (const [node, { how, values }] of inputs) {
    const isPart = how === 'sum' && node !== formula.root
    toDate.set(node, aggregateToDate(values, isPart ? 'mean' : how, starts, counted))
  }
  return evaluateFormula(formula, length, lookup, 0, toDate)
}

/** Joins a period's value so far with the next one; without an entry, the next one replaces it. */
const joins: Readonly<Partial<Record<MetricAggregate, (before: number, value: number) => number>>> = {
  min: Math.min,
  max: Math.max,
  first: (before) => before,
}

function aggregateToDate(
  values: Float64Array,
  how: MetricAggregate,
  starts: Int32Array,
  counted: Uint8Array,
): Float64Array {
  const isAdded = how === 'sum' || how === 'mean'
  const join = joins[how]
  const result = new Float64Array(values.length)
  let current = Number.NaN
  let days = 0
  for (let last = 0; last < values.length; last++) {
    const isNew = last === 0 || starts[last] !== starts[last - 1]
    if (isNew) {
      current = Number.NaN
      days = 0
    }
    // Periods of the last days begin anew in each row: this is the innermost loop.
    for (let row = isNew ? Math.max(0, starts[last]!) : last; row <= last; row++) {
      const value = values[row]!
      if (isAdded ? counted[row] === 0 : Number.isNaN(value)) continue
      if (days++ === 0) current = value
      else if (isAdded) current += value
      else current = join ? join(current, value) : value
    }
    result[last] = how === 'mean' ? current / days : current
  }
  return result
}

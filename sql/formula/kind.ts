import type { MetricKind } from '#contract/metric-kinds.ts'
import { formulaFunctions } from './functions.ts'
import { negate, operators } from './operators.ts'
import type { Formula, FormulaNode } from './parse.ts'

const rollingOperation = (name: string): unknown => formulaFunctions.get(name)?.rolling?.apply
const pointwiseOperation = (name: string): unknown => formulaFunctions.get(name)?.pointwise?.apply

const [shift, diff, percentChange, zscore] = ['shift', 'diff', 'percent_change', 'zscore'].map(rollingOperation)
export const choice = pointwiseOperation('if')
export const [times, over] = ['*', '/'].map((sign) => operators.get(sign)?.apply)
/** Operations whose result is of the kind and dimension that their operands share. */
export const additive: ReadonlySet<unknown> = new Set([
  negate,
  ...['+', '-'].map((sign) => operators.get(sign)?.apply),
  ...['if', 'coalesce', 'abs'].map(pointwiseOperation),
])

/**
 * The kind of a formula, from the kinds of its metrics. A flow over a level could be either a flow
 * (value at a price) or a rate (share of a stock); it counts as a rate. Constants are levels.
 */
export const inferKind = ({ root }: Formula, kindOf: (id: string) => MetricKind): MetricKind =>
  inferNodeKind(root, kindOf) ?? 'level'

/** Undefined for numbers, which do not change the kind. */
function inferNodeKind(node: FormulaNode, kindOf: (id: string) => MetricKind): MetricKind | undefined {
  switch (node.kind) {
    case 'number':
      return undefined
    case 'metric':
      return kindOf(node.id)
    case 'cumulative':
      return 'level'
    case 'rolling':
      return inferRollingKind(node, inferNodeKind(node.operand, kindOf))
    case 'pointwise':
      return inferPointwiseKind(node, kindOf)
  }
}

type Node<Of extends FormulaNode['kind']> = Extract<FormulaNode, { kind: Of }>

/** A window over several days has a value at the end of each day, like a level. */
function inferRollingKind({ apply, window }: Node<'rolling'>, operand: MetricKind | undefined): MetricKind | undefined {
  if (apply === shift) return operand
  if (operand === undefined || operand === 'level') {
    if (window > 1) return 'level'
    return apply === diff ? 'flow' : apply === percentChange ? 'rate' : 'level'
  }
  // They compare one day with others.
  if ([diff, percentChange, zscore].includes(apply)) return 'rate'
  return window > 1 ? 'level' : operand
}

function inferPointwiseKind(
  { apply, operands }: Node<'pointwise'>,
  kindOf: (id: string) => MetricKind,
): MetricKind | undefined {
  const valued = (apply === choice ? operands.slice(1) : operands).map((operand) => inferNodeKind(operand, kindOf))
  const kinds = valued.filter((kind) => kind !== undefined)
  if (kinds.length === 0) return apply === choice ? inferNodeKind(operands[0]!, kindOf) : undefined
  if (kinds.every((kind) => kind === 'level')) return 'level'
  const flows = kinds.filter((kind) => kind === 'flow').length
  // A flow times a price or a share is a flow, as is a flow divided by a number.
  if (apply === times) return flows === 1 ? 'flow' : 'rate'
  if (apply === over) return flows === 1 && valued[0] === 'flow' && valued[1] === undefined ? 'flow' : 'rate'
  if (!additive.has(apply) || kinds.includes('rate')) return 'rate'
  // A level plus the flow of the day is a level.
  return flows === kinds.length ? 'flow' : 'level'
}

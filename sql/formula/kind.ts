import type { MetricKind } from '#contract/metric-kinds.ts'
import type { Formula, FormulaNode } from './parse.ts'

/** Operations whose result has the kind and dimension shared by their operands. */
export const additive: ReadonlySet<string> = new Set(['+', '-', 'if', 'coalesce', 'abs'])

/**
 * Infers a formula's kind from its metrics. A flow divided by a level counts as a rate. Constants are
 * levels.
 */
export const inferKind = ({ root }: Formula, kindOf: (id: string) => MetricKind): MetricKind =>
  inferNodeKind(root, kindOf) ?? 'level'

/** Undefined for numbers, which do not change the kind. */
export function inferNodeKind(node: FormulaNode, kindOf: (id: string) => MetricKind): MetricKind | undefined {
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
function inferRollingKind({ name, window }: Node<'rolling'>, operand: MetricKind | undefined): MetricKind | undefined {
  if (name === 'shift') return operand
  if (operand === undefined || operand === 'level') {
    if (window > 1) return 'level'
    return name === 'diff' ? 'flow' : name === 'percent_change' ? 'rate' : 'level'
  }
  // They compare one day with others.
  if (['diff', 'percent_change', 'zscore', 'percentile'].includes(name)) return 'rate'
  return window > 1 ? 'level' : operand
}

function inferPointwiseKind(
  { name, operands }: Node<'pointwise'>,
  kindOf: (id: string) => MetricKind,
): MetricKind | undefined {
  const valued = (name === 'if' ? operands.slice(1) : operands).map((operand) => inferNodeKind(operand, kindOf))
  const kinds = valued.filter((kind) => kind !== undefined)
  if (kinds.length === 0) return name === 'if' ? inferNodeKind(operands[0]!, kindOf) : undefined
  if (kinds.every((kind) => kind === 'level')) return 'level'
  const flows = kinds.filter((kind) => kind === 'flow').length
  // A flow times a price or share is a flow, as is a flow divided by a number.
  if (name === '*') return flows === 1 ? 'flow' : 'rate'
  if (name === '/') return flows === 1 && valued[0] === 'flow' && valued[1] === undefined ? 'flow' : 'rate'
  if (!additive.has(name) || kinds.includes('rate')) return 'rate'
  // A level plus the day's flow is a level.
  return flows === kinds.length ? 'flow' : 'level'
}

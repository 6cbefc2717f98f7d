import type { Kind } from '#base/kinds.ts'
import { formulaFunctions } from './functions.ts'
import { negate, operators } from './operators.ts'
import type { Formula, FormulaNode } from './parse.ts'

const rollingOf = (name: string): unknown => formulaFunctions.get(name)?.rolling?.apply
const pointwiseOf = (name: string): unknown => formulaFunctions.get(name)?.pointwise?.apply

const [shift, diff, percentChange, zscore] = ['shift', 'diff', 'percent_change', 'zscore'].map(rollingOf)
const choice = pointwiseOf('if')
const [times, over] = ['*', '/'].map((sign) => operators.get(sign)?.apply)
/** Of flows alone, and numbers, they make flows again. */
const adding: ReadonlySet<unknown> = new Set([
  negate,
  ...['+', '-'].map((sign) => operators.get(sign)?.apply),
  ...['if', 'coalesce', 'abs'].map(pointwiseOf),
])

/**
 * The kind of a formula by those of its metrics. A flow over a level may be either, a value at its price or a share of a
 * stock; it counts as a rate. One of numbers alone is a level.
 */
export const kindOfFormula = ({ root }: Formula, kindOf: (id: string) => Kind): Kind =>
  kindOfNode(root, kindOf) ?? 'level'

/** Undefined for a plain number, which changes no kind. */
function kindOfNode(node: FormulaNode, kindOf: (id: string) => Kind): Kind | undefined {
  switch (node.kind) {
    case 'number':
      return undefined
    case 'metric':
      return kindOf(node.id)
    case 'cumulative':
      return 'level'
    case 'rolling':
      return overWindow(node, kindOfNode(node.operand, kindOf))
    case 'pointwise':
      return ofOneDay(node, kindOf)
  }
}

type Node<Of extends FormulaNode['kind']> = Extract<FormulaNode, { kind: Of }>

/** What looks back over several days already holds them at the end of each. */
function overWindow({ apply, window }: Node<'rolling'>, operand: Kind | undefined): Kind | undefined {
  if (apply === shift) return operand
  if (operand === undefined || operand === 'level') {
    if (window > 1) return 'level'
    return apply === diff ? 'flow' : apply === percentChange ? 'rate' : 'level'
  }
  // Where a single day stands against other days.
  if ([diff, percentChange, zscore].includes(apply)) return 'rate'
  return window > 1 ? 'level' : operand
}

function ofOneDay({ apply, operands }: Node<'pointwise'>, kindOf: (id: string) => Kind): Kind | undefined {
  const valued = (apply === choice ? operands.slice(1) : operands).map((operand) => kindOfNode(operand, kindOf))
  const kinds = valued.filter((kind) => kind !== undefined)
  if (kinds.length === 0) return apply === choice ? kindOfNode(operands[0]!, kindOf) : undefined
  if (kinds.every((kind) => kind === 'level')) return 'level'
  const flows = kinds.filter((kind) => kind === 'flow').length
  // At a price, times a share, or a part of it.
  if (apply === times) return flows === 1 ? 'flow' : 'rate'
  if (apply === over) return flows === 1 && valued[0] === 'flow' && valued[1] === undefined ? 'flow' : 'rate'
  if (!adding.has(apply) || kinds.includes('rate')) return 'rate'
  // A stock with what came to it during the day is a stock.
  return flows === kinds.length ? 'flow' : 'level'
}

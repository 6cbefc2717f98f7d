import { formulaFunctions } from '#sql/formula/functions.ts'
import { operators } from '#sql/formula/operators.ts'
import type { Formula, FormulaNode } from '#sql/formula/parse.ts'

const preserving = ['sma', 'ema', 'median', 'sum', 'std', 'min', 'max', 'shift', 'diff', 'cumsum', 'cummean', 'cumstd']
  .concat('cummax', 'cummin', 'cummedian', 'abs', 'coalesce')
  .flatMap((name) => {
    const { pointwise, cumulative, rolling } = formulaFunctions.get(name)!
    return [pointwise?.apply, cumulative, rolling?.apply]
  })
const keepsUnit = new Set<unknown>(preserving.filter((apply) => apply !== undefined))
const percentChange = formulaFunctions.get('percent_change')?.rolling?.apply
const choice = formulaFunctions.get('if')?.pointwise?.apply
const [plus, minus, times, over] = ['+', '-', '*', '/'].map((sign) => operators.get(sign)?.apply)

/** Infers the unit of a formula from those of its metrics; empty if it is unknown. */
export const inferFormulaUnit = ({ root }: Formula, unitById: (id: string) => string): string =>
  inferNodeUnit(root, unitById) ?? ''

/** Undefined for a plain number, which fits any unit. */
function inferNodeUnit(node: FormulaNode, unitById: (id: string) => string): string | undefined {
  if (node.kind === 'number') return undefined
  if (node.kind === 'metric') return unitById(node.id)
  if (node.kind !== 'pointwise') {
    if (node.apply === percentChange) return '%'
    return keepsUnit.has(node.apply) ? inferNodeUnit(node.operand, unitById) : ''
  }
  const { apply } = node
  // The unit of a condition does not matter.
  const operands = apply === choice ? node.operands.slice(1) : node.operands
  const [first, second] = operands.map((operand) => inferNodeUnit(operand, unitById))
  if (apply === times || apply === over) {
    if (second === undefined) return first
    if (apply === times && first === undefined) return second
    return apply === over && first === second && first !== '' ? 'ratio' : ''
  }
  if (![plus, minus, choice].includes(apply) && !keepsUnit.has(apply)) return ''
  if (first === undefined || second === undefined) return first ?? second
  return first === second ? first : ''
}

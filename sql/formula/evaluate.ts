import type { PointwiseOperation } from './operators.ts'
import type { Formula, FormulaNode } from './parse.ts'

/**
 * Evaluates a formula over daily columns of `length` rows, oldest first. Null is NaN; results that
 * are not finite (division by zero, logarithm of a negative number) are null. `lookup` returns the
 * column of each id in `formula.references`; columns are never modified, and the result is a new
 * array.
 *
 * The columns may be the ends of longer ones, from row `firstRow` on. After the first
 * `requiredHistory` rows the result then equals that of the whole columns to the last bit.
 */
export function evaluateFormula(
  formula: Formula,
  length: number,
  lookup: (id: string) => Float64Array,
  firstRow = 0,
): Float64Array {
  const steps = evaluate(formula.root, { length, lookup, firstRow })
  let step = steps.next()
  while (!step.done) step = steps.next()
  return toResult(formula, step.value, length)
}

/** About a millisecond of work; a value of a window counts as `windowCost`. */
export const valuesBetweenPauses = 20_000
const windowCost = 6

/**
 * As `evaluateFormula` over whole columns, pausing between operations every `valuesBetweenPauses`.
 */
export async function evaluateWithPauses(
  formula: Formula,
  length: number,
  lookup: (id: string) => Float64Array,
  pause: () => Promise<void>,
): Promise<Float64Array> {
  const steps = evaluate(formula.root, { length, lookup, firstRow: 0 })
  let values = 0
  for (;;) {
    const step = steps.next()
    if (step.done) return toResult(formula, step.value, length)
    values += step.value * length
    if (values < valuesBetweenPauses) continue
    values = 0
    await pause()
  }
}

/** Values that a formula computes per row, as `evaluateWithPauses` counts them. */
export function valuesPerRow(node: FormulaNode): number {
  switch (node.kind) {
    case 'number':
    case 'metric':
      return 0
    case 'pointwise':
      return node.operands.reduce((sum, operand) => sum + valuesPerRow(operand), 1)
    default:
      return windowCost + valuesPerRow(node.operand)
  }
}

const toResult = ({ root }: Formula, result: Float64Array, length: number): Float64Array =>
  root.kind === 'metric' ? result.slice() : broadcast(result, length)

/** Number of earlier rows on which the value of a row can depend; Infinity for all. */
export const requiredHistory = ({ root }: Formula): number => nodeHistory(root)

function nodeHistory(node: FormulaNode): number {
  switch (node.kind) {
    case 'number':
    case 'metric':
      return 0
    case 'pointwise':
      return Math.max(...node.operands.map(nodeHistory))
    case 'cumulative':
      return Number.POSITIVE_INFINITY
    case 'rolling':
      return node.endless ? Number.POSITIVE_INFINITY : node.window + nodeHistory(node.operand)
  }
}

interface Columns {
  readonly length: number
  readonly lookup: (id: string) => Float64Array
  readonly firstRow: number
}

/** Constant values have a single row. Yields the cost of each operation per row. */
function* evaluate(node: FormulaNode, columns: Columns): Generator<number, Float64Array, void> {
  const { length, lookup, firstRow } = columns
  switch (node.kind) {
    case 'number':
      return Float64Array.of(node.value)
    case 'metric': {
      const column = lookup(node.id)
      if (column.length !== length) throw new Error(`column ${node.id} has ${column.length} rows, not ${length}`)
      return column
    }
    case 'pointwise': {
      const operands: Float64Array[] = []
      for (const operand of node.operands) operands.push(yield* evaluate(operand, columns))
      const result = finiteOrNull(applyPointwise(node.apply, operands, length))
      yield 1
      return result
    }
    case 'cumulative': {
      const operand = broadcast(yield* evaluate(node.operand, columns), length)
      const result = finiteOrNull(node.apply(operand))
      yield windowCost
      return result
    }
    case 'rolling': {
      const operand = broadcast(yield* evaluate(node.operand, columns), length)
      const result = finiteOrNull(node.apply(operand, node.window, firstRow))
      yield windowCost
      return result
    }
  }
}

const absent = Float64Array.of(Number.NaN)

function applyPointwise(apply: PointwiseOperation, operands: readonly Float64Array[], length: number): Float64Array {
  const [a = absent, b = absent, c = absent] = operands
  const result = new Float64Array(operands.every((operand) => operand.length === 1) ? 1 : length)
  const step = (operand: Float64Array): number => (operand.length === 1 ? 0 : 1)
  const [aStep, bStep, cStep] = [step(a), step(b), step(c)]
  for (let row = 0; row < result.length; row++) result[row] = apply(a[row * aStep]!, b[row * bStep]!, c[row * cStep]!)
  return result
}

function broadcast(column: Float64Array, length: number): Float64Array {
  return column.length === length ? column : new Float64Array(length).fill(column[0]!)
}

function finiteOrNull(column: Float64Array): Float64Array {
  for (let row = 0; row < column.length; row++) if (!Number.isFinite(column[row]!)) column[row] = Number.NaN
  return column
}

import type { PointwiseOperation } from './operators.ts'
import type { Formula, FormulaNode } from './parse.ts'

/**
 * Evaluates a formula over daily columns of `length` rows, oldest first. Null is NaN; results that
 * are not finite (division by zero, logarithm of a negative number) are null. Returns a new array;
 * never modifies columns.
 *
 * The columns may be the ends of longer ones, from row `firstRow` on. After the first
 * `requiredHistory` rows the result then equals that of the whole columns to the last bit.
 * @param lookup returns the column of each id in `formula.references`, undefined if it has no value
 * @param known values of parts of the formula that are not evaluated
 */
export function evaluateFormula(
  formula: Formula,
  length: number,
  lookup: (id: string) => Float64Array | undefined,
  firstRow = 0,
  known?: ReadonlyMap<FormulaNode, Float64Array>,
): Float64Array {
  const { root } = formula
  const result = evaluate(root, { length, lookup, firstRow, known })
  return root.kind === 'metric' ? broadcast(result, length).slice() : broadcast(result, length)
}

/** Values (see `valuesPerRow`) computed per millisecond. */
export const valuesPerMs = 20_000
/** Cost of each row of a window, in values. */
const windowCost = 6

export function valuesPerRow(node: FormulaNode): number {
  switch (node.kind) {
    case 'number':
    case 'metric':
      return 0
    case 'pointwise':
      return node.operands.reduce((sum, operand) => sum + valuesPerRow(operand), 1)
    case 'rolling':
      return windowCost + valuesPerRow(node.operand) + (node.other ? windowCost + valuesPerRow(node.other) : 0)
    case 'cumulative':
      return windowCost + valuesPerRow(node.operand)
  }
}

/** Number of earlier rows that a row's value can depend on; Infinity for all. */
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
      return node.endless
        ? Number.POSITIVE_INFINITY
        : node.window + Math.max(...[node.operand, node.other ?? node.operand].map(nodeHistory))
  }
}

interface Columns {
  readonly length: number
  readonly lookup: (id: string) => Float64Array | undefined
  readonly firstRow: number
  readonly known?: ReadonlyMap<FormulaNode, Float64Array> | undefined
}

/** Functions whose result can have a value where an operand is null. */
const choosing = new Set(['if', 'coalesce'])

/** Constants, and columns known to be null, have a single row. */
function evaluate(node: FormulaNode, columns: Columns): Float64Array {
  const { length, lookup, firstRow, known } = columns
  const found = known?.get(node)
  if (found) return found
  if (node.kind === 'number') return Float64Array.of(node.value)
  if (node.kind === 'metric') {
    const column = lookup(node.id) ?? absent
    if (column.length !== length && column !== absent)
      throw new Error(`column ${node.id} has ${column.length} rows, not ${length}`)
    return column
  }
  const operands = node.kind === 'pointwise' ? node.operands : [node.operand, node.kind === 'rolling' && node.other]
  const values = operands.flatMap((operand) => (operand ? evaluate(operand, columns) : []))
  if (values.includes(absent) && !choosing.has(node.name)) return absent
  if (node.kind === 'pointwise') return finiteOrNull(applyPointwise(node.apply, values, length))
  const [column, other] = values.map((value) => broadcast(value, length))
  return finiteOrNull(node.kind === 'rolling' ? node.apply(column!, node.window, firstRow, other) : node.apply(column!))
}

/** Any column known to be null. */
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
  return column.length > 1 ? column : new Float64Array(length).fill(column[0]!)
}

function finiteOrNull(column: Float64Array): Float64Array {
  for (let row = 0; row < column.length; row++) if (!Number.isFinite(column[row]!)) column[row] = Number.NaN
  return column
}

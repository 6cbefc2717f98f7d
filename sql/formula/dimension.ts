import { type MetricKind, priceDimension } from '#contract/metric-kinds.ts'
import { formulaFunctions } from './functions.ts'
import { additive, choice, over, times } from './kind.ts'
import { invert, operators } from './operators.ts'
import type { Formula, FormulaNode } from './parse.ts'

/** The dimension of a metric unless it states one: its unit, for what adds up over days per day. */
export const defaultDimension = (unit: string, kind: MetricKind): string => (kind === 'flow' ? `${unit} per day` : unit)

/** `USD per coin` is in USD; units such as `sats per vbyte` are units themselves. */
export const dimensionUnit = (dimension: string): string =>
  dimension.replace(/^([^/]+) per (coin|day|second|block|output|transaction)$/, '$1')

const plainNumber = 'number'
const ratio = 'ratio'
const isPlain = (dimension: string | undefined): boolean => dimension === plainNumber || dimension === ratio

/** The third is the product of the first two. */
const products: readonly (readonly string[])[] = [
  [priceDimension, 'BTC', 'USD'],
  [priceDimension, 'BTC per day', 'USD per day'],
]

const operation = (name: string): unknown[] => {
  const { cumulative, rolling } = formulaFunctions.get(name)!
  return [cumulative, rolling?.apply].filter((apply) => apply !== undefined)
}
const totals: ReadonlySet<unknown> = new Set(['sum', 'cumsum'].flatMap(operation))
const conditions: ReadonlySet<unknown> = new Set([
  invert,
  ...['or', 'and', '<', '<=', '>', '>=', '==', '!='].map((sign) => operators.get(sign)?.apply),
])
const newDimensions: ReadonlyMap<unknown, string> = new Map(
  Object.entries({ percent_change: 'percent', zscore: ratio, rsi: 'index', days_since: 'days' }).flatMap(
    ([name, dimension]) => operation(name).map((apply) => [apply, dimension] as const),
  ),
)

/**
 * Infers the dimension of a formula from those of its metrics; undefined if it does not follow from
 * them.
 */
export function inferDimension(
  { root }: Formula,
  dimensionById: (id: string) => string | undefined,
): string | undefined {
  const dimension = inferNode(root, dimensionById)
  return dimension === plainNumber ? undefined : dimension
}

function inferNode(node: FormulaNode, dimensionById: (id: string) => string | undefined): string | undefined {
  if (node.kind === 'number') return plainNumber
  if (node.kind === 'metric') return dimensionById(node.id)
  const { apply } = node
  if (node.kind !== 'pointwise') {
    const operand = inferNode(node.operand, dimensionById)
    return newDimensions.get(apply) ?? (totals.has(apply) ? operand?.replace(/ per day$/, '') : operand)
  }
  if (conditions.has(apply)) return ratio
  // The dimension of a condition does not matter.
  const operands = apply === choice ? node.operands.slice(1) : node.operands
  const dimensions = operands.map((operand) => inferNode(operand, dimensionById))
  const [first, second] = dimensions
  if (apply === times) return multiply(first, second)
  if (apply === over) return divide(first, second)
  if (additive.has(apply)) return dimensions.reduce(agree)
  // Powers and logarithms are known of plain numbers only.
  if (!dimensions.every(isPlain)) return undefined
  return dimensions.includes(ratio) ? ratio : plainNumber
}

/** A plain number fits any dimension. */
function agree(first: string | undefined, second: string | undefined): string | undefined {
  if (first === plainNumber) return second
  return second === plainNumber || first === second ? first : undefined
}

function multiply(first: string | undefined, second: string | undefined): string | undefined {
  if (isPlain(first)) return second === plainNumber ? first : second
  if (isPlain(second)) return first
  return products.find(([one, other]) => [first, second].includes(one) && [first, second].includes(other))?.[2]
}

function divide(first: string | undefined, second: string | undefined): string | undefined {
  if (isPlain(second)) return first === plainNumber ? second : first
  if (first === undefined || second === undefined) return undefined
  if (first.replace(/ per day$/, '') === second.replace(/ per day$/, '')) return ratio
  const whole = products.find((factors) => factors[2] === first && factors.includes(second))
  return whole?.slice(0, 2).find((factor) => factor !== second)
}

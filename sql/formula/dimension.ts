import { type MetricKind, priceDimension } from '#contract/metric-kinds.ts'
import { additive } from './kind.ts'
import type { Formula, FormulaNode } from './parse.ts'

/** Dimension of a metric without a stated one: its unit, per day for flows. */
export const defaultDimension = (unit: string, kind: MetricKind): string => (kind === 'flow' ? `${unit} per day` : unit)

/** `USD per coin` is in USD; units such as `sats per vbyte` are units themselves. */
export const dimensionUnit = (dimension: string): string =>
  dimension.replace(/^([^/]+) per (coin|day|second|block|output|transaction)$/, '$1')

const plainNumber = 'number'
const ratio = 'ratio'
const isPlain = (dimension: string | undefined): boolean => dimension === plainNumber || dimension === ratio

/** The third is the product of the others. */
const products: readonly (readonly string[])[] = [
  [priceDimension, 'BTC', 'USD'],
  [priceDimension, 'BTC per day', 'USD per day'],
]

const totals: ReadonlySet<string> = new Set(['sum', 'cumsum'])
const conditions: ReadonlySet<string> = new Set(['or', 'and', 'not', '<', '<=', '>', '>=', '==', '!='])
const newDimensions: ReadonlyMap<string, string> = new Map([
  ['percent_change', 'percent'],
  ['zscore', ratio],
  ['corr', ratio],
  ['percentile', 'percent'],
  ['rsi', 'index'],
  ['days_since', 'days'],
])

/** Infers a formula's dimension from its metrics; undefined if they do not determine it. */
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
  const { name } = node
  if (node.kind !== 'pointwise') {
    const operand = inferNode(node.operand, dimensionById)
    return newDimensions.get(name) ?? (totals.has(name) ? operand?.replace(/ per day$/, '') : operand)
  }
  if (conditions.has(name)) return ratio
  // The dimension of a condition does not matter.
  const operands = name === 'if' ? node.operands.slice(1) : node.operands
  const dimensions = operands.map((operand) => inferNode(operand, dimensionById))
  const [first, second] = dimensions
  if (name === '*') return multiply(first, second)
  if (name === '/') return divide(first, second)
  if (additive.has(name)) return dimensions.reduce(agree)
  // Only plain numbers have known powers and logarithms.
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

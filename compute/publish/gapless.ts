import { isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { formulaFunctions } from '#sql/formula/functions.ts'
import { invert, negate, operators } from '#sql/formula/operators.ts'
import type { Formula, FormulaNode } from '#sql/formula/parse.ts'

/**
 * Guarantee about a series after its first value: never null (`known`), or also above zero, so
 * usable as a divisor.
 */
type Sureness = 'positive' | 'known' | 'unsure'

/** `open` and `low` are not positive: prices of 2010, rounded to cents, opened at 0.00. */
const origins: ReadonlyMap<string, Sureness> = new Map([
  ['price', 'positive'],
  ['high', 'positive'],
  ['open', 'known'],
  ['low', 'known'],
  ['market_age_days', 'positive'],
  // Its formula makes it null before it begins by a division.
  ['trading_age_days', 'positive'],
  ['supply_sats', 'known'],
])

/**
 * Returns the metrics that must not be null between their first value and the last price: prices,
 * averages and windows of prices, and formulas over these without a division by a series that may
 * be zero. Each of `formulas` comes after those that it refers to.
 */
export function gaplessMetrics(formulas: ReadonlyMap<string, Formula>): Set<string> {
  const sureness = new Map(origins)
  for (const [id, { root }] of formulas) {
    const sure = origins.get(id) ?? findSureness(root, (metric) => sureness.get(metric) ?? 'unsure')
    sureness.set(id, sure)
  }
  return new Set([...sureness].flatMap(([id, sure]) => (sure === 'unsure' ? [] : [id])))
}

/**
 * Throws `metric_incomplete` at the first null between the first value and the last day with a
 * price.
 */
export function requireNoGap(id: string, column: Float64Array, firstDay: number, lastPricedDay: number): void {
  const first = column.findIndex((value) => !Number.isNaN(value))
  if (first < 0) return
  const gap = column.findIndex((value, day) => day > first && day <= lastPricedDay && Number.isNaN(value))
  if (gap < 0) return
  throw new CoinstrataError(
    'metric_incomplete',
    `${id} has no value on ${isoDate(firstDay + gap)}, but before and after`,
    {
      cure: 'run "coinstrata fetch" and "coinstrata update" again; if that does not help, please report it with this message',
    },
  )
}

const weakest = (...all: readonly Sureness[]): Sureness =>
  all.includes('unsure') ? 'unsure' : all.includes('known') ? 'known' : 'positive'
const atMostKnown = (...all: readonly Sureness[]): Sureness => weakest('known', ...all)
const ifPositive = (operand: Sureness, result: Sureness): Sureness => (operand === 'positive' ? result : 'unsure')

type Rule = (...operands: readonly [Sureness, ...Sureness[]]) => Sureness

/** By function or operator; all others give `unsure`. */
const rules: Readonly<Record<string, Rule>> = {
  '+': weakest,
  '*': weakest,
  '-': atMostKnown,
  '/': (dividend, divisor = 'unsure') => (divisor === 'positive' ? dividend : 'unsure'),
  '^': (base, exponent = 'unsure') => (exponent === 'unsure' ? 'unsure' : ifPositive(base, 'positive')),
  '<': atMostKnown,
  '<=': atMostKnown,
  '>': atMostKnown,
  '>=': atMostKnown,
  '==': atMostKnown,
  '!=': atMostKnown,
  and: atMostKnown,
  or: atMostKnown,
  abs: weakest,
  exp: (power) => (power === 'unsure' ? 'unsure' : 'positive'),
  sqrt: (radicand) => ifPositive(radicand, 'positive'),
  log: (operand) => ifPositive(operand, 'known'),
  log10: (operand) => ifPositive(operand, 'known'),
  sma: weakest,
  ema: weakest,
  median: weakest,
  sum: weakest,
  min: weakest,
  max: weakest,
  shift: weakest,
  std: atMostKnown,
  diff: atMostKnown,
  percent_change: (operand) => ifPositive(operand, 'known'),
  cumsum: weakest,
  cummean: weakest,
  cummax: weakest,
  cummin: weakest,
  cummedian: weakest,
  cumstd: atMostKnown,
}

/** By the function that a node of a formula applies. */
const ruleByOperation: ReadonlyMap<unknown, Rule> = new Map<unknown, Rule>([
  [negate, atMostKnown],
  [invert, atMostKnown],
  ...Object.entries(rules).flatMap(([name, rule]): [unknown, Rule][] => {
    const called = formulaFunctions.get(name)
    const applied = [operators.get(name)?.apply, called?.pointwise?.apply, called?.cumulative, called?.rolling?.apply]
    return applied.flatMap((apply) => (apply === undefined ? [] : [[apply, rule]]))
  }),
])

function findSureness(node: FormulaNode, of: (metric: string) => Sureness): Sureness {
  if (node.kind === 'number') return node.value > 0 ? 'positive' : 'known'
  if (node.kind === 'metric') return of(node.id)
  const rule = ruleByOperation.get(node.apply)
  if (!rule) return 'unsure'
  const [first, ...others] = node.kind === 'pointwise' ? node.operands : [node.operand]
  return first === undefined
    ? 'unsure'
    : rule(findSureness(first, of), ...others.map((other) => findSureness(other, of)))
}

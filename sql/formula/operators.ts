/** Operates on values of one day; NaN is null or a missing operand. */
export type PointwiseOperation = (a: number, b: number, c: number) => number

export interface Operator {
  /** Higher binds tighter. */
  readonly precedence: number
  readonly apply: PointwiseOperation
}

export const comparisonPrecedence = 3
/** Precedence of unary minus: looser than ^, so −2^2 = −4. */
export const negationPrecedence = 6
export const powerPrecedence = 7

/** Binary operators. Null makes the result null. A condition is true if not 0. */
export const operators: ReadonlyMap<string, Operator> = new Map([
  ['or', condition(1, (a, b) => a !== 0 || b !== 0)],
  ['and', condition(2, (a, b) => a !== 0 && b !== 0)],
  ['<', comparison((a, b) => a < b)],
  ['<=', comparison((a, b) => a <= b)],
  ['>', comparison((a, b) => a > b)],
  ['>=', comparison((a, b) => a >= b)],
  ['==', comparison((a, b) => a === b)],
  ['!=', comparison((a, b) => a !== b)],
  ['+', { precedence: 4, apply: (a, b) => a + b }],
  ['-', { precedence: 4, apply: (a, b) => a - b }],
  ['*', { precedence: 5, apply: (a, b) => a * b }],
  ['/', { precedence: 5, apply: (a, b) => a / b }],
  ['^', { precedence: powerPrecedence, apply: power }],
])

export const negate: PointwiseOperation = (a) => -a
/** `not` binds looser than comparisons and tighter than `and`. */
export const invert: PointwiseOperation = (a) => (Number.isNaN(a) ? Number.NaN : Number(a === 0))

/** Null stays null, although NaN ** 0 is 1 in JavaScript. */
export function power(base: number, exponent: number): number {
  return Number.isNaN(base) ? Number.NaN : base ** exponent
}

function comparison(holds: (a: number, b: number) => boolean): Operator {
  return condition(comparisonPrecedence, holds)
}

function condition(precedence: number, holds: (a: number, b: number) => boolean): Operator {
  return {
    precedence,
    apply: (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : Number(holds(a, b))),
  }
}

/** An operation on the values of one day; null is NaN. Parameters beyond the operation's own are not passed. */
export type PointwiseOperation = (a: number, b: number, c: number) => number

export interface Operator {
  /** The higher binds the tighter. */
  readonly precedence: number
  readonly apply: PointwiseOperation
}

export const comparisonPrecedence = 3
/** Of the minus sign before a value: looser than ^, so −2^2 = −4. */
export const negationPrecedence = 6
export const powerPrecedence = 7

/** All operators between two values. Null makes the result null. A condition is true where it is not 0. */
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
/** `not`, which binds looser than comparisons and tighter than `and`. */
export const invert: PointwiseOperation = (a) => (Number.isNaN(a) ? Number.NaN : Number(a === 0))

/** `base` to the power of `exponent`; in JavaScript NaN ** 0 is 1, here null stays null. */
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

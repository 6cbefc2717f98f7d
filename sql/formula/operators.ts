/** An operation on the values of one day; null is NaN. Parameters beyond the operation's own are not passed. */
export type PointwiseOperation = (a: number, b: number, c: number) => number

export interface Operator {
  /** The higher binds the tighter. */
  readonly precedence: number
  readonly apply: PointwiseOperation
}

export const comparisonPrecedence = 1
/** Of the minus sign before a value: looser than ^, so −2^2 = −4. */
export const negationPrecedence = 4
export const powerPrecedence = 5

/** All operators between two values. Null makes the result null. */
export const operators: ReadonlyMap<string, Operator> = new Map([
  ['<', comparison((a, b) => a < b)],
  ['<=', comparison((a, b) => a <= b)],
  ['>', comparison((a, b) => a > b)],
  ['>=', comparison((a, b) => a >= b)],
  ['==', comparison((a, b) => a === b)],
  ['!=', comparison((a, b) => a !== b)],
  ['+', { precedence: 2, apply: (a, b) => a + b }],
  ['-', { precedence: 2, apply: (a, b) => a - b }],
  ['*', { precedence: 3, apply: (a, b) => a * b }],
  ['/', { precedence: 3, apply: (a, b) => a / b }],
  ['^', { precedence: powerPrecedence, apply: power }],
])

export const negate: PointwiseOperation = (a) => -a

/** `base` to the power of `exponent`; in JavaScript NaN ** 0 is 1, here null stays null. */
export function power(base: number, exponent: number): number {
  return Number.isNaN(base) ? Number.NaN : base ** exponent
}

function comparison(holds: (a: number, b: number) => boolean): Operator {
  return {
    precedence: comparisonPrecedence,
    apply: (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : Number(holds(a, b))),
  }
}

import fc from 'fast-check'
import type { Values } from './naive.ts'
import * as naive from './naive.ts'

export type Columns = Record<string, Values>

/**
 * Part of a formula as text, and what it means. `precedence` runs from −1 (or) over 1 (comparison)
 * to 6 (atom).
 */
export interface Expression {
  readonly text: string
  readonly precedence: number
  readonly values: (columns: Columns) => Values
}

export const ids = ['price', 'm1', 'f2']

export const columns: fc.Arbitrary<Columns> = fc.integer({ min: 0, max: 40 }).chain((length) => {
  const value = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: -50, max: 50 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
  const column = fc.array(value, { minLength: length, maxLength: length })
  return fc
    .tuple(column, column, column)
    .map((all) => Object.fromEntries(ids.map((id, index) => [id, all[index] ?? []])))
})

export const windowSize = fc.integer({ min: 1, max: 12 })

function within(expression: Expression, least: number): string {
  return expression.precedence < least ? `(${expression.text})` : expression.text
}

function call(name: string, operands: Expression[], values: (columns: Columns) => Values, n?: number): Expression {
  const texts = [...operands.map(({ text }) => text), ...(n === undefined ? [] : [String(n)])]
  return { text: `${name}(${texts.join(', ')})`, precedence: 6, values }
}

function binary(
  left: Expression,
  symbol: string,
  right: Expression,
  operation: (a: number, b: number) => number,
): Expression {
  const precedence = { or: -1, and: 0, '+': 2, '-': 2, '*': 3, '/': 3 }[symbol] ?? 1
  const text = `${within(left, precedence === 1 ? 2 : precedence)} ${symbol} ${within(right, precedence + 1)}`
  return { text, precedence, values: (c) => naive.pairwise(left.values(c), right.values(c), operation) }
}

function mapped(values: Values, operation: (value: number) => number): Values {
  return naive.pairwise(values, values, operation)
}

/**
 * Operations that are exact on small whole and half numbers: both evaluators agree to the last bit.
 */
export const exact = fc
  .letrec<{ expression: Expression }>((tie) => {
    const one = tie('expression')
    const leaf = fc.oneof(
      fc.constantFrom(...ids).map((id): Expression => ({ text: id, precedence: 6, values: (c) => c[id] ?? [] })),
      fc.integer({ min: 0, max: 9 }).map(
        (value): Expression => ({
          text: `${value}`,
          precedence: 6,
          values: (c) => (c[ids[0]!] ?? []).map(() => value),
        }),
      ),
    )
    const arithmetic = fc
      .tuple(one, fc.constantFrom('+', '-', '<', '<=', '>', '>=', '==', '!=', 'and', 'or'), one)
      .map(([a, symbol, b]) => {
        const operations: Record<string, (a: number, b: number) => number> = {
          '+': (x, y) => x + y,
          '-': (x, y) => x - y,
          '<': (x, y) => Number(x < y),
          '<=': (x, y) => Number(x <= y),
          '>': (x, y) => Number(x > y),
          '>=': (x, y) => Number(x >= y),
          '==': (x, y) => Number(x === y),
          '!=': (x, y) => Number(x !== y),
          and: (x, y) => Number(x !== 0 && y !== 0),
          or: (x, y) => Number(x !== 0 || y !== 0),
        }
        return binary(a, symbol, b, operations[symbol]!)
      })
    const multiple = fc.tuple(one, fc.integer({ min: 0, max: 3 })).map(([a, factor]) => {
      const literal: Expression = { text: `${factor}`, precedence: 6, values: (c) => a.values(c).map(() => factor) }
      return binary(literal, '*', a, (x, y) => x * y)
    })
    const negation = one.map(
      (a): Expression => ({
        text: `-${within(a, 4)}`,
        precedence: 4,
        values: (c) => mapped(a.values(c), (value) => -value),
      }),
    )
    const rolling = fc
      .tuple(fc.constantFrom('sum', 'min', 'max', 'median', 'shift', 'diff'), one, windowSize)
      .map(([name, a, n]) => {
        const meanings: Record<string, (values: Values) => Values> = {
          sum: (values) => naive.windows(values, n, naive.sum),
          min: (values) => naive.windows(values, n, (window) => Math.min(...window)),
          max: (values) => naive.windows(values, n, (window) => Math.max(...window)),
          median: (values) => naive.windows(values, n, naive.median),
          shift: (values) => naive.earlier(values, n),
          diff: (values) => naive.pairwise(values, naive.earlier(values, n), (now, before) => now - before),
        }
        return call(name, [a], (c) => meanings[name]!(a.values(c)), n)
      })
    const cumulative = fc
      .tuple(fc.constantFrom('abs', 'cumsum', 'cummin', 'cummax', 'cummedian', 'days_since'), one)
      .map(([name, a]) => {
        const meanings: Record<string, (values: Values) => Values> = {
          abs: (values) => mapped(values, Math.abs),
          cumsum: (values) => naive.soFar(values, naive.sum),
          cummin: (values) => naive.soFar(values, (all) => Math.min(...all)),
          cummax: (values) => naive.soFar(values, (all) => Math.max(...all)),
          cummedian: (values) => naive.soFar(values, naive.median),
          days_since: naive.rowsSince,
        }
        return call(name, [a], (c) => meanings[name]!(a.values(c)))
      })
    const choice = fc.tuple(one, one, one).map(([condition, a, b]) =>
      call('if', [condition, a, b], (c) => {
        const [left, right] = [a.values(c), b.values(c)]
        return condition.values(c).map((value, row) => (value === null ? null : (value === 0 ? right : left)[row]!))
      }),
    )
    const fallback = fc.tuple(one, one).map(([a, b]) =>
      call('coalesce', [a, b], (c) => {
        const right = b.values(c)
        return a.values(c).map((value, row) => value ?? right[row]!)
      }),
    )
    const expression = fc.oneof(
      { maxDepth: 4 },
      leaf,
      arithmetic,
      multiple,
      negation,
      rolling,
      cumulative,
      choice,
      fallback,
    )
    return { expression }
  })
  .expression.filter(({ text }) => text.length < 900)

/**
 * Operations that round, over exact operands: `scale` is the size of the numbers that are rounded
 * on the way.
 */
export interface Rounding {
  readonly expression: Expression
  readonly scale: (columns: Columns) => number
}

export const largest = (values: Values): number => Math.max(0, ...values.map((value) => Math.abs(value ?? 0)))

export const rounding: fc.Arbitrary<Rounding> = fc.tuple(exact, exact, windowSize).chain(([a, b, n]) => {
  const wide = Math.max(2, n)
  const inputs = (c: Columns): number => largest(a.values(c))
  const unary = (
    name: string,
    values: (input: Values) => Values,
    scale: (c: Columns) => number,
    window?: number,
  ): Rounding => ({
    expression: call(name, [a], (c) => values(a.values(c)), window),
    scale,
  })
  const power = (exponent: string): Rounding => ({
    expression: {
      text: `${within(a, 6)} ^ ${exponent}`,
      precedence: 5,
      values: (c) => mapped(a.values(c), (value) => value ** Number(exponent)),
    },
    scale: () => 0,
  })
  return fc.constantFrom<Rounding>(
    unary('sma', (v) => naive.windows(v, n, naive.mean), inputs, n),
    unary(
      'std',
      (v) => naive.windows(v, wide, naive.std),
      () => 0,
      wide,
    ),
    unary(
      'zscore',
      (v) => naive.windows(v, wide, naive.zscore),
      () => 1,
      wide,
    ),
    unary('ema', (v) => naive.smoothed(v, n, (e, x) => (2 / (n + 1)) * x + (1 - 2 / (n + 1)) * e), inputs, n),
    unary(
      'rsi',
      (v) => naive.rsi(v, n),
      () => 100,
      n,
    ),
    unary(
      'percent_change',
      (v) => naive.pairwise(v, naive.earlier(v, n), (now, before) => 100 * (now / before - 1)),
      () => 100,
      n,
    ),
    unary('cummean', (v) => naive.soFar(v, naive.mean), inputs),
    unary(
      'cumstd',
      (v) => naive.soFar(v, naive.std),
      () => 0,
    ),
    unary(
      'zscore',
      (v) => naive.soFar(v, naive.zscore),
      () => 1,
    ),
    ...(
      [
        ['log', 1],
        ['log10', 1],
        ['exp', 0],
        ['sqrt', 0],
      ] as const
    ).map(([name, scale]) =>
      unary(
        name,
        (v) => mapped(v, Math[name]),
        () => scale,
      ),
    ),
    power('2'),
    power('-1'),
    power('0.5'),
    power('-3'),
    { expression: binary(a, '/', b, (x, y) => x / y), scale: () => 0 },
    {
      expression: call('pow', [a, b], (c) => naive.pairwise(a.values(c), b.values(c), (x, y) => x ** y)),
      scale: () => 0,
    },
  )
})

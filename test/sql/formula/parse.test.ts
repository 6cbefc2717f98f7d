import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CoinstrataError } from '#base/errors.ts'
import { evaluateFormula } from '#sql/formula/evaluate.ts'
import { FormulaError } from '#sql/formula/formula-error.ts'
import { formulaFunctions } from '#sql/formula/functions.ts'
import { formulaLimits, parseFormula } from '#sql/formula/parse.ts'
import { checkReferences } from '#sql/formula/references.ts'
import { anyText } from '#test/support/any-text.ts'

function errorOf(text: string, known?: string[]): FormulaError {
  try {
    const formula = parseFormula(text)
    if (known !== undefined) checkReferences(formula, new Set(known))
  } catch (error) {
    if (error instanceof FormulaError) return error
    throw error
  }
  throw new Error(`${text} was accepted`)
}

test.each([
  ['', 1, 'the formula ends too early'],
  ['  ', 3, 'the formula ends too early'],
  ['a +', 4, 'the formula ends too early'],
  ['a + * b', 5, "unexpected '*'"],
  ['a b', 3, "unexpected 'b'"],
  ['2x', 2, "unexpected 'x'"],
  ['1.2.3', 4, "unexpected '.3'"],
  ['(a', 3, 'the formula ends too early'],
  ['a)', 2, "unexpected ')'"],
  ['sma(a, 3', 9, 'the formula ends too early'],
  ['sma(a 3)', 7, "unexpected '3'"],
  ['abs()', 5, "unexpected ')'"],
  ['abs(a,)', 7, "unexpected ')'"],
  ['a, b', 2, "unexpected ','"],
  ['a = b', 3, "unexpected character '='"],
  ['a.b', 2, "unexpected character '.'"],
  ['a[0]', 2, "unexpected character '['"],
  ['"a"', 1, "unexpected character '\"'"],
  ['−2', 1, 'unexpected character U+2212'],
  ['a + \u0007', 5, 'unexpected character U+0007'],
  ['1 < a < 2', 7, "chained comparison '<'"],
  ['1 == a != b', 8, "chained comparison '!='"],
  ['a and', 6, 'the formula ends too early'],
  ['a and or b', 7, "unexpected 'or'"],
  ['and(a, b)', 1, "unexpected 'and'"],
  ['a not b', 3, "unexpected 'not'"],
  ['1e999', 1, "number '1e999' too large"],
  ['__proto__', 1, "invalid metric id '__proto__'"],
  ['a + abs(a, b)', 5, "'abs' called with 2 operands"],
  ['sma(a)', 1, "'sma' called with 1 operand"],
  ['if(a, b)', 1, "'if' called with 2 operands"],
  ['cumsum(a, 3)', 1, "'cumsum' called with 2 operands"],
  ['sma(a, b)', 8, 'invalid window of sma(s, n)'],
  ['sma(a, 0)', 8, 'invalid window of sma(s, n)'],
  ['sma(a, -3)', 8, 'invalid window of sma(s, n)'],
  ['sma(a, 2.5)', 8, 'invalid window of sma(s, n)'],
  ['sma(a, 3 + 4)', 8, 'invalid window of sma(s, n)'],
  ['sma(a, 10001)', 8, 'invalid window of sma(s, n)'],
  ['std(a, 1)', 8, 'invalid window of std(s, n)'],
  ['quantile(a, 0, 0.5)', 13, 'invalid window of quantile(s, n, q)'],
  ['quantile(a, 30, 90)', 17, 'invalid share of quantile(s, n, q)'],
  ['quantile(a, 30, -0.1)', 17, 'invalid share of quantile(s, n, q)'],
  ['quantile(a, 30, b)', 17, 'invalid share of quantile(s, n, q)'],
  ['quantile(a, 30)', 1, "'quantile' called with 2 operands"],
  ['corr(a, b, 1)', 12, 'invalid window of corr(a, b, n)'],
  ['zscore(a, 1)', 11, 'invalid window of zscore(s[, n])'],
  ['constructor(a)', 1, "unknown function 'constructor'"],
  ['price(3)', 1, "unknown function 'price'"],
])('%j is refused at position %d: %s', (text, position, problem) => {
  const error = errorOf(text)
  expect(error.message).toMatch(`${problem} at position ${position}`)
  expect(error).toMatchObject({ code: 'formula_invalid', position, cure: expect.stringMatching(/./) })
})

test('misspelt names get a suggestion', () => {
  const known = ['price', 'mvrv', 'mvrv_z', 'market_cap', 'realized_cap', 'realized_cap_over_1y']
  expect(errorOf('price * 2 + mvvr', known).message).toBe("unknown metric 'mvvr' at position 13, did you mean 'mvrv'?")
  expect(errorOf('relised_cap', known).suggestion).toBe('realized_cap')
  expect(errorOf('marketcap / price', known).suggestion).toBe('market_cap')
  expect(errorOf('ntv', ['nvt']).suggestion).toBe('nvt')
  expect(errorOf('hash_rate', known)).toMatchObject({
    suggestion: undefined,
    message: "unknown metric 'hash_rate' at position 1",
  })
  expect(errorOf('smaa(price, 7)').message).toBe("unknown function 'smaa' at position 1, did you mean 'sma'?")
  expect(errorOf('1 + SQRT(2)').message).toBe("unknown function 'SQRT' at position 5, did you mean 'sqrt'?")
})

test('known metrics are accepted', () => {
  checkReferences(parseFormula('m1 / f1'), new Set(['f1', 'm1', 'm2']))
})

test('references come once each, in order of mention, with their first position', () => {
  const formula = parseFormula('market_cap / sma(dormancy * price, 365) + price')
  expect([...formula.references]).toEqual([
    ['market_cap', 1],
    ['dormancy', 18],
    ['price', 29],
  ])
})

test('a function name that is not called is a metric', () => {
  expect([...parseFormula('sum + sum(min, 7)').references.keys()]).toEqual(['sum', 'min'])
  expect([...parseFormula('order and nothing or android').references.keys()]).toEqual(['order', 'nothing', 'android'])
})

describe('limits', () => {
  const { characters, nesting, nodes } = formulaLimits

  test('length', () => {
    expect(() => parseFormula('1'.padEnd(characters))).not.toThrow()
    expect(errorOf('1'.padEnd(characters + 1)).position).toBe(characters + 1)
    expect(errorOf('('.repeat(10_000_000)).position).toBe(characters + 1)
  })

  test('nesting', () => {
    const nested = (depth: number): string => `${'('.repeat(depth)}1${')'.repeat(depth)}`
    expect(() => parseFormula(nested(nesting - 1))).not.toThrow()
    expect(errorOf(nested(nesting))).toMatchObject({ position: nesting + 1 })
    expect(errorOf(`${'-'.repeat(500)}1`).message).toMatch('nested deeper than 50 levels')
    expect(errorOf(`1${'^1'.repeat(80)}`).message).toMatch('nested deeper than 50 levels')
    expect(errorOf('abs('.repeat(200)).message).toMatch('nested deeper than 50 levels')
  })

  test('nodes', () => {
    const terms = (count: number): string => new Array(count).fill('1').join('+')
    expect(() => parseFormula(terms(nodes / 2))).not.toThrow()
    expect(errorOf(terms(nodes / 2 + 1)).message).toMatch('more than 200 numbers, metrics and operations')
  })
})

describe('random text', () => {
  const columns = Float64Array.from({ length: 30 }, (_, row) =>
    row % 7 === 3 ? Number.NaN : Math.sin(row) * 10 ** (row % 5),
  )
  const acceptsOrExplains = (text: string): void => {
    try {
      const result = evaluateFormula(parseFormula(text), columns.length, () => columns)
      expect(result).toHaveLength(columns.length)
      for (const value of result) expect(Number.isFinite(value) || Number.isNaN(value)).toBe(true)
    } catch (error) {
      if (!(error instanceof CoinstrataError)) throw error
      if (error instanceof FormulaError) expect(error.position).toBeLessThanOrEqual(text.length + 1)
    }
  }

  test('never crashes: any characters', () => {
    fc.assert(fc.property(anyText(200), acceptsOrExplains), { numRuns: 2000 })
  })

  test('never crashes: random bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array).toString('latin1'))
    fc.assert(fc.property(bytes, acceptsOrExplains), { numRuns: 2000 })
  })

  test('never crashes: words of the language in any order', () => {
    const calls = [...formulaFunctions.keys()].map((name) => `${name}(`)
    const words = [
      ...calls,
      'price',
      'm1',
      '0',
      '1',
      '2',
      '365',
      '1e308',
      '+',
      '-',
      '*',
      '/',
      '^',
      '<',
      '==',
      'and',
      'or',
      'not',
      '(',
      ')',
      ')',
      ', 3)',
      ',',
    ]
    const soup = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((parts) => parts.join(' '))
    fc.assert(fc.property(soup, acceptsOrExplains), { numRuns: 5000 })
  })
})

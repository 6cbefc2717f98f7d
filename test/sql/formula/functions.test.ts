import { expect, test } from 'vitest'
import { formulaWords } from '#contract/formula-language.ts'
import { evaluateFormula, valuesPerRow } from '#sql/formula/evaluate.ts'
import { formulaFunctions } from '#sql/formula/functions.ts'
import { operators } from '#sql/formula/operators.ts'
import { parseFormula } from '#sql/formula/parse.ts'

const n = null
const columns: Record<string, (number | null)[]> = {
  a: [1, 2, 4, 8, 16, 32],
  b: [3, 0, 3, n, 5, 5],
  c: [2, 4, 4, 4, 5, 5, 7, 9],
  gaps: [n, 2, n, 6, 4, n],
  mixed: [-4, 0, n, 9, 100, 0.25],
  level: [7, 7, 7, n, 7, 7],
}

/** Worked by hand from the definitions; `function: [[formula, values], …]`. */
const worked: Record<string, [string, (number | null)[]][]> = {
  sma: [
    ['sma(a, 3)', [n, n, 7 / 3, 14 / 3, 28 / 3, 56 / 3]],
    ['sma(b, 2)', [n, 1.5, 1.5, n, n, 5]],
    ['sma(a, 1)', [1, 2, 4, 8, 16, 32]],
    ['sma(a, 7)', [n, n, n, n, n, n]],
    ['sma(2, 3)', [n, n, 2, 2, 2, 2]],
  ],
  // k = 1/2 from the mean 7/3: 8 → 31/6, 16 → 127/12, 32 → 511/24.
  ema: [
    ['ema(a, 3)', [n, n, 7 / 3, 31 / 6, 127 / 12, 511 / 24]],
    // k = 2/3; the null on the fourth day starts it again at (5 + 5)/2.
    ['ema(b, 2)', [n, 1.5, 2.5, n, n, 5]],
  ],
  median: [
    ['median(a, 3)', [n, n, 2, 4, 8, 16]],
    ['median(a, 4)', [n, n, n, 3, 6, 12]],
    ['median(b, 2)', [n, 1.5, 1.5, n, n, 5]],
    ['median(mixed, 2)', [n, -2, n, n, 54.5, 50.125]],
  ],
  sum: [
    ['sum(a, 4)', [n, n, n, 15, 30, 60]],
    ['sum(b, 3)', [n, n, 6, n, n, n]],
  ],
  // 2 4 4 4 5 5 7 9: mean 5, squared deviations 9+1+1+1+0+0+4+16 = 32, 32/7.
  std: [
    ['std(c, 8)', [n, n, n, n, n, n, n, Math.sqrt(32 / 7)]],
    ['std(c, 2)', [n, Math.SQRT2, 0, 0, Math.SQRT1_2, 0, Math.SQRT2, Math.SQRT2]],
    ['std(b, 2)', [n, Math.sqrt(4.5), Math.sqrt(4.5), n, n, 0]],
  ],
  min: [
    ['min(a, 2)', [n, 1, 2, 4, 8, 16]],
    ['min(b, 2)', [n, 0, 0, n, n, 5]],
  ],
  max: [
    ['max(-a, 3)', [n, n, -1, -2, -4, -8]],
    ['max(b, 2)', [n, 3, 3, n, n, 5]],
  ],
  shift: [
    ['shift(a, 2)', [n, n, 1, 2, 4, 8]],
    ['shift(b, 1)', [n, 3, 0, 3, n, 5]],
    ['shift(a, 6)', [n, n, n, n, n, n]],
    ['shift(a, 10000)', [n, n, n, n, n, n]],
  ],
  diff: [
    ['diff(a, 1)', [n, 1, 2, 4, 8, 16]],
    ['diff(b, 2)', [n, n, 0, n, 2, n]],
  ],
  percent_change: [
    ['percent_change(a, 2)', [n, n, 300, 300, 300, 300]],
    // From 3 to 0 is −100 %, from 0 to 3 a division by zero.
    ['percent_change(b, 1)', [n, -100, n, n, n, 0]],
  ],
  cumsum: [
    ['cumsum(a)', [1, 3, 7, 15, 31, 63]],
    ['cumsum(gaps)', [n, 2, n, 8, 12, n]],
    ['cumsum(1)', [1, 2, 3, 4, 5, 6]],
  ],
  cummean: [['cummean(gaps)', [n, 2, n, 4, 4, n]]],
  // {2}: none; {2, 6}: √8; {2, 6, 4}: 2.
  cumstd: [['cumstd(gaps)', [n, n, n, Math.sqrt(8), 2, n]]],
  cummax: [['cummax(gaps)', [n, 2, n, 6, 6, n]]],
  cummin: [['cummin(-gaps)', [n, -2, n, -6, -6, n]]],
  cummedian: [
    ['cummedian(gaps)', [n, 2, n, 4, 4, n]],
    ['cummedian(c)', [2, 3, 4, 4, 4, 4, 4, 4.5]],
  ],
  zscore: [
    // (9 − 5)/√(32/7).
    ['zscore(c, 8)', [n, n, n, n, n, n, n, 4 / Math.sqrt(32 / 7)]],
    // (6 − 4)/√8, (4 − 4)/2.
    ['zscore(gaps)', [n, n, n, Math.SQRT1_2, 0, n]],
    ['zscore(level, 2)', [n, n, n, n, n, n]],
    ['zscore(level)', [n, n, n, n, n, n]],
  ],
  percentile: [
    // Two of the three values −2 −4 −4 are at most −4; the later windows begin at −4 −4 −4 and −4 −4 −5.
    ['percentile(-c, 3)', [n, n, 200 / 3, 100, 100 / 3, 200 / 3, 100 / 3, 100 / 3]],
    ['percentile(gaps)', [n, 100, n, 100, 200 / 3, n]],
    ['percentile(b, 2)', [n, 50, 100, n, n, 100]],
  ],
  quantile: [
    // 2 4 4 4 5 5 7 9: places 0.7, 3.5 and 6.3 of 0 to 7.
    ['quantile(c, 8, 0.1)', [n, n, n, n, n, n, n, 3.4]],
    ['quantile(c, 8, 0.5)', [n, n, n, n, n, n, n, 4.5]],
    ['quantile(c, 8, 0.9)', [n, n, n, n, n, n, n, 7.6]],
    ['quantile(a, 3, 0)', [n, n, 1, 2, 4, 8]],
    ['quantile(-a, 3, 1)', [n, n, -1, -2, -4, -8]],
    ['quantile(b, 2, 0.25)', [n, 0.75, 0.75, n, n, 5]],
    ['quantile(a, 1, 0.3)', [1, 2, 4, 8, 16, 32]],
  ],
  corr: [
    // (1, 1) (2, 4) (4, 16): products of deviations 24, squares 14/3 and 126; later ones are multiples.
    ['corr(a, a * a, 3)', [n, n, ...new Array<number>(4).fill(24 / Math.sqrt(588))]],
    ['corr(a, 5 - a, 2)', [n, -1, -1, -1, -1, -1]],
    // The null, and 5 5, which does not move.
    ['corr(a, b, 2)', [n, -1, 1, n, n, n]],
    ['corr(level, a, 2)', [n, n, n, n, n, n]],
  ],
  rsi: [
    // Changes of c: 2 0 0 1 0 2 2. n = 2: rises (1, .5, .25 …) and no falls.
    ['rsi(c, 2)', [n, n, 100, 100, 100, 100, 100, 100]],
    // Changes −3, +3: means 1.5 and 1.5, so 50; then a null, then a change of 0 only.
    ['rsi(b, 2)', [n, n, 50, n, n, n]],
    // Changes 1 2 4 −6 30: rises 7/3, 14/9, (28/9 + 30)/3 = 298/27; falls 0, 2, 4/3 = 36/27.
    ['rsi(if(a == 16, 2, a), 3)', [n, n, n, 100, (100 * 14) / 32, (100 * 298) / 334]],
    ['rsi(level, 1)', [n, n, n, n, n, n]],
  ],
  days_since: [
    ['days_since(a == 4)', [n, n, 0, 1, 2, 3]],
    ['days_since(b == 3)', [0, 1, 0, n, 2, 3]],
    ['days_since(a < 0)', [n, n, n, n, n, n]],
  ],
  abs: [['abs(mixed)', [4, 0, n, 9, 100, 0.25]]],
  log: [
    ['log(mixed)', [n, n, n, 2 * Math.log(3), 2 * Math.LN10, -2 * Math.LN2]],
    ['log(exp(a))', [1, 2, 4, 8, 16, 32]],
  ],
  log10: [['log10(mixed)', [n, n, n, 2 * Math.log10(3), 2, -2 * Math.log10(2)]]],
  exp: [
    ['exp(mixed * 0)', [1, 1, n, 1, 1, 1]],
    ['exp(a - 1) / exp(a)', new Array(6).fill(1 / Math.E)],
    ['exp(1000)', [n, n, n, n, n, n]],
  ],
  sqrt: [['sqrt(mixed)', [n, 0, n, 3, 10, 0.5]]],
  pow: [
    ['pow(mixed, 2)', [16, 0, n, 81, 10000, 0.0625]],
    ['pow(mixed, 0.5)', [n, 0, n, 3, 10, 0.5]],
    ['pow(mixed, -1)', [-0.25, n, n, 1 / 9, 0.01, 4]],
    ['pow(2, b)', [8, 1, 8, n, 32, 32]],
    ['pow(mixed, 0)', [1, 1, n, 1, 1, 1]],
  ],
  if: [
    ['if(b > 2, a, -a)', [1, -2, 4, n, 16, 32]],
    ['if(b, 1, 0)', [1, 0, 1, n, 1, 1]],
    ['if(a > 2, a, gaps)', [n, 2, 4, 8, 16, 32]],
  ],
  coalesce: [
    ['coalesce(gaps, a)', [1, 2, 4, 6, 4, 32]],
    ['coalesce(gaps, 0)', [0, 2, 0, 6, 4, 0]],
    ['coalesce(1 / 0, b)', [3, 0, 3, n, 5, 5]],
  ],
  '+': [['a + b', [4, 2, 7, n, 21, 37]]],
  '-': [['a - b', [-2, 2, 1, n, 11, 27]]],
  '*': [['a * b', [3, 0, 12, n, 80, 160]]],
  '/': [
    ['a / b', [1 / 3, n, 4 / 3, n, 3.2, 6.4]],
    ['b / b', [1, n, 1, n, 1, 1]],
  ],
  '^': [
    ['b ^ 2', [9, 0, 9, n, 25, 25]],
    ['b ^ -1', [1 / 3, n, 1 / 3, n, 0.2, 0.2]],
  ],
  '<': [['b < 3', [0, 1, 0, n, 0, 0]]],
  '<=': [['b <= 3', [1, 1, 1, n, 0, 0]]],
  '>': [['3 > b', [0, 1, 0, n, 0, 0]]],
  '>=': [['3 >= b', [1, 1, 1, n, 0, 0]]],
  '==': [['b == 3', [1, 0, 1, n, 0, 0]]],
  '!=': [['b != gaps', [n, 1, n, n, 1, n]]],
  and: [
    ['a > 1 and a < 16', [0, 1, 1, 1, 0, 0]],
    // What is not 0 is true; an unknown operand makes the result unknown, also where the other
    // decides.
    ['mixed and a > 4', [0, 0, n, 1, 1, 1]],
    ['b > 9 and a > 0', [0, 0, 0, n, 0, 0]],
  ],
  or: [
    ['a < 2 or a > 16', [1, 0, 0, 0, 0, 1]],
    ['b > 9 or a > 0', [1, 1, 1, n, 1, 1]],
  ],
}

function evaluated(text: string): (number | null)[] {
  const formula = parseFormula(text)
  const ids = [...formula.references.keys()]
  const length = columns[ids[0] ?? 'a']!.length
  const lookup = (id: string): Float64Array => Float64Array.from(columns[id]!, (value) => value ?? Number.NaN)
  return Array.from(evaluateFormula(formula, length, lookup), (value) => (Number.isNaN(value) ? null : value))
}

function expectValues(actual: (number | null)[], expected: (number | null)[]): void {
  expect(actual.map((value) => value === null)).toEqual(expected.map((value) => value === null))
  expected.forEach((value, row) => {
    if (value !== null) expect(actual[row]).toBeCloseTo(value, 13)
  })
}

for (const [name, cases] of Object.entries(worked)) {
  test.each(cases)(`${name}: %s`, (text, expected) => expectValues(evaluated(text), expected))
}

test('every function and operator has worked values', () => {
  expect(Object.keys(worked).sort()).toEqual([...formulaFunctions.keys(), ...operators.keys()].sort())
})

test('every function and word can be used as its signature says', () => {
  for (const { signature } of [...formulaWords, ...formulaFunctions.values()]) {
    const text = signature.replace('[, n]', '').replace(/\bn\b/, '2').replace('q)', '0.5)')
    expect(() => parseFormula(text), text).not.toThrow()
  }
})

test.each([
  ['-2^2', -4],
  ['2^3^2', 512],
  ['2^-1', 0.5],
  ['2^-2^2', 1 / 16],
  ['-2^-2', -0.25],
  ['(-2)^2', 4],
  ['2*-3', -6],
  ['7-3-2', 2],
  ['16/4/2', 2],
  ['2+3*4^2', 50],
  ['-3*2+10', 4],
  ['--3', 3],
  ['1+1 == 2', 1],
  ['(3 > 2) > 1', 0],
  ['1 or 1 and 0', 1],
  ['(1 or 1) and 0', 0],
  ['not 0 and 0', 0],
  ['not (0 and 0)', 1],
  ['not 3 < 2', 1],
  ['not not 5', 1],
  ['not 1 / 0 > 1 or 0 == 0', null],
  ['1 - not 2 > 3', 0],
  ['2 < 3 AND Not 3 < 2', 1],
  ['1.5e3 + .5 + 2.', 1502.5],
  ['97500 / 40600', 2.4014778325123154],
])('%s is %d', (text, expected) => {
  expect(evaluated(text)).toEqual(new Array(6).fill(expected))
})

test('windows nest, and nulls of the inner one count in the outer one', () => {
  // sma(a, 2) = –, 1.5, 3, 6, 12, 24; its sum of 2 = –, –, 4.5, 9, 18, 36; shifted once more.
  expectValues(evaluated('shift(sum(sma(a, 2), 2), 1)'), [n, n, n, 4.5, 9, 18])
})

test('MVRV Z-score and binary CDD as the catalogue writes them', () => {
  // cumstd(a): –, √.5, √(7/3), √(115/12)
  expectValues(evaluated('(a - 1) / cumstd(a)').slice(0, 4), [
    n,
    Math.SQRT2,
    3 / Math.sqrt(7 / 3),
    7 / Math.sqrt(115 / 12),
  ])
  // cummean(c) = 2, 3, 10/3, 3.5, 3.8, 4, 31/7, 5.
  expectValues(evaluated('c > cummean(c)'), [0, 1, 1, 1, 1, 1, 1, 1])
})

test('the result is a new array and the columns stay as they were', () => {
  const column = Float64Array.of(1, Number.NaN, 3)
  for (const text of ['x', '-x', 'coalesce(x, x)', 'cumsum(x)', 'max(x, 1)', 'shift(x, 1)', 'median(x, 2)']) {
    const result = evaluateFormula(parseFormula(text), 3, () => column)
    expect(result).not.toBe(column)
    result.fill(0)
    expect(column).toEqual(Float64Array.of(1, Number.NaN, 3))
  }
})

test('tables of no and of one row', () => {
  for (const text of ['x', '2', 'x + 1', 'sma(x, 2)', 'cummedian(x)', 'rsi(x, 1)', 'days_since(1)', 'median(1, 1)']) {
    expect(evaluateFormula(parseFormula(text), 0, () => new Float64Array(0))).toEqual(new Float64Array(0))
    expect(evaluateFormula(parseFormula(text), 1, () => Float64Array.of(5))).toHaveLength(1)
  }
  expect(evaluateFormula(parseFormula('x + 1'), 1, () => Float64Array.of(5))).toEqual(Float64Array.of(6))
})

test('a column of the wrong length is refused', () => {
  expect(() => evaluateFormula(parseFormula('x + 1'), 3, () => new Float64Array(2))).toThrow('2 rows, not 3')
})

test('the values that a formula computes count several times for windows', () => {
  const valuesOf = (text: string): number => valuesPerRow(parseFormula(text).root)
  expect(['a', '2', '2 * a + 1', 'max(a, 3)', 'cummax(a) - 1'].map(valuesOf)).toEqual([0, 0, 2, 6, 7])
  expect(valuesOf(`${'max('.repeat(20)}a${', 3)'.repeat(20)}`)).toBe(120)
})

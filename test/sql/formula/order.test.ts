import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CoinstrataError } from '#base/errors.ts'
import { FormulaError } from '#sql/formula/formula-error.ts'
import { orderDefinitions } from '#sql/formula/order.ts'

const base = ['price', 'supply', 'realized_cap']
const idsOf = (definitions: Record<string, string>): string[] =>
  orderDefinitions(
    Object.entries(definitions).map(([id, formula]) => ({ id, formula })),
    base,
  ).map(({ id }) => id)

test('formulas come after those that they refer to, otherwise in the given order', () => {
  const definitions = {
    nupl: '1 - 1 / mvrv',
    sma: 'sma(price, 7)',
    mvrv: 'market_cap / realized_cap',
    market_cap: 'price * supply',
  }
  expect(idsOf(definitions)).toEqual(['market_cap', 'mvrv', 'nupl', 'sma'])
})

test('an unknown metric names the definition, the position and what was meant', () => {
  try {
    idsOf({ mvrv: 'price * supply / realized_cap', nupl: '1 - 1 / mvvr' })
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(CoinstrataError)
    expect(error).toMatchObject({
      code: 'formula_invalid',
      message: "formula of 'nupl': unknown metric 'mvvr' at position 9, did you mean 'mvrv'?",
      cure: expect.stringMatching(/./),
      cause: expect.any(FormulaError),
    })
  }
})

test('an invalid formula names its definition', () => {
  expect(() => idsOf({ mvrv: 'price *' })).toThrow("formula of 'mvrv': the formula ends too early at position 8")
})

test('a circle is named by its path', () => {
  expect(() => idsOf({ x: 'a', done: '1', a: 'done + b', b: 'sma(c, 3)', c: 'supply / a' })).toThrow(
    'in a circle: a → b → c → a',
  )
  expect(() => idsOf({ a: '2 * a' })).toThrow('in a circle: a → a')
})

test('an id is defined once', () => {
  expect(() => idsOf({ price: '1' })).toThrow("'price' is defined twice")
  const twice = [
    { id: 'a', formula: '1' },
    { id: 'a', formula: '2' },
  ]
  expect(() => orderDefinitions(twice, [])).toThrow("'a' is defined twice")
})

test('whatever the given order, every reference comes first', () => {
  const definitions = fc
    .integer({ min: 1, max: 40 })
    .chain((count) =>
      fc.tuple(
        fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: count, maxLength: count }),
        fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
      ),
    )
    .map(([references, order]) =>
      order.map((index) => {
        const earlier = references[index]!.map((pick) => (index === 0 ? 'price' : `m${pick % index}`))
        return { id: `m${index}`, formula: ['1', ...earlier].join(' + ') }
      }),
    )
  fc.assert(
    fc.property(definitions, (given) => {
      const seen = new Set(base)
      for (const { id, formula } of orderDefinitions(given, base)) {
        for (const reference of formula.references.keys()) expect(seen).toContain(reference)
        seen.add(id)
      }
      expect(seen.size).toBe(given.length + base.length)
    }),
  )
})

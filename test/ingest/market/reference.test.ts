import { expect, test } from 'vitest'
import { entities, exchanges, funds } from '#ingest/market/reference.ts'

test('tickers and ids are unique, and references lead somewhere', () => {
  expect(new Set(funds.map(({ ticker }) => ticker)).size).toBe(funds.length)
  expect(new Set(entities.map(({ id }) => id)).size).toBe(entities.length)
  expect(new Set(exchanges.map(({ id }) => id)).size, 'a new exchange? Correct the number here').toBe(7)
  for (const { consolidated_in } of entities)
    if (consolidated_in !== undefined) expect(entities.some(({ id }) => id === consolidated_in)).toBe(true)
})

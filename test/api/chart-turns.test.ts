import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ChartClient } from './support/chart-client.ts'
import { makeServedChain, type ServedChain } from './support/served-chain.ts'
import { type TestServer, withoutLimits } from './support/test-server.ts'

/** The turns of the event loop, in which formulas were evaluated. */
const turns: { current: number; readonly ofFormulas: number[] } = { current: 0, ofFormulas: [] }

let chain: ServedChain
let server: TestServer
let counting = true

beforeAll(async () => {
  chain = await makeServedChain()
  // The server is loaded anew with another module in it, which the files after this one do not see.
  vi.resetModules()
  vi.doMock(import('#sql/formula/evaluate.ts'), async (importOriginal) => {
    const original = await importOriginal()
    const evaluated: typeof original.evaluateWithPauses = (...parts) => {
      turns.ofFormulas.push(turns.current)
      return original.evaluateWithPauses(...parts)
    }
    return { ...original, evaluateWithPauses: evaluated }
  })
  const { serve } = await import('./support/test-server.ts')
  server = await serve(chain.dataDir, { ...withoutLimits, ACCESS: 'open' })
  // Those of the published tables.
  turns.ofFormulas.length = 0
  const count = () => {
    turns.current++
    if (counting) setImmediate(count)
  }
  count()
})
afterAll(async () => {
  counting = false
  await server?.close()
  chain?.remove()
  vi.doUnmock(import('#sql/formula/evaluate.ts'))
  vi.resetModules()
})

test('each formula and level is evaluated in a turn of its own, so that other requests come in between', async () => {
  await new ChartClient(server.url).described({
    metric: 'price',
    formulas: [{ expression: 'sma(m1, 5)' }, { expression: 'f1 * 2' }, { expression: 'cummedian(f2)' }],
    reference_lines: [{ y_formula: 'cummax(m1)' }, { y_formula: 'cummax(m1)' }],
    reference_areas: [{ y1_formula: 'f1 * 0.9', y2_formula: 'f1 * 1.1' }],
  })
  // Equal levels are evaluated once.
  expect(turns.ofFormulas).toHaveLength(6)
  expect(new Set(turns.ofFormulas).size).toBe(6)
})

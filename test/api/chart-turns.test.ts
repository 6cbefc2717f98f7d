import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { registerHooks } from 'node:module'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ChartClient } from './support/chart-client.ts'
import { makeServedChain, type ServedChain } from './support/served-chain.ts'
import { type TestServer, withoutLimits } from './support/test-server.ts'

/** The turns of the event loop, in which formulas were evaluated. */
const turns: { current: number; readonly ofFormulas: number[] } = { current: 0, ofFormulas: [] }

let chain: ServedChain
let server: TestServer
let counting = true
const evaluated = 'test:formula-evaluated'
const onEvaluated = () => void turns.ofFormulas.push(turns.current)

/**
 * Marks the modules of a server that is loaded again, with another module in it, which no other
 * file sees.
 */
const again = '?counted'
const formulaModule = import.meta.resolve('#sql/formula/evaluate.ts')
const hooks = registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const isAgain =
      context.parentURL?.endsWith(again) || (specifier === './support/test-server.ts' && isThis(context.parentURL))
    const isOwn = resolved.url.startsWith('file:') && !resolved.url.includes('/node_modules/')
    return isAgain && isOwn && !resolved.url.includes('?') ? { ...resolved, url: resolved.url + again } : resolved
  },
  load(url, context, nextLoad) {
    if (url !== formulaModule + again) return nextLoad(url, context)
    const original = JSON.stringify(`${formulaModule}?original`)
    const source = `
      import { channel } from 'node:diagnostics_channel'
      import { evaluateFormula as evaluate } from ${original}
      export * from ${original}
      export function evaluateFormula(...parts) {
        channel('${evaluated}').publish()
        return evaluate(...parts)
      }`
    return { format: 'module', source, shortCircuit: true }
  },
})
const isThis = (url: string | undefined): boolean => url?.startsWith(import.meta.url.split('?')[0]!) ?? false

beforeAll(async () => {
  chain = await makeServedChain()
  subscribe(evaluated, onEvaluated)
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
  unsubscribe(evaluated, onEvaluated)
  hooks.deregister()
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

import { registerHooks } from 'node:module'
import { expect, test } from 'vitest'
import type * as search from '#contract/search/search.ts'
import { questions } from '#contract/search/tables.ts'
import { catalogue } from '#test/mcp/support/mainnet-catalogue.ts'

const holdsOut = (i: number): boolean => i % 20 === 0

/** Search modules that are loaded again, without the questions that are held out. */
const again = '?unseen'
const tables = import.meta.resolve('#contract/search/tables.ts')

async function loadSearch(): Promise<typeof search> {
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context)
      const isAgain = context.parentURL?.endsWith(again) && resolved.url.includes('/contract/search/')
      return isAgain && !resolved.url.includes('?') ? { ...resolved, url: resolved.url + again } : resolved
    },
    load(url, context, nextLoad) {
      if (url !== tables + again) return nextLoad(url, context)
      const source = `
        import { questions as all } from '${tables}?original'
        export { notTracked, synonyms, wordGroups } from '${tables}?original'
        const holdsOut = ${holdsOut}
        let i = 0
        export const questions = new Map([...all].map(([id, texts]) => [id, texts.filter(() => !holdsOut(i++))]))`
      return { format: 'module', source, shortCircuit: true }
    },
  })
  try {
    return await import(`${import.meta.resolve('#contract/search/search.ts')}${again}`)
  } finally {
    hooks.deregister()
  }
}

test('more than 53 % of unseen questions find their metric first, and 80 % among five', async () => {
  const { searchMetrics } = await loadSearch()
  const asked = [...questions].flatMap(([id, texts]) => texts.map((text) => ({ id, text })))
  const unseen = asked.filter(({ id }, i) => holdsOut(i) && catalogue.find(id)?.id === id)
  const places = unseen.map(({ id, text }) =>
    searchMetrics(catalogue.metrics, text, 5).metrics.findIndex((metric) => metric.id === id),
  )
  const share = (isFound: (place: number) => boolean): number => places.filter(isFound).length / places.length
  const shares = { first: share((place) => place === 0), amongFive: share((place) => place >= 0) }
  console.log(`${unseen.length} unseen questions`, shares)
  expect(unseen.length).toBeGreaterThan(450)
  expect(shares.first).toBeGreaterThan(0.53)
  expect(shares.amongFive).toBeGreaterThan(0.8)
})

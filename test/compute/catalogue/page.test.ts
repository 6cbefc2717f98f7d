import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { currentPage, pageFile } from '#compute/catalogue/write-page.ts'
import { namedMarketMetrics, namedMetrics } from './named-metrics.ts'

const page = readFileSync(pageFile, 'utf8')

test('docs/metrics.md is what `npm run docs:text` writes now', () => {
  expect(page === currentPage(), 'run "npm run docs:text"').toBe(true)
})

test('every metric is found in it by its id', () => {
  const ids = new Set(
    [...page.matchAll(/<code>([a-z][a-z0-9_]*)<\/code>|· `([a-z0-9_]+)` ·/g)].map(([, a, b]) => a ?? b),
  )
  expect([...namedMetrics, ...namedMarketMetrics].filter((id) => !ids.has(id))).toEqual([])
})

test('every link leads to a place in it', () => {
  const places = new Set([...page.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id))
  const links = [...page.matchAll(/href="#([^"]+)"|\]\(#([^)]+)\)/g)].map(([, a, b]) => a ?? b)
  expect(links.length).toBeGreaterThan(300)
  expect(links.filter((link) => !places.has(link))).toEqual([])
})

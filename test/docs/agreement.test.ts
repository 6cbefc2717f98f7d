import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agreementPage, maxRoundingDifference } from '#root/docs/agreement/agreement-page.ts'
import { compareWithVendor } from '#root/docs/agreement/comparison.ts'
import { references } from '#root/docs/agreement/references.ts'

const all = references.flatMap(compareWithVendor)

test('docs/agreement.md is what `npm run docs:text` writes now', () => {
  const page = readFileSync(new URL('../../docs/agreement.md', import.meta.url), 'utf8')
  expect(page === agreementPage(references), 'run "npm run docs:text"').toBe(true)
})

test('it holds at least 60 metrics against vendors, and each once against each of them', () => {
  expect(new Set(all.map(({ metric }) => metric)).size).toBeGreaterThanOrEqual(60)
  expect(new Set(all.map(({ vendor }) => vendor)).size).toBeGreaterThanOrEqual(2)
  const pairs = all.map(({ metric, vendor }) => `${metric} ${vendor}`)
  expect(pairs.filter((pair, i) => pairs.indexOf(pair) !== i)).toEqual([])
  expect(all.filter(({ days }) => days < 12).map(({ metric }) => metric)).toEqual([])
})

test('a reason is given where values differ, and nowhere else', () => {
  const wrong = all.filter(({ greatest, reason }) => greatest > maxRoundingDifference !== (reason !== undefined))
  expect(wrong.map(({ metric, vendor, greatest }) => ({ metric, vendor, greatest }))).toEqual([])
})

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { currentGeneration } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { publishMarked, writeMarkedGeneration } from './support/marked-generation.ts'
import { makeServedChain, type ServedChain } from './support/served-chain.ts'
import { headersByTier, serve, type TestServer, withoutLimits } from './support/test-server.ts'

const generations = 20
const concurrent = 200
const staging = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-marked-'))
let chain: ServedChain
let server: TestServer
let headers: Record<string, string>
const folders: string[] = []

beforeAll(async () => {
  chain = await makeServedChain()
  const base = currentGeneration(chain.dataDir)!.folder
  await withSession({ temporaryFolder: path.join(staging, 'temporary') }, async (connection) => {
    for (let mark = 1; mark <= generations; mark++) {
      folders.push(await writeMarkedGeneration(connection, base, staging, mark))
    }
  })
  headers = (await headersByTier(chain.dataDir)).get('enterprise')!
  server = await serve(chain.dataDir, withoutLimits)
}, 180_000)
afterAll(async () => {
  await server?.close()
  chain?.remove()
  rmSync(staging, { recursive: true, force: true })
})

/** Answers and the numbers in their rows that say which generation they come from, for generation `mark`. */
const marked: readonly (readonly [
  target: string,
  isMarked: (row: Record<string, unknown>, mark: number) => boolean,
])[] = [
  ...[
    'prices',
    'holder/supply',
    'holder/valuation',
    'holder/profit',
    'cohort/metrics/lth',
    'coindays',
    'blockchain',
    'etf/aggregate',
    'etf/ticker?ticker=IBIT',
    'futures/oi',
    'funding/aggregate',
    'funding/exchange?exchange=okx',
    'oi/exchange?exchange=okx',
    'dat/aggregate',
    'dat/company/1/holdings',
    'metrics/latest',
  ].map((name) => [`/v1/${name}`, allNumbers] as const),
  ['/v1/dat/entity?id=1', ({ id, ...row }, mark) => id === 1 && allNumbers(row, mark)],
  ['/v1/utxo/history', ({ token_amount }, mark) => token_amount === mark],
  ['/v1/cost-basis', ({ supply_sats, lower_price }, mark) => supply_sats === mark && lower_price === mark],
  ['/v1/cycle-boundaries', ({ start_price, start_height }, mark) => start_price === mark && start_height === mark],
  [
    '/v1/series?metrics=price&formula=price%2Bmvrv',
    ({ price, formula }, mark) => price === mark && formula === 2 * mark,
  ],
  ['/v1/metrics/mvrv', ({ description }, mark) => description === `generation ${mark}`],
  ['/v1/etf/registry', ({ name }, mark) => name === `generation ${mark}`],
]

function allNumbers(row: Record<string, unknown>, mark: number): boolean {
  const numbers = Object.values(row).filter((value) => typeof value === 'number')
  return numbers.length > 0 && numbers.every((value) => value === mark)
}

test('20 publications under 200 concurrent requests give no failed and no mixed answer', async () => {
  publishMarked(chain.dataDir, folders[0]!)
  let isOver = false
  let asked = 0
  const seen = new Set<number>()
  const problems: string[] = []

  const reader = async (start: number): Promise<void> => {
    let newest = 0
    for (let i = start; !isOver || i < start + marked.length; i++) {
      const [target, isMarked] = marked[i % marked.length]!
      const limit = target.startsWith('/v1/metrics/mvrv')
        ? ''
        : `${target.includes('?') ? '&' : '?'}limit=${5 + (i % 3)}`
      const response = await fetch(server.url + target + limit, { headers })
      const text = await response.text()
      asked++
      if (response.status !== 200) {
        problems.push(`${target}: ${response.status} ${text.slice(0, 200)}`)
        continue
      }
      const { data, meta } = JSON.parse(text)
      const mark = Number(meta.generation.slice(-3))
      seen.add(mark)
      if (mark < newest) problems.push(`${target}: generation ${mark} after ${newest}`)
      newest = mark
      if (data.length === 0) problems.push(`${target}: no rows`)
      for (const row of data) {
        if (!isMarked(row, mark)) problems.push(`${target} of ${mark}: ${JSON.stringify(row).slice(0, 300)}`)
      }
    }
  }
  const readers = Array.from({ length: concurrent }, (_, i) => reader(i))
  for (const [i, folder] of folders.slice(1).entries()) {
    publishMarked(chain.dataDir, folder)
    // Some follow each other so closely that requests lose the files they read; others are waited for.
    if (i % 4 < 3) await new Promise((resolve) => setTimeout(resolve, 100))
    else await expect.poll(() => seen.has(i + 2), { timeout: 60_000 }).toBe(true)
  }
  isOver = true
  await Promise.all(readers)
  expect(problems.slice(0, 5)).toEqual([])
  expect(asked).toBeGreaterThanOrEqual(concurrent * marked.length)
  expect(seen.has(generations)).toBe(true)
  expect(seen.size).toBeGreaterThanOrEqual(5)
}, 240_000)

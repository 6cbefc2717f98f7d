import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { currentGeneration, listGenerationIds } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { coinstrata } from '#test/support/program.ts'
import { trials } from '#test/support/trials.ts'
import { publishMarked, writeMarkedGeneration } from './support/marked-generation.ts'
import { makeServedChain, type ServedChain } from './support/served-chain.ts'
import { headersByTier, serve, type TestServer, withoutLimits } from './support/test-server.ts'

const generations = trials(6, 20)
const concurrent = trials(40, 200)
const rollbacks = trials(4, 20)
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
})
afterAll(async () => {
  await server?.close()
  chain?.remove()
  rmSync(staging, { recursive: true, force: true })
})

/**
 * Answers and the numbers in their rows that say which generation they come from, for generation
 * `mark`.
 */
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
  ['/v1/dat/entity?id=1&fields=all', ({ id, ...row }, mark) => id === 1 && allNumbers(row, mark)],
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

/** What came of requests that were sent one after the other by several readers at once. */
interface Reading {
  asked: number
  readonly seen: Set<number>
  readonly problems: string[]
  /** Ends when each reader has asked for everything at least once more. */
  readonly stop: () => Promise<unknown>
}

/**
 * Reads until it is stopped; `onAnswer` hears from which generation each answer came to the reader.
 */
function readConcurrently(readers: number, onAnswer: (reader: number, mark: number) => string | undefined): Reading {
  let isOver = false
  const [seen, problems] = [new Set<number>(), [] as string[]]
  const reader = async (start: number): Promise<void> => {
    for (let i = start; !isOver || i < start + marked.length; i++) {
      const [target, isMarked] = marked[i % marked.length]!
      const limit = target.startsWith('/v1/metrics/mvrv')
        ? ''
        : `${target.includes('?') ? '&' : '?'}limit=${5 + (i % 3)}`
      const response = await fetch(server.url + target + limit, { headers })
      const text = await response.text()
      reading.asked++
      if (response.status !== 200) {
        problems.push(`${target}: ${response.status} ${text.slice(0, 200)}`)
        continue
      }
      const { data, meta } = JSON.parse(text)
      const mark = Number(meta.generation.slice(-3))
      seen.add(mark)
      const problem = onAnswer(start, mark)
      if (problem) problems.push(`${target}: ${problem}`)
      if (data.length === 0) problems.push(`${target}: no rows`)
      for (const row of data) {
        if (!isMarked(row, mark)) problems.push(`${target} of ${mark}: ${JSON.stringify(row).slice(0, 300)}`)
      }
    }
  }
  const stop = (): Promise<unknown> => {
    isOver = true
    return Promise.all(running)
  }
  const reading: Reading = { asked: 0, seen, problems, stop }
  const running = Array.from({ length: readers }, (_, i) => reader(i))
  return reading
}

test(`${generations} publications under ${concurrent} concurrent requests give no failed and no mixed answer`, async () => {
  publishMarked(chain.dataDir, folders[0]!)
  const newest = new Map<number, number>()
  const reading = readConcurrently(concurrent, (reader, mark) => {
    const before = newest.get(reader) ?? 0
    newest.set(reader, mark)
    return mark < before ? `generation ${mark} after ${before}` : undefined
  })
  const { seen, problems } = reading
  for (const [i, folder] of folders.slice(1).entries()) {
    publishMarked(chain.dataDir, folder)
    // Some follow each other so closely that requests lose the files they read; others are waited
    // for.
    if (i % 4 < 3) await new Promise((resolve) => setTimeout(resolve, 100))
    else await expect.poll(() => seen.has(i + 2), { timeout: 60_000 }).toBe(true)
  }
  await expect.poll(() => seen.has(generations), { timeout: 60_000 }).toBe(true)
  await reading.stop()
  expect(problems.slice(0, 5)).toEqual([])
  expect(reading.asked).toBeGreaterThanOrEqual(concurrent * marked.length)
  // The last, and those before it that were waited for.
  expect(seen.size).toBeGreaterThan((generations - 1) >> 2)
})

test(`going back and forward ${rollbacks} times under 10 readers gives no failed and no mixed answer`, async () => {
  const kept = folders.slice(-3)
  for (const folder of kept) {
    if (!listGenerationIds(chain.dataDir).includes(path.basename(folder))) publishMarked(chain.dataDir, folder)
  }
  const reading = readConcurrently(10, () => undefined)
  const ids = kept.map((folder) => path.basename(folder))
  for (let i = 0; i < rollbacks; i++) {
    const args = i % 2 === 0 ? [] : [ids[2]!]
    const { exitCode, stderr } = await coinstrata(['rollback', ...args, '--data-dir', chain.dataDir])
    expect(exitCode, stderr).toBe(0)
    const mark = generations - 1 + (i % 2)
    expect(currentGeneration(chain.dataDir)?.generation.tip.height).toBe(mark)
    reading.seen.delete(mark)
    await expect.poll(() => reading.seen.has(mark), { timeout: 60_000 }).toBe(true)
  }
  await reading.stop()
  expect(reading.problems.slice(0, 5)).toEqual([])
  expect(reading.seen).toEqual(new Set([generations - 1, generations]))
})

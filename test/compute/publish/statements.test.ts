import { rmSync } from 'node:fs'
import path from 'node:path'
import { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { update } from '#compute/update.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { settingsOf } from '#test/support/made-folder.ts'
import { temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('statements')
const dataDir = path.join(folder, 'data')
const blockFiles = (height: number): string => path.join(folder, `blocks-${height}`)

/** Calls of DuckDB; others call one of these. */
const calls = [
  vi.spyOn(DuckDBConnection.prototype, 'run'),
  vi.spyOn(DuckDBConnection.prototype, 'stream'),
  vi.spyOn(DuckDBConnection.prototype, 'prepare'),
  vi.spyOn(DuckDBConnection.prototype, 'createAppender'),
]
const countCalls = (): number => calls.reduce((sum, { mock }) => sum + mock.calls.length, 0)

const begun: string[] = []
const progress = { say() {}, scanned() {}, part: (name: string) => begun.push(name) }
const updateTo = (height: number) => update(settingsOf(dataDir, blockFiles(height)), progress)
/** The table that a build writes first. */
const countBuilds = (): number => begun.filter((name) => name === 'prices').length

beforeAll(async () => {
  const chain = makeChain(601)
  for (const height of [300, 600]) await writeChain(blockFiles(height), chain, height)
  await updateTo(300)
})
afterAll(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  vi.clearAllMocks()
  begun.length = 0
})

// A statement takes at least half a millisecond, and up to 40 for a table of hundreds of columns.
test('an update of 300 blocks is built once, with at most 80 statements', async () => {
  await updateTo(600)
  expect(countBuilds()).toBe(1)
  expect(countCalls()).toBeLessThanOrEqual(80)
  expect(countCalls()).toBeGreaterThan(20)
})

test('an update that finds nothing new builds nothing, without statements', async () => {
  expect(await updateTo(600)).toMatchObject({ unchanged: true })
  expect(countBuilds()).toBe(0)
  expect(countCalls()).toBe(0)
})

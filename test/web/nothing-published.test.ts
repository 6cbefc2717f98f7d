import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readRescan, recordRescan } from '#state/rescan.ts'
import type { Run } from '#state/run-journal.ts'
import { serve, type TestServer, withoutLimits } from '#test/api/support/test-server.ts'
import { browser } from '#test/support/browser.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { chain, findings, openPages, page } from './support/opened.ts'

const dataDir = temporaryFolder('nothing-published')
const run = {
  job: 'update',
  startedAt: Date.now(),
  endedAt: null,
  outcome: 'running',
  message: null,
  code: null,
} as const
let runs: readonly Run[] = []

describe.skipIf(!browser)('before the first publication', () => {
  openPages()
  let empty: TestServer
  beforeAll(async () => {
    empty = await serve(dataDir, { ...withoutLimits, ACCESS: 'open' }, { recentRuns: () => runs })
  })
  afterAll(async () => {
    await empty.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const title = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  const main = () => page.locator('main')

  test('pages show progress or problems, and then data by themselves', async () => {
    runs = [{ ...run, progress: { step: 'making the simulated chain', share: 0.5 } }]
    await page.goto(`${empty.url}/cohorts`)
    await title('The first update runs')
    await expect.poll(() => main().innerText()).toContain('Making the simulated chain: 50 %.')
    expect(await main().locator('.bar .part').getAttribute('width')).toBe('50')
    expect(await findings()).toEqual([])
    runs = [{ ...run, progress: { step: 'cohorts', share: null } }]
    await expect.poll(() => main().innerText()).toContain('Cohorts.')
    expect(await main().locator('.bar').count()).toBe(0)
    runs = [{ ...run, endedAt: Date.now(), outcome: 'failed', code: 'source_not_found' }]
    await title('Nothing is published yet')
    expect(await main().innerText()).toContain('Mount the disk')
    // Guides need no data.
    await page.goto(`${empty.url}/guides`)
    await title('Guides')
    await page.goto(`${empty.url}/cohorts`)
    await title('Nothing is published yet')
    cpSync(path.join(chain.dataDir, 'published'), path.join(dataDir, 'published'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    await title('Cohorts')
  })

  test('the page Status allows a second scan that waits', async () => {
    const effort = 'all blocks are read again, 800.0 GB, in about 2 h'
    recordRescan(dataDir, { why: 'ADDRESSES is all', effort, isAllowed: false })
    // The state is read once in a few seconds.
    const problems = async () => (await (await fetch(`${empty.url}/v1/status`)).json()).state.problems
    await expect.poll(problems).toContainEqual(expect.objectContaining({ code: 'rescan_waiting' }))
    await page.goto(`${empty.url}/status`)
    await title('Status')
    await main().getByText(`ADDRESSES is all: ${effort}`).waitFor()
    expect(await findings()).toEqual([])
    await page.getByRole('button', { name: 'Read all blocks again' }).click()
    await main().getByText('The next update reads all blocks again.').waitFor()
    expect(readRescan(dataDir)?.isAllowed).toBe(true)
    expect(await page.getByRole('button', { name: 'Read all blocks again' }).count()).toBe(0)
  })
})

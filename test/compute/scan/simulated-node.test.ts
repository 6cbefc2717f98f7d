import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { msPerDay, parseDay } from '#base/days.ts'
import { readScannedChain } from '#compute/scan/scanned-chain.ts'
import { simulatedTip } from '#ingest/simulated/chain.ts'
import { ingestFolder } from '#test/support/made-folder.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-simulated-node-'))
afterEach(() => void vi.useRealTimers())
afterAll(() => rmSync(dataDir, { recursive: true }))

const simulate = (date: string, simulatedSeed: number) => {
  vi.useFakeTimers({ toFake: ['Date'], now: parseDay(date) * msPerDay })
  return ingestFolder(dataDir, '', { blocksdir: undefined, source: 'simulated', simulatedSeed })
}

it('replaces a simulated chain by another one with less work', async () => {
  const { tipHeight } = await simulate('2009-08-01', 1)
  const before = readScannedChain(dataDir)!
  const other = { seed: 2, endDay: parseDay('2009-06-01'), until: parseDay('2009-06-01') * 86_400 }
  expect((await simulate('2009-06-01', 2)).tipHeight).toBe(simulatedTip(other))
  const after = readScannedChain(dataDir)!
  expect(after.tip.height).toBeLessThan(tipHeight)
  expect(BigInt(`0x${after.work}`)).toBeLessThan(BigInt(`0x${before.work}`))
  expect(after.segments.filter((segment) => before.segments.includes(segment))).toEqual([])
})

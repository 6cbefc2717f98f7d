import { readdirSync, rmSync } from 'node:fs'
import { afterAll } from 'vitest'
import { isoDate } from '#base/days.ts'
import type { AddressMode } from '#compute/address-sample.ts'
import { ActivityStore } from '#compute/addresses/activity-store.ts'
import { readScannedBlocks, readScannedChain, scannedUnits } from '#compute/scan/scanned-chain.ts'
import { makeChain } from '#test/support/made-chain.ts'
import { ingestFolder } from '#test/support/made-folder.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { replay } from '#test/support/replay.ts'
import { replayedActivity } from '#test/support/replayed-addresses.ts'

/** Folder of the tests of a file. */
export function useActivityFolder(): string {
  const folder = temporaryFolder('activity')
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Scans the blocks, without publishing. */
export const scan = (dataDir: string, blocks: string, choices: { addresses: AddressMode } = { addresses: 'all' }) =>
  ingestFolder(dataDir, blocks, choices)

/** The rows that `address_days` would have. */
export function counted(dataDir: string): string[][] {
  const scanned = readScannedChain(dataDir)!
  const days = readScannedBlocks(dataDir, scanned)
  const last = days.days.at(-1)! - 1
  const counts = new ActivityStore(dataDir).readCounts(days, last, scannedUnits(scanned))
  return Array.from(counts[0]!, (_, i) => [isoDate(days.days[0]! + i), ...counts.map((column) => String(column[i]))])
}

export const addressesOf = (dataDir: string): string[] => readdirSync(`${dataDir}/raw/addresses`).sort()

/** Five months of blocks, eight hours apart. */
export const chain = makeChain(481)
/** The rows of the whole chain by a replay. */
export const expected = replayedActivity(replay(chain.slice(0, 481).map(({ block }) => block)))

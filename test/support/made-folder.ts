import { publishSegments, type UpdateOptions, update, updateSegments } from '#compute/update.ts'
import type { UpdateSettings } from '#compute/update-settings.ts'

/** Ignores progress messages. */
const silent = { say() {}, scanned() {} }

export const settingsOf = (
  dataDir: string,
  blocksdir: string,
  choices: Partial<UpdateSettings> = {},
): UpdateSettings => ({
  dataDir,
  blocksdir,
  datadir: undefined,
  network: 'regtest',
  source: 'files',
  defaultDatadir: '/nonexistent',
  rpcUrl: undefined,
  rpcUser: undefined,
  rpcPassword: undefined,
  simulatedSeed: 1,
  pricing: 'hourly',
  memory: '1GB',
  addresses: 'sample',
  ...choices,
})

/** Passes over the block files of a generated chain, in this process. */
export const updateFolder = (
  dataDir: string,
  blocks: string,
  options?: UpdateOptions,
  choices?: Partial<UpdateSettings>,
) => update(settingsOf(dataDir, blocks, choices), silent, options)
export const ingestFolder = (dataDir: string, blocks: string, choices?: Partial<UpdateSettings>) =>
  // Other addresses need a second scan, which users allow.
  updateSegments(settingsOf(dataDir, blocks, choices), silent, { rescan: true })
export const computeFolder = (dataDir: string, blocks: string, choices?: Partial<UpdateSettings>) =>
  publishSegments(settingsOf(dataDir, blocks, choices), silent)

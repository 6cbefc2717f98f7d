import { cpSync, linkSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { formatVersion } from '#compute/scan/segments.ts'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { networks } from '#ingest/chain/networks.ts'
import { makeFullBlocks } from './full-blocks.ts'
import { type HeaderFiles, mainnetShape, makeHeaderFiles } from './header-files.ts'
import { makeDataFolder } from './mainnet-shape.ts'
import { printParts, printRun, type Run, runUpdate, total } from './measured-run.ts'

const blocksPerDay = 144
const twice: HeaderFiles = { files: 2 * mainnetShape.files, blocks: 2 * mainnetShape.blocks }
const maxGrowth = 1.2

/**
 * The first computation at mainnet's size and a night with a new day, then both with twice as many
 * days.
 */
export async function benchNightly(folder: string): Promise<void> {
  const today = await benchShape(path.join(folder, 'nightly'), path.join(folder, 'header-files'), mainnetShape)
  const { files, blocks } = mainnetShape
  const rows = `${today.first.rows} flow rows`
  console.log(`\nnightly: ${files} segments, ${blocks} blocks, ${rows}; a new day of ${blocksPerDay} full blocks`)
  printRun('first computation of all tables', today.first, '30 s, 1.5 GB')
  printRun('one new day', today.night, '12 s, stretch 8; 1 GB')
  printParts(today.night)
  const later = await benchShape(path.join(folder, 'nightly-twice'), path.join(folder, 'header-files-twice'), twice)
  const growth = total(later.night).seconds / total(today.night).seconds
  printRun(`one new day, twice as many days, ${later.first.rows} rows`, later.night, `${maxGrowth} ×`, growth)
  printParts(later.night)
}

const benchShape = (target: string, blocksFolder: string, shape: HeaderFiles): Promise<{ first: Run; night: Run }> =>
  withNight(target, blocksFolder, shape, async ({ first, night }) => ({ first, night }))

interface Night {
  readonly dataDir: string
  readonly newFiles: readonly string[]
  readonly first: Run
  readonly night: Run
}

/**
 * Creates a chain of this size once, computes it, adds a new day, and calls `work` with the
 * measurements.
 */
export async function withNight<T>(
  target: string,
  blocksFolder: string,
  shape: HeaderFiles,
  work: (night: Night) => Promise<T>,
): Promise<T> {
  const [template, newDay, dataDir] = [`${target}-data-${formatVersion}`, `${target}-day`, `${target}-run`]
  console.log(`making ${shape.blocks} blocks, their segments and a new day, unless they are there (some minutes)`)
  await makeHeaderFiles(blocksFolder, shape)
  await makeDataFolder(template, blocksFolder, shape)
  await makeFullBlocks(newDay, blocksFolder, path.join(template, 'raw', 'headers'), blocksPerDay)
  const newFiles = readdirSync(newDay)
  const removeAdded = (): void => {
    for (const name of newFiles) rmSync(path.join(blocksFolder, name), { force: true })
  }
  removeAdded()
  // Updates the header cache.
  await readBlockTree(openBlockFolder(blocksFolder), networks.regtest, path.join(template, 'raw', 'headers'))
  rmSync(dataDir, { recursive: true, force: true })
  cpSync(template, dataDir, { recursive: true })
  const first = runUpdate('compute', dataDir, blocksFolder)
  try {
    for (const name of newFiles) linkSync(path.join(newDay, name), path.join(blocksFolder, name))
    return await work({ dataDir, newFiles, first, night: runUpdate('update', dataDir, blocksFolder) })
  } finally {
    removeAdded()
    rmSync(dataDir, { recursive: true })
  }
}

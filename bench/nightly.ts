import { cpSync, linkSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { formatVersion } from '#compute/scan/segments.ts'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { networks } from '#ingest/chain/networks.ts'
import { writeFullBlocks } from './full-blocks.ts'
import { type HeaderFiles, mainnetShape, writeHeaderFiles } from './header-files.ts'
import { writeDataFolder } from './mainnet-shape.ts'
import { printParts, printRun, type Run, runUpdate, total } from './measured-run.ts'
import { createOnce } from './report.ts'

const blocksPerDay = 144
const twice: HeaderFiles = { suffix: '-twice', files: 2 * mainnetShape.files, blocks: 2 * mainnetShape.blocks }
const maxGrowth = 1.2

/**
 * First computation at mainnet's size and a night with a new day; then both with twice as many
 * days.
 */
export async function benchNightly(folder: string): Promise<void> {
  const today = await withNight(folder, mainnetShape, async (night) => night)
  const { files, blocks } = mainnetShape
  const rows = `${today.first.rows} flow rows`
  console.log(`\nnightly: ${files} segments, ${blocks} blocks, ${rows}; a new day of ${blocksPerDay} full blocks`)
  printRun('first computation of all tables', today.first, '30 s, 1.5 GB')
  printRun('one new day', today.night, '12 s, stretch 8; 1 GB')
  printParts(today.night)
  const later = await withNight(folder, twice, async (night) => night)
  const growth = total(later.night).seconds / total(today.night).seconds
  printRun(`one new day, twice as many days, ${later.first.rows} rows`, later.night, `${maxGrowth} ×`, growth)
  printParts(later.night)
}

export interface Night {
  readonly dataDir: string
  readonly blocksFolder: string
  readonly newFiles: readonly string[]
  readonly first: Run
  readonly night: Run
}

/**
 * Creates a chain of this size once, computes it, adds a day, and calls `work` with the
 * measurements.
 */
export async function withNight<T>(folder: string, shape: HeaderFiles, work: (night: Night) => Promise<T>): Promise<T> {
  const target = path.join(folder, `nightly${shape.suffix}`)
  const blocksFolder = path.join(folder, `header-files${shape.suffix}`)
  const [template, newDay, dataDir] = [`${target}-data-${formatVersion}`, `${target}-day`, `${target}-run`]
  console.log(`making ${shape.blocks} blocks, their segments and a new day, unless they are there (some minutes)`)
  const headers = path.join(template, 'raw', 'headers')
  await createOnce(blocksFolder, (unfinished) => writeHeaderFiles(unfinished, shape))
  await createOnce(template, (unfinished) => writeDataFolder(unfinished, blocksFolder, shape))
  await createOnce(newDay, (unfinished) => writeFullBlocks(unfinished, blocksFolder, headers, blocksPerDay))
  const newFiles = readdirSync(newDay)
  const removeAdded = (): void => {
    for (const name of newFiles) rmSync(path.join(blocksFolder, name), { force: true })
  }
  removeAdded()
  // Updates the header cache.
  await readBlockTree(openBlockFolder(blocksFolder), networks.regtest, headers)
  rmSync(dataDir, { recursive: true, force: true })
  cpSync(template, dataDir, { recursive: true })
  const first = runUpdate('compute', dataDir, blocksFolder)
  try {
    for (const name of newFiles) linkSync(path.join(newDay, name), path.join(blocksFolder, name))
    const night = runUpdate('update', dataDir, blocksFolder)
    return await work({ dataDir, blocksFolder, newFiles, first, night })
  } finally {
    removeAdded()
    rmSync(dataDir, { recursive: true })
  }
}

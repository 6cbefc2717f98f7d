import { createHash, type Hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { version } from '#base/version.ts'
import { readMiningPools } from '#ingest/market/mining-pools.ts'
import { verifyStored } from '#ingest/market/store.ts'
import { readOwnFiles } from '../catalogue/own-metrics.ts'
import { lastCorrection } from '../data-folder.ts'
import type { Labels } from '../labels/label-files.ts'
import type { ScannedChain } from '../scan/scanned-chain.ts'
import type { UpdateSettings } from '../update-settings.ts'

const programFolder = path.join(import.meta.dirname, '../..')

/**
 * Folders that determine the published data: code, statements, committed reference data. In the npm
 * package, all code is in `program`.
 */
const inputFolders = ['base', 'compute', 'contract', 'ingest', 'sql', 'state', 'data/reference', 'program']

export interface Choices
  extends Pick<
    UpdateSettings,
    'pricing' | 'priceSource' | 'priceAnchor' | 'fine' | 'addresses' | 'publishLabels' | 'signingKeyFile'
  > {
  readonly labels?: Labels | undefined
}

/**
 * Hashes everything that determines the tables of a generation: scanned chain, stored market data,
 * list of pools, labels, the operator's metrics, settings, program. Excludes what changes no table:
 * the node's sums, notes, the signing key, the proved share of the chain. A proof that finds a wrong
 * segment records a correction, which is included.
 */
export function inputKey(
  dataDir: string,
  { node: _sums, notes: _notes, labelled, ...chain }: ScannedChain,
  {
    pricing,
    priceSource = 'markets',
    priceAnchor,
    fine = false,
    addresses = 'off',
    publishLabels = false,
    labels,
  }: Choices,
): string {
  const hash = createHash('sha256').update(programHash())
  hash.update(
    JSON.stringify([
      chain,
      pricing,
      priceSource,
      priceAnchor,
      fine,
      addresses,
      publishLabels,
      labels && [labels.hash, labelled?.count],
    ]),
  )
  hash.update(`\n${lastCorrection(dataDir)}\n`)
  hash.update(JSON.stringify([readMiningPools(dataDir), readOwnFiles(dataDir)]))
  hash.update(verifyStored(dataDir))
  return hash.digest('hex')
}

let hashOfProgram: string | undefined

export function programHash(): string {
  if (hashOfProgram === undefined) {
    const hash = createHash('sha256').update(version)
    for (const folder of inputFolders) addFolder(hash, path.join(programFolder, folder))
    hashOfProgram = hash.digest('hex')
  }
  return hashOfProgram
}

/** Adds names and content of all files of a folder, in a machine-independent order. */
function addFolder(hash: Hash, folder: string): void {
  if (!existsSync(folder)) return
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
  for (const file of files.sort()) {
    const content = readFileSync(path.join(folder, file))
    hash.update(`\n${file} ${content.length}\n`).update(content)
  }
}

import { createHash, type Hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { version } from '#base/version.ts'
import { readMiningPools } from '#ingest/market/mining-pools.ts'
import { verifyStored } from '#ingest/market/store.ts'
import { lastCorrection } from '../data-folder.ts'
import type { Labels } from '../labels/label-files.ts'
import type { ScannedChain } from '../scan/scanned-chain.ts'
import type { UpdateSettings } from '../update-settings.ts'

const programFolder = path.join(import.meta.dirname, '../..')

/**
 * Folders whose files determine the published data: code, statements and committed reference data.
 */
const inputFolders = ['base', 'compute', 'contract', 'ingest', 'sql', 'state', 'data/reference']

export interface Choices
  extends Pick<UpdateSettings, 'pricing' | 'fine' | 'addresses' | 'publishLabels' | 'signingKeyFile'> {
  readonly labels?: Labels | undefined
}

/**
 * Hashes everything that determines the tables of a generation: the scanned chain, the stored
 * market data, the list of pools, labels, the settings and the program. Not included are the node's
 * sums, notes, the key that signs and the proved share of the chain, which change no table; proving
 * that finds a wrong segment records a correction, which is included. Throws `data_folder_damaged`.
 */
export function inputKey(
  dataDir: string,
  { node: _sums, notes: _notes, ...chain }: ScannedChain,
  { pricing, fine = false, addresses = 'off', publishLabels = false, labels }: Choices,
): string {
  const hash = createHash('sha256').update(programHash())
  hash.update(JSON.stringify([chain, pricing, fine, addresses, publishLabels, labels?.hash]))
  hash.update(`\n${lastCorrection(dataDir)}\n`)
  hash.update(JSON.stringify(readMiningPools(dataDir)))
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

/**
 * Adds names and content of all files of a folder, in an order that is the same on every machine.
 */
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

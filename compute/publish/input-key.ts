import { createHash, type Hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { version } from '#base/version.ts'
import { lastCorrection } from '../data-folder.ts'
import type { ScannedChain } from '../scan/scanned-chain.ts'
import type { UpdateSettings } from '../update-settings.ts'

const programFolder = path.join(import.meta.dirname, '../..')

/** Folders whose files decide what is published of given data: code, statements, committed facts. */
const inputFolders = ['base', 'compute', 'contract', 'ingest', 'sql', 'state', 'data/reference']

/** How a generation is to be made. */
export type Choices = Pick<UpdateSettings, 'pricing' | 'fine'>

/**
 * A hash of all that a generation is made from: the scanned chain, the stored market data, how coins are valued, what is asked for and the
 * program itself. The same key means that computing again would give the same tables. How much of the chain is proved is no part of it: proving
 * changes no table, unless it finds a segment wrong, which is then corrected. Nor is what the node says or notes: it may come and go.
 */
export function inputKey(
  dataDir: string,
  { node: _sums, notes: _notes, ...chain }: ScannedChain,
  { pricing, fine = false }: Choices,
): string {
  const hash = createHash('sha256').update(programHash())
  hash.update(JSON.stringify([chain, pricing, fine]))
  hash.update(`\n${lastCorrection(dataDir)}\n`)
  addFolder(hash, path.join(dataDir, 'raw', 'market'))
  return hash.digest('hex')
}

let hashOfProgram: string | undefined

/** A hash of the program, as far as it decides what is published. */
export function programHash(): string {
  if (hashOfProgram === undefined) {
    const hash = createHash('sha256').update(version)
    for (const folder of inputFolders) addFolder(hash, path.join(programFolder, folder))
    hashOfProgram = hash.digest('hex')
  }
  return hashOfProgram
}

/** Adds the names and the content of all files of a folder, in an order that does not depend on the machine. */
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

import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { noKeyWords, writeIdentity } from '#ingest/chain/address-identity.ts'
import { decodeAddress } from '#ingest/chain/address-script.ts'
import { noKey } from '#ingest/chain/bytes.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import { scriptTypeAt } from '#ingest/chain/output-kind.ts'
import { invalidLine, readCsv } from '#ingest/market/csv.ts'
import { unfinishedPrefix } from '#sql/files.ts'
import { labelsFolder } from '../data-folder.ts'

/** Reading these takes some 4 s and 0.7 GB. */
export const maxLabelledAddresses = 200_000
export const maxLabels = 1000

/** Addresses of the operator's lists, distinct, in order of identity. */
export interface Labels {
  /** Sorted names of the labels. */
  readonly names: readonly string[]
  readonly highs: Uint32Array
  readonly lows: Uint32Array
  /** Index in `names`, by address. */
  readonly places: Int32Array
  /** Hash of addresses and names. */
  readonly hash: string
  /** Lines that were left out, by file and line. */
  readonly warnings: readonly string[]
}

export const labelName = z
  .string()
  .max(100, 'has more than 100 characters')
  .regex(/^[^\p{C}"]*$/u, 'has a quotation mark or a character that cannot be printed')
  // Spreadsheets take such cells of exports for formulas.
  .regex(/^[^=+@-]/, 'begins with = + @ or -')

const rowSchema = z.object({
  address: z.string(),
  name: labelName,
  source: z.string().max(500, 'has more than 500 characters').optional(),
})

/**
 * Reads `labels/*.csv` of the data folder (columns address, name, source); `undefined` without such
 * files. Leaves out addresses of another network or with two names. Throws `invalid_file` for a file
 * without these columns, or too many addresses.
 */
export const readLabels = (dataDir: string, network: NetworkName): Labels | undefined =>
  readLists(labelFiles(dataDir), network)

export function labelFiles(dataDir: string): string[] {
  const folder = labelsFolder(dataDir)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names
    .filter((name) => name.endsWith('.csv') && !name.startsWith(unfinishedPrefix))
    .sort()
    .map((name) => path.join(folder, name))
}

/** The script of an address of the network or of a public key; undefined for any other text. */
export function decodeListed(text: string, network: NetworkName) {
  const decoded = decodeAddress(text)
  // The simulated chain has scripts of any network.
  return network !== 'simulated' && decoded?.isMainnet === (network !== 'mainnet') ? undefined : decoded
}

/** As `readLabels` for given files; with a `newFile`, which messages call `newName`, bad lines throw. */
export function readLists(
  files: readonly string[],
  network: NetworkName,
  newFile?: string,
  newName = '',
): Labels | undefined {
  if (files.length === 0) return undefined
  const found = new Map<string, FoundAddress>()
  const warnings: string[] = []
  const warn = (error: CoinstrataError): void => {
    if (newFile !== undefined) throw error
    warnings.push(error.message)
  }
  for (const file of files) readFile(file, file === newFile ? newName : path.basename(file), network, found, warn)
  const names = [...new Set([...found.values()].map(({ name }) => name))].sort()
  if (found.size > maxLabelledAddresses || names.length > maxLabels) {
    const message = `the label files have ${found.size} addresses with ${names.length} names; at most ${maxLabelledAddresses} and ${maxLabels} are allowed`
    throw new CoinstrataError('invalid_file', message, { cure: 'remove some of the lists' })
  }
  const entries = [...found.values()].sort((a, b) => a.high - b.high || a.low - b.low)
  const highs = Uint32Array.from(entries, ({ high }) => high)
  const lows = Uint32Array.from(entries, ({ low }) => low)
  const places = new Map(names.map((name, place) => [name, place]))
  const hash = createHash('sha256')
    .update(highs)
    .update(lows)
    .update(JSON.stringify(entries.map(({ name }) => name)))
    .digest('hex')
  return { names, highs, lows, places: Int32Array.from(entries, ({ name }) => places.get(name)!), hash, warnings }
}

interface FoundAddress {
  readonly name: string
  readonly high: number
  readonly low: number
  readonly line: string
}

function readFile(
  file: string,
  shownName: string,
  network: NetworkName,
  found: Map<string, FoundAddress>,
  warn: (error: CoinstrataError) => void,
): void {
  const identity = new Uint32Array(2)
  for (const { line, row } of readCsv(file, rowSchema, true, warn)) {
    const decoded = decodeListed(row.address, network)
    if (!decoded) {
      warn(invalidLine(file, line, `"${row.address}" is no address of ${network}`, 'correct or remove the line'))
      continue
    }
    const { script } = decoded
    const type = scriptTypeAt(script, noKey, 0, script.length)
    const view = new DataView(script.buffer, script.byteOffset, script.byteLength)
    writeIdentity(identity, 0, type, view, noKeyWords, 0, script.length)
    const [high, low] = [identity[0]!, identity[1]!]
    const key = `${high} ${low}`
    const before = found.get(key)
    if (before && before.name !== row.name) {
      const what = `${row.address} is "${row.name}", and "${before.name}" in ${before.line}: its coins would count twice`
      warn(invalidLine(file, line, what, 'remove one of the two lines'))
    } else if (!before) found.set(key, { name: row.name, high, low, line: `${shownName}, line ${line}` })
  }
}

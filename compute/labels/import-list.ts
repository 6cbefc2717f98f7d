import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { decodeAddress } from '#ingest/chain/address-script.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import { parseLines, readText } from '#ingest/market/csv.ts'
import { publishFile, unfinishedPath } from '#sql/files.ts'
import { labelsFolder } from '../data-folder.ts'
import { decodeListed, labelFiles, labelName, readLists } from './label-files.ts'

/** Lists of reserves with signatures are large. */
const maxListBytes = 500_000_000

const cure =
  'give one address a line, CSV with a column address (and coin, network, name or label), YAML of BitMEX, or a TagPack'

/**
 * Writes the Bitcoin addresses of a published list of reserves to `labels/NAME.csv`, replacing an
 * earlier list of that name, and returns their number. On `invalid_file` or `invalid_argument`,
 * lists stay unchanged.
 */
export function importList(dataDir: string, network: NetworkName, file: string, name: string): number {
  const { success, error } = labelName.safeParse(name)
  const slug = name
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join('-')
  if (!success || slug === undefined) {
    const what = error?.issues[0]?.message ?? 'has no letter or digit of ASCII for the name of its file'
    throw new CoinstrataError('invalid_argument', `--name "${name}" ${what}`, { cure: 'give another name' })
  }
  const listed = readPublished(file)
  if (listed.length === 0) throw new CoinstrataError('invalid_file', `${file} lists no Bitcoin address`, { cure })
  const labels = new Map<string, string>()
  for (const { address, place, label } of listed) {
    const isOther = !decodeListed(address, network)
    const wrongName = labelName.safeParse(label || name).error?.issues[0]?.message
    const known = labels.get(address)
    const twice = known === undefined || known === label ? undefined : `${address} is "${known}" and "${label}"`
    const wrong = isOther ? `"${address}" is no address of ${network}` : wrongName ? `"${label}" ${wrongName}` : twice
    if (wrong) throw new CoinstrataError('invalid_file', `${file}, ${place}: ${wrong}`, { cure })
    labels.set(address, label)
  }
  const folder = labelsFolder(dataDir)
  const target = path.join(folder, `${slug}.csv`)
  const unfinished = unfinishedPath(target)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    const source = path.basename(file).replaceAll('"', '')
    const lines = [...labels].map(([address, label]) => `${address},"${label || name}","${source}"\n`)
    writeFileSync(unfinished, `address,name,source\n${lines.join('')}`, { mode: 0o600 })
    // First, so that messages about another name refer to lines of existing lists.
    const others = labelFiles(dataDir).filter((each) => each !== target)
    readLists([unfinished, ...others], network, unfinished, `the list of ${name}`)
    publishFile(unfinished, target)
  } catch (cause) {
    rmSync(unfinished, { force: true })
    throw cause
  }
  return labels.size
}

/** Addresses with their places in the file and their labels, '' without one. */
type Listed = { readonly address: string; readonly place: string; readonly label: string }[]

function readPublished(file: string): Listed {
  const text = readText(file, maxListBytes)
  const isYaml = /^\s*(- )?addr(ess)?:/m.test(text)
  return isYaml ? readYaml(file, text) : readCsv(file, text)
}

/**
 * Addresses of a list of BitMEX, except unspendable ones, or of a TagPack. A YAML parser takes
 * minutes.
 */
function readYaml(file: string, text: string): Listed {
  const found: Listed = []
  const indent = /^( *)- *(?:\n *)?\w+:/m.exec(text)?.[1] ?? ''
  const [shared = '', ...listed] = text.split(new RegExp(`^${indent}- `, 'm'))
  for (const [i, entry] of listed.entries()) {
    const field = (name: string): string => {
      const value = [entry, shared]
        .map((each) => new RegExp(`^\\s*${name}: *(.*?) *$`, 'm').exec(each)?.[1])
        .find(Boolean)
      if (/^[>|&*[{]/.test(value ?? ''))
        throw new CoinstrataError('invalid_file', `${file}, entry ${i + 1}: ${name} is not plain text`, { cure })
      return value?.replace(/ +#.*$/, '').replace(/^(["'])(.*)\1$/, '$2') ?? ''
    }
    const [address, coin] = [field('addr(?:ess)?'), field('currency')]
    if (address === '' || !/^(btc)?$/i.test(coin) || field('addr_type').startsWith('unspendable')) continue
    found.push({ address, place: `entry ${i + 1}`, label: field('label') })
  }
  return found
}

/** Bitcoin addresses of a plain list, or of a table, such as that of OKX, which begins with sums. */
function readCsv(file: string, text: string): Listed {
  let columns: Readonly<Record<'address' | 'coin' | 'network' | 'name', number>> | undefined
  const found: Listed = []
  for (const { line, row } of parseLines(file, text)) {
    const place = (names: RegExp): number => row.findIndex((cell) => names.test(cell))
    const address = place(/^(btc |bitcoin )?addr(ess)?$/i)
    if (address >= 0) {
      const name = place(/^(name|label|entity|owner)$/i)
      columns = { address, coin: place(/^(coin|asset|currency)$/i), network: place(/^(network|chain)$/i), name }
    } else if (columns) {
      const { [columns.coin]: coin = 'BTC', [columns.network]: network = 'BTC', [columns.name]: label = '' } = row
      const isBitcoin = [coin, network].every((text) => /^(btc|bitcoin)$/i.test(text))
      if (isBitcoin) found.push({ address: row[columns.address] ?? '', place: `line ${line}`, label })
    } else if (found.length > 0 || decodeAddress(row[0]!))
      found.push({ address: row[0]!, place: `line ${line}`, label: '' })
  }
  return found
}

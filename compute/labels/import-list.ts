import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CsvError, parse } from 'csv-parse/sync'
import { CoinstrataError } from '#base/errors.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import { publishFile, unfinishedPath } from '#sql/files.ts'
import { labelsFolder } from '../data-folder.ts'
import { labelFiles, labelName, readLists } from './label-files.ts'

const cure =
  'give a CSV file with the columns coin and address, as OKX publishes it, or YAML with an entry addr for each address, as BitMEX does; put your own lists (columns address, name, source) into the folder labels of the data folder'

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
  const addresses = readPublished(file)
  if (addresses.length === 0) throw new CoinstrataError('invalid_file', `${file} lists no Bitcoin address`, { cure })
  const folder = labelsFolder(dataDir)
  const target = path.join(folder, `${slug}.csv`)
  const unfinished = unfinishedPath(target)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    const source = path.basename(file).replaceAll('"', '')
    const lines = addresses.map((address) => `${address},${name},"${source}"\n`)
    writeFileSync(unfinished, `address,name,source\n${lines.join('')}`, { mode: 0o600 })
    // First, so that messages about another name refer to lines of existing lists.
    const others = labelFiles(dataDir).filter((each) => each !== target)
    readLists([unfinished, ...others], network, unfinished, `the list of ${name}`)
    publishFile(unfinished, target)
  } catch (cause) {
    rmSync(unfinished, { force: true })
    throw cause
  }
  return addresses.length
}

function readPublished(file: string): string[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CoinstrataError('invalid_file', `${file} cannot be read`, { cause, cure })
  }
  return [...new Set(/^\s*(?:- )?addr:/m.test(text) ? readYaml(text) : readCsv(file, text))]
}

/**
 * Addresses of a list in the format of BitMEX, except unspendable ones. A YAML parser takes
 * minutes.
 */
const readYaml = (text: string): string[] =>
  text.split(/^\s*- /m).flatMap((entry) => {
    const address = /^\s*addr:\s*["']?(\w+)/m.exec(entry)?.[1]
    return address === undefined || /^\s*addr_type:\s*["']?unspendable/m.test(entry) ? [] : [address]
  })

/** BTC addresses of a list in the format of OKX, which begins with a table of sums. */
function readCsv(file: string, text: string): string[] {
  let columns: { readonly coin: number; readonly network: number; readonly address: number } | undefined
  const found: string[] = []
  try {
    parse(text, {
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record: (record: string[]) => {
        const place = (name: string): number => record.findIndex((cell) => cell.toLowerCase() === name)
        if (place('coin') >= 0 && place('address') >= 0) {
          columns = { coin: place('coin'), network: place('network'), address: place('address') }
        } else if (columns && record[columns.coin]?.toUpperCase() === 'BTC') {
          const network = record[columns.network]?.toUpperCase() ?? 'BTC'
          if (['BTC', 'BITCOIN'].includes(network)) found.push(record[columns.address] ?? '')
        }
        return null
      },
    })
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause
    throw new CoinstrataError('invalid_file', `${file}: ${cause.message}`, { cause, cure })
  }
  return found
}

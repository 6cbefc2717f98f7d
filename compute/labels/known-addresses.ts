import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { IntactReader, writeIntact } from '#sql/intact-file.ts'
import { type Labels, maxLabelledAddresses } from './label-files.ts'

/**
 * All addresses that lists have ever had, in the order in which they first did. Scans look up all of
 * them, so that an address that returns to a list needs no scan. The order never changes: what was
 * looked up in a segment is a number of leading addresses.
 */
export class KnownAddresses {
  /** Identities, two words each. */
  readonly words: Uint32Array
  /** Place of each address of the current lists, by row; −1 if no scan has looked it up. */
  readonly places: Int32Array
  readonly #digests = new Map<number, string>()

  constructor(words: Uint32Array, labels: Pick<Labels, 'highs' | 'lows'> | undefined) {
    this.words = words
    const { highs = new Uint32Array(), lows = highs } = labels ?? {}
    this.places = new Int32Array(highs.length).fill(-1)
    const rows = Map.groupBy(highs.keys(), (row) => highs[row]!)
    for (let at = 0; at < words.length; at += 2) {
      for (const row of rows.get(words[at]!) ?? []) if (lows[row] === words[at + 1]) this.places[row] = at / 2
    }
  }

  get count(): number {
    return this.words.length / 2
  }

  /** Name of the outputs of the first `count` addresses in the blocks of a segment. */
  partKey(segment: string, count: number): string {
    return `${segment}-${count}-${this.#digest(count)}`
  }

  /** Leading addresses that were looked up, by segment. `keys` are those of stored parts. */
  countBySegment(keys: Iterable<string>): Map<string, number> {
    const counts = new Map<string, number>()
    for (const key of keys) {
      const [segment = '', text, digest] = key.split('-')
      const count = Number(text)
      // Parts of another list are useless: somebody removed the file of this one.
      if (this.#digest(count) === digest) counts.set(segment, Math.max(count, counts.get(segment) ?? 0))
    }
    return counts
  }

  /** Leading addresses to look up for all listed ones among the first `limit`. */
  countForListed(limit: number): number {
    return this.places.reduce((count, place) => (place < limit ? Math.max(count, place + 1) : count), 0)
  }

  /** Rows of the lists whose addresses were looked up, if the first `count` were. */
  counted(count = 0): Int32Array {
    return Int32Array.from(this.places.keys()).filter((row) => this.places[row]! >= 0 && this.places[row]! < count)
  }

  #digest(count: number): string {
    const known = this.#digests.get(count)
    if (known !== undefined) return known
    const digest = hash('sha256', this.words.slice(0, 2 * count)).slice(0, 16)
    this.#digests.set(count, digest)
    return digest
  }
}

/** Each costs 8 bytes and is looked up for each output. */
const maxKnownAddresses = 10 * maxLabelledAddresses

const knownFile = (dataDir: string): string => path.join(dataDir, 'raw', 'label-addresses')

/** Throws `data_folder_damaged`. */
export function readKnownAddresses(dataDir: string, labels?: Labels): KnownAddresses {
  const file = knownFile(dataDir)
  if (!existsSync(file)) return new KnownAddresses(new Uint32Array(), labels)
  const reader = new IntactReader(file)
  try {
    return new KnownAddresses(reader.read(new Uint32Array(2 * Math.ceil(reader.length / 8))), labels)
  } finally {
    reader.close()
  }
}

/** Appends addresses of the current lists. Throws `data_folder_damaged`, `invalid_file` if too many. */
export function addKnownAddresses(dataDir: string, labels: Labels | undefined): KnownAddresses {
  const known = readKnownAddresses(dataDir, labels)
  const added = [...known.places].flatMap((place, i) => (place < 0 ? [labels!.highs[i]!, labels!.lows[i]!] : []))
  if (added.length === 0) return known
  const count = known.count + added.length / 2
  if (count > maxKnownAddresses) {
    const message = `the lists of labels have had ${count} addresses in all; at most ${maxKnownAddresses} are looked up`
    const cure =
      'remove raw/label-addresses and raw/labels: the next update reads all blocks again for the current lists'
    throw new CoinstrataError('invalid_file', message, { cure })
  }
  const words = new Uint32Array(known.words.length + added.length)
  words.set(known.words)
  words.set(added, known.words.length)
  writeIntact(knownFile(dataDir), [words])
  return new KnownAddresses(words, labels)
}

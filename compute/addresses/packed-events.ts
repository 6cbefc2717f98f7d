import { closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { asBytes, copyInto } from '#ingest/chain/bytes.ts'
import { type PartitionEvents, partitions } from './balance-pass.ts'
import { damagedBalances } from './checked-file.ts'
import { sortedPlaces } from './sorted-places.ts'

/**
 * An event in words: the identity; the value, low word first, with type and sign above it; the day
 * above the day of creation.
 */
const eventWords = 5
export const bytesPerEvent = 4 * eventWords
const typeShift = 20
const spentBit = 0x8000_0000

/**
 * Words before the events: number and checksum of those of each partition, the first and last day,
 * and the checksum of all this.
 */
const headerWords = 2 * partitions + 3

/**
 * All outputs that addresses received or spent, as they are stored until they are merged into the
 * balances.
 */
export class PackedEvents {
  #words = new Uint32Array(eventWords * 1024)
  #length = 0
  readonly #counts = new Uint32Array(partitions)
  #firstDay = 0xffff
  #lastDay = 0

  readonly isWanted = (high: number, low: number, sats: number): boolean => sats > 0 && (high | low) !== 0

  /** Unix days. A spent output has negative `sats`. */
  add(day: number, createdDay: number, type: number, high: number, low: number, sats: number): void {
    if (this.#length === this.#words.length) this.#words = copyInto(new Uint32Array(2 * this.#length), this.#words)
    const words = this.#words
    const value = Math.abs(sats)
    words[this.#length++] = high
    words[this.#length++] = low
    words[this.#length++] = value
    words[this.#length++] = value / 2 ** 32 + (type << typeShift) + (sats < 0 ? spentBit : 0)
    words[this.#length++] = (day << 16) + createdDay
    this.#counts[high >>> 28]!++
    if (day < this.#firstDay) this.#firstDay = day
    if (day > this.#lastDay) this.#lastDay = day
  }

  /** The content of a file of events. */
  take(): Uint32Array {
    const file = new Uint32Array(headerWords + this.#length)
    const ends = new Uint32Array(partitions)
    for (let at = headerWords, partition = 0; partition < partitions; partition++) {
      ends[partition] = at
      at += eventWords * this.#counts[partition]!
    }
    for (let at = 0; at < this.#length; at += eventWords) {
      const partition = this.#words[at]! >>> 28
      for (let i = 0; i < eventWords; i++) file[ends[partition]! + i] = this.#words[at + i]!
      ends[partition]! += eventWords
    }
    file.set(this.#counts)
    for (let partition = 0; partition < partitions; partition++) {
      const end = ends[partition]!
      file[partitions + partition] = crc32(asBytes(file.subarray(end - eventWords * this.#counts[partition]!, end)))
    }
    file[headerWords - 3] = this.#firstDay
    file[headerWords - 2] = this.#lastDay
    file[headerWords - 1] = crc32(asBytes(file.subarray(0, headerWords - 1)))
    return file
  }
}

/**
 * Unix days and the number of events of a file. Throws `data_not_ready` if it is damaged, and
 * removes it.
 */
export function describeEvents(file: string): { firstDay: number; lastDay: number; events: number } {
  const descriptor = openSync(file, 'r')
  try {
    const header = readHeader(descriptor, file)
    const events = header.subarray(0, partitions).reduce((sum, count) => sum + count, 0)
    return { firstDay: header.at(-3)!, lastDay: header.at(-2)!, events }
  } finally {
    closeSync(descriptor)
  }
}

function readHeader(descriptor: number, file: string): Uint32Array {
  const header = new Uint32Array(headerWords)
  readSync(descriptor, header, 0, header.byteLength, 0)
  if (crc32(asBytes(header.subarray(0, -1))) !== header.at(-1)) throw damagedBalances(file)
  return header
}

/**
 * Memory that is used again by the next partition: to get it from the system takes a twentieth of
 * the time.
 */
let spareWords = new Uint32Array(0)

/** Returns the words of a partition in all files; others overwrite them. */
function readPacked(files: readonly string[], partition: number): Uint32Array {
  let length = 0
  for (const file of files) {
    const descriptor = openSync(file, 'r')
    try {
      const header = readHeader(descriptor, file)
      const before = header.subarray(0, partition).reduce((sum, count) => sum + count, 0)
      const end = length + eventWords * header[partition]!
      if (end > spareWords.length) spareWords = copyInto(new Uint32Array(2 * end), spareWords.subarray(0, length))
      const words = spareWords.subarray(length, end)
      readSync(descriptor, words, 0, words.byteLength, 4 * (headerWords + eventWords * before))
      if (crc32(asBytes(words)) !== header[partitions + partition]) throw damagedBalances(file)
      length = end
    } finally {
      closeSync(descriptor)
    }
  }
  return spareWords.subarray(0, length)
}

/**
 * Reads the events of a partition from files, those from unix day `from` to `to`. Throws
 * `data_not_ready` for a damaged file, and removes it.
 */
export function readPackedEvents(
  files: readonly string[],
  partition: number,
  { firstDay, from, to }: { readonly firstDay: number; readonly from: number; readonly to: number },
): PartitionEvents {
  const words = readPacked(files, partition)
  const rows = new Uint32Array(words.length / eventWords)
  let count = 0
  for (let row = 0; row < words.length; row += eventWords) {
    const day = words[row + 4]! >>> 16
    if (day >= from && day <= to) rows[count++] = row
  }
  const value = (row: number): number => {
    const high = words[row + 3]!
    const sats = (high & (2 ** typeShift - 1)) * 2 ** 32 + words[row + 2]!
    return high >= spentBit ? -sats : sats
  }
  const compareRows = (one: number, other: number): number =>
    (words[one + 4]! >>> 16) - (words[other + 4]! >>> 16) ||
    words[one]! - words[other]! ||
    words[one + 1]! - words[other + 1]! ||
    (words[one + 4]! & 0xffff) - (words[other + 4]! & 0xffff) ||
    value(one) - value(other)
  // Sums of rounded values depend on the order, so that it must be the same however blocks are
  // spread over files.
  const places = sortedPlaces(
    count,
    (place) => {
      const row = rows[place]!
      return ((words[row + 4]! >>> 16) - from + (words[row]! % 2 ** 28) / 2 ** 28) / (to - from + 1)
    },
    (one, other) => compareRows(rows[one]!, rows[other]!),
  )
  const events = {
    ...{ days: new Int32Array(count), createdDays: new Int32Array(count), types: new Uint8Array(count) },
    ...{ highs: new Uint32Array(count), lows: new Uint32Array(count), sats: new Float64Array(count) },
  }
  for (let i = 0; i < count; i++) {
    const row = rows[places[i]!]!
    const days = words[row + 4]!
    events.days[i] = (days >>> 16) - firstDay
    events.createdDays[i] = (days & 0xffff) - firstDay
    events.types[i] = (words[row + 3]! >>> typeShift) & 15
    events.highs[i] = words[row]!
    events.lows[i] = words[row + 1]!
    events.sats[i] = value(row)
  }
  return { count, ...events }
}

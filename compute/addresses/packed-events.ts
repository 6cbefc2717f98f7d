import { closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { freeMemory } from '#base/free-memory.ts'
import { asBytes, copyInto } from '#ingest/chain/bytes.ts'
import { type PartitionEvents, partitions } from './balance-pass.ts'
import { damagedBalances } from './checked-file.ts'
import { sortedPlaces } from './sorted-places.ts'

/** An event in words: the identity; the value, low word first, with type and sign above it; the day above the day of creation. */
const eventWords = 5
export const bytesPerEvent = 4 * eventWords
const typeShift = 20
const spentBit = 0x8000_0000

/** Words before the events: number and checksum of those of each partition, the first and last day, and the checksum of all this. */
const headerWords = 2 * partitions + 3

/** All outputs that addresses received or spent, as they are stored until they are merged into the balances. */
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

/** Unix days and the number of events of a file. Throws `data_not_ready` if it is damaged, and removes it. */
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

function readPacked(file: string, partition: number): Uint32Array {
  const descriptor = openSync(file, 'r')
  try {
    const header = readHeader(descriptor, file)
    const before = header.subarray(0, partition).reduce((sum, count) => sum + count, 0)
    const words = new Uint32Array(eventWords * header[partition]!)
    readSync(descriptor, words, 0, words.byteLength, 4 * (headerWords + eventWords * before))
    if (crc32(asBytes(words)) !== header[partitions + partition]) throw damagedBalances(file)
    return words
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Reads the events of a partition from files, those from unix day `from` to `to`. Throws `data_not_ready` for a damaged file, and
 * removes it.
 */
export function readPackedEvents(
  files: readonly string[],
  partition: number,
  { firstDay, from, to }: { readonly firstDay: number; readonly from: number; readonly to: number },
): PartitionEvents {
  const packed = files.map((file) => readPacked(file, partition))
  const words = new Uint32Array(packed.reduce((sum, { length }) => sum + length, 0))
  let length = 0
  for (const own of packed) {
    for (let at = 0; at < own.length; at += eventWords) {
      const day = own[at + 4]! >>> 16
      if (day < from || day > to) continue
      for (let i = 0; i < eventWords; i++) words[length++] = own[at + i]!
    }
    freeMemory(own)
  }
  const count = length / eventWords
  const word = (place: number, i: number): number => words[eventWords * place + i]!
  const value = (place: number): number => {
    const high = word(place, 3)
    const sats = (high & (2 ** typeShift - 1)) * 2 ** 32 + word(place, 2)
    return high >= spentBit ? -sats : sats
  }
  // Sums of rounded values depend on the order, so that it must be the same however blocks are spread over files.
  const places = sortedPlaces(
    count,
    (place) => ((word(place, 4) >>> 16) - from + (word(place, 0) % 2 ** 28) / 2 ** 28) / (to - from + 1),
    (one, other) =>
      (word(one, 4) >>> 16) - (word(other, 4) >>> 16) ||
      word(one, 0) - word(other, 0) ||
      word(one, 1) - word(other, 1) ||
      (word(one, 4) & 0xffff) - (word(other, 4) & 0xffff) ||
      value(one) - value(other),
  )
  const events = {
    ...{ days: new Int32Array(count), createdDays: new Int32Array(count), types: new Uint8Array(count) },
    ...{ highs: new Uint32Array(count), lows: new Uint32Array(count), sats: new Float64Array(count) },
  }
  for (let i = 0; i < count; i++) {
    const place = places[i]!
    events.days[i] = (word(place, 4) >>> 16) - firstDay
    events.createdDays[i] = (word(place, 4) & 0xffff) - firstDay
    events.types[i] = (word(place, 3) >>> typeShift) & 15
    events.highs[i] = word(place, 0)
    events.lows[i] = word(place, 1)
    events.sats[i] = value(place)
  }
  return { count, ...events }
}

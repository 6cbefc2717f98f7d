import { copyInto } from '#ingest/chain/bytes.ts'
import { IntactReader } from '#sql/intact-file.ts'
import { eventDay, eventWords } from './address-events.ts'
import { damagedBalances } from './address-files.ts'

/** Addresses are read and replayed in this many parts, by the first bits of their identity. */
export const partitions = 16
export const toPartition = (high: number): number => high >>> 28

/** Number of events per partition, then the last unix day. */
const headerWords = partitions + 1
export const bytesPerEvent = 4 * eventWords

/** Returns the content of an event file: a header, then events by partition. */
export function packEvents(words: Uint32Array): Uint32Array {
  const file = new Uint32Array(headerWords + words.length)
  for (let at = 0; at < words.length; at += eventWords) {
    file[toPartition(words[at]!)]!++
    file[partitions] = Math.max(file[partitions]!, eventDay(words, at))
  }
  const ends = new Uint32Array(partitions)
  for (let partition = 0, at = headerWords; partition < partitions; partition++) {
    ends[partition] = at
    at += eventWords * file[partition]!
  }
  for (let at = 0; at < words.length; at += eventWords) {
    const partition = toPartition(words[at]!)
    for (let i = 0; i < eventWords; i++) file[ends[partition]! + i] = words[at + i]!
    ends[partition]! += eventWords
  }
  return file
}

function withFile<T>(file: string, read: (reader: IntactReader, header: Uint32Array) => T): T {
  const reader = new IntactReader(file, damagedBalances)
  try {
    return read(reader, reader.read(new Uint32Array(headerWords)))
  } finally {
    reader.close()
  }
}

/** Throws `data_not_ready` if the file is damaged. */
export const describeEvents = (file: string): { lastDay: number; events: number } =>
  withFile(file, ({ length }, header) => ({
    lastDay: header[partitions]!,
    events: (length - 4 * headerWords) / bytesPerEvent,
  }))

/** Reused: fresh memory takes 20 times as long. */
let spareWords = new Uint32Array(0)

/**
 * Reads a partition's events from all files, into memory that the next call overwrites. Throws
 * `data_not_ready` if a file is damaged.
 */
export function readPackedEvents(files: readonly string[], partition: number): Uint32Array {
  let length = 0
  for (const file of files) {
    withFile(file, (reader, header) => {
      const before = header.subarray(0, partition).reduce((sum, count) => sum + count, 0)
      const end = length + eventWords * header[partition]!
      if (end > spareWords.length) spareWords = copyInto(new Uint32Array(2 * end), spareWords.subarray(0, length))
      reader.read(spareWords.subarray(length, end), 4 * headerWords + bytesPerEvent * before)
      length = end
    })
  }
  return spareWords.subarray(0, length)
}

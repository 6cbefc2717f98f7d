import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#root/errors.ts'
import { replaceFile } from '#sql/files.ts'
import { headerBytes } from './block.ts'
import { deobfuscate, readObfuscationKey } from './obfuscation.ts'
import { walkRecords } from './records.ts'

/** The block records of one `blkNNNNN.dat`, in the order in which they stand there. */
export interface BlockFileIndex {
  readonly fileNumber: number
  readonly fileBytes: number
  /** Offset of each block in its file. */
  readonly offsets: Uint32Array
  /** Bytes of each block. */
  readonly sizes: Uint32Array
  /** 80 bytes a block. */
  readonly headers: Uint8Array
}

/** The block folder of a node, with what stands in each of its files. */
export interface BlockIndex {
  readonly folder: string
  readonly key: Uint8Array
  readonly files: readonly BlockFileIndex[]
}

export const blockFile = (folder: string, number: number): string => fileName(folder, 'blk', number)
export const undoFile = (folder: string, number: number): string => fileName(folder, 'rev', number)

const fileName = (folder: string, kind: string, number: number): string =>
  path.join(folder, `${kind}${String(number).padStart(5, '0')}.dat`)

/** Files at the end that are read anew each time, since a file's size says nothing about its growth. */
const growingFiles = 2

/** Bytes that a record of the cache takes: offset, size, header. */
const entryBytes = 8 + headerBytes

/**
 * Finds every block in the files of `folder`. What finished files hold is remembered in `cacheFolder`, so that a later
 * run reads only the newest files.
 */
export function readBlockIndex(folder: string, magic: number, cacheFolder: string): BlockIndex {
  const key = readObfuscationKey(folder)
  const numbers = blockFileNumbers(folder)
  if (numbers.length === 0) {
    throw new CoinstrataError('source_not_found', `no blk*.dat files in ${folder}`, {
      cure: "name the node's data directory with --datadir, or its blocks folder with --blocksdir",
    })
  }
  if (numbers[0]! > 0) {
    const first = path.basename(blockFile(folder, numbers[0]!))
    throw new CoinstrataError(
      'pruned',
      `${folder} begins with ${first}: the files before it are gone, as on a pruned node`,
      {
        cure: 'all blocks are needed: use a node without prune, or set prune=0 and let this one download the chain again',
      },
    )
  }
  mkdirSync(cacheFolder, { recursive: true })
  const files = numbers.map((number, i) => {
    const finished = i < numbers.length - growingFiles
    return readFileIndex(folder, number, magic, key, finished ? cacheFolder : undefined)
  })
  return { folder, key, files }
}

function blockFileNumbers(folder: string): number[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (cause) {
    throw unreadable(folder, cause)
  }
  return names
    .map((name) => /^blk(\d{5,})\.dat$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b)
}

function readFileIndex(
  folder: string,
  fileNumber: number,
  magic: number,
  key: Uint8Array,
  cacheFolder: string | undefined,
): BlockFileIndex {
  const file = blockFile(folder, fileNumber)
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (cause) {
    throw unreadable(file, cause)
  }
  try {
    // A file that was repaired from a backup may have its old size and time of modification.
    const { size, ctimeMs } = fstatSync(descriptor)
    const keyHex = Buffer.from(key).toString('hex')
    const fingerprint = JSON.stringify({ version: 2, magic, key: keyHex, bytes: size, changed: ctimeMs })
    const cache = cacheFolder && path.join(cacheFolder, `${path.basename(file, '.dat')}.headers`)
    const cached = cache && readCache(cache, fingerprint)
    const entries = cached || findBlocks(file, descriptor, size, magic, key)
    if (cache && !cached) replaceFile(cache, Buffer.concat([Buffer.from(`${fingerprint}\n`), entries]))
    return { fileNumber, fileBytes: size, ...unpack(entries) }
  } finally {
    closeSync(descriptor)
  }
}

function findBlocks(file: string, descriptor: number, fileBytes: number, magic: number, key: Uint8Array): Buffer {
  let buffer = new Uint8Array(headerBytes)
  const readRaw = (offset: number, length: number): Uint8Array => {
    if (buffer.length < length) buffer = new Uint8Array(length)
    const bytes = buffer.subarray(0, length)
    try {
      readSync(descriptor, bytes, 0, length, offset)
    } catch (cause) {
      throw new CoinstrataError('source_unreadable', `cannot read ${file} at offset ${offset}`, {
        cause,
        cure: 'check the health of the disk, then run again',
      })
    }
    return bytes
  }
  const read = (offset: number, length: number): Uint8Array => {
    const bytes = readRaw(offset, length)
    deobfuscate(bytes, key, offset)
    return bytes
  }
  const entries: Uint8Array[] = []
  for (const { offset, size } of walkRecords(read, fileBytes, magic, 0)) {
    if (size <= headerBytes) continue
    const entry = Buffer.alloc(entryBytes)
    entry.writeUInt32LE(offset, 0)
    entry.writeUInt32LE(size, 4)
    entry.set(readRaw(offset, headerBytes), 8)
    const header = entry.subarray(8)
    // Zeros on disk are space that the node has reserved for a block which it is about to write.
    if (header.every((byte) => byte === 0)) continue
    deobfuscate(header, key, offset)
    entries.push(entry)
  }
  return Buffer.concat(entries)
}

function readCache(cache: string, fingerprint: string): Buffer | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync(cache)
  } catch {
    return undefined
  }
  const end = bytes.indexOf('\n')
  const entries = bytes.subarray(end + 1)
  const same = end > 0 && bytes.toString('utf8', 0, end) === fingerprint && entries.length % entryBytes === 0
  return same ? entries : undefined
}

function unpack(entries: Buffer): Pick<BlockFileIndex, 'offsets' | 'sizes' | 'headers'> {
  const count = entries.length / entryBytes
  const offsets = new Uint32Array(count)
  const sizes = new Uint32Array(count)
  const headers = new Uint8Array(count * headerBytes)
  for (let i = 0; i < count; i++) {
    const at = i * entryBytes
    offsets[i] = entries.readUInt32LE(at)
    sizes[i] = entries.readUInt32LE(at + 4)
    headers.set(entries.subarray(at + 8, at + entryBytes), i * headerBytes)
  }
  return { offsets, sizes, headers }
}

function unreadable(file: string, cause: unknown): CoinstrataError {
  const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
  return missing
    ? new CoinstrataError('source_not_found', `${file} does not exist`, {
        cause,
        cure: "name the node's data directory with --datadir, or its blocks folder with --blocksdir",
      })
    : new CoinstrataError('source_unreadable', `cannot read ${file}`, {
        cause,
        cure: 'run as a user who may read the files of the node (or add this user to its group)',
      })
}

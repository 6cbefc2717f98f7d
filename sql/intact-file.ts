import { hash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { publishFile, replaceFile, unfinishedPath } from './files.ts'

/**
 * Each block of content has its own CRC-32, so that parts of large files can be read and checked.
 */
const blockBytes = 1 << 16
/** File end: content length, CRC-32 of that and of all checksums, mark. */
const tailBytes = 16
const mark = Buffer.from('whol', 'latin1')

/** Writes a file piece by piece under a temporary name; `finish` moves it into place. */
export class IntactWriter {
  readonly #target: string
  readonly #descriptor: number
  readonly #checksums: number[] = []
  #length = 0

  constructor(target: string) {
    this.#target = target
    mkdirSync(path.dirname(target), { recursive: true })
    this.#descriptor = openSync(unfinishedPath(target), 'w')
  }

  write({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength)
    for (let at = 0; at < bytes.length; ) {
      const used = this.#length % blockBytes
      if (used === 0) this.#checksums.push(0)
      const part = bytes.subarray(at, at + blockBytes - used)
      this.#checksums.push(crc32(part, this.#checksums.pop()))
      this.#length += part.length
      at += part.length
    }
    writeFileSync(this.#descriptor, bytes)
  }

  /** Without `sync`, a system crash may lose or damage the file: for reproducible content. */
  finish(sync = true): void {
    const end = Buffer.alloc(4 * this.#checksums.length + tailBytes)
    for (const [block, checksum] of this.#checksums.entries()) end.writeUInt32LE(checksum, 4 * block)
    end.writeDoubleLE(this.#length, end.length - 16)
    end.writeUInt32LE(crc32(end.subarray(0, -8)), end.length - 8)
    mark.copy(end, end.length - 4)
    try {
      writeFileSync(this.#descriptor, end)
    } finally {
      closeSync(this.#descriptor)
    }
    const move = sync ? publishFile : renameSync
    move(unfinishedPath(this.#target), this.#target)
  }

  /** Instead of `finish`. */
  abandon(): void {
    closeSync(this.#descriptor)
  }
}

/** Reads any part of a file of `IntactWriter`, and checks the blocks that it reads. */
export class IntactReader {
  /** Bytes of content. */
  readonly length: number
  readonly #file: string
  readonly #damaged: (file: string) => Error
  readonly #descriptor: number
  readonly #checksums: Buffer
  readonly #block: Uint8Array
  /** Block in `#block`. */
  #loaded = -1
  #position = 0

  /** @param damaged creates the error for a damaged file */
  constructor(file: string, damaged: (file: string) => Error = defaultDamage) {
    this.#file = file
    this.#damaged = damaged
    this.#descriptor = openSync(file, 'r')
    try {
      const { size } = fstatSync(this.#descriptor)
      const tail = this.#readAt(Buffer.alloc(tailBytes), size - tailBytes)
      this.length = tail.readDoubleLE(0)
      const checksumBytes = size - tailBytes - this.length
      if (!tail.subarray(12).equals(mark) || checksumBytes !== 4 * Math.ceil(this.length / blockBytes))
        throw damaged(file)
      this.#checksums = this.#readAt(Buffer.alloc(checksumBytes), this.length)
      if (crc32(tail.subarray(0, 8), crc32(this.#checksums)) !== tail.readUInt32LE(8)) throw damaged(file)
      // Clearing more than a small file needs takes longer than reading it.
      this.#block = new Uint8Array(Math.min(blockBytes, this.length))
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Fills an array from byte `at` on (default: the end of the last read). */
  read<T extends ArrayBufferView>(target: T, at = this.#position): T {
    const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
    this.#position = at + bytes.length
    if (this.#position > this.length) throw this.#damaged(this.#file)
    for (let done = 0; done < bytes.length; ) {
      const block = Math.floor((at + done) / blockBytes)
      const from = at + done - block * blockBytes
      const size = Math.min(blockBytes, this.length - block * blockBytes)
      const count = Math.min(size - from, bytes.length - done)
      if (count === size) this.#load(block, bytes.subarray(done, done + size))
      else {
        if (this.#loaded !== block) this.#load(block, this.#block.subarray(0, size))
        this.#loaded = block
        bytes.set(this.#block.subarray(from, from + count), done)
      }
      done += count
    }
    return target
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #load(block: number, target: Uint8Array): void {
    this.#loaded = -1
    const checksum = crc32(this.#readAt(target, block * blockBytes))
    if (checksum !== this.#checksums.readUInt32LE(4 * block)) throw this.#damaged(this.#file)
  }

  #readAt<T extends Uint8Array>(target: T, position: number): T {
    if (position < 0 || readSync(this.#descriptor, target, 0, target.length, position) < target.length)
      throw this.#damaged(this.#file)
    return target
  }
}

const defaultDamage = (file: string): CoinstrataError =>
  new CoinstrataError('data_folder_damaged', `${file} is damaged: it does not match its checksums`, {
    cure: 'check the disk, remove the file and run "coinstrata update"',
  })

/** Writes a file for `IntactReader` and `readIntact` in one step. */
export function writeIntact(target: string, parts: readonly ArrayBufferView[], sync = true): void {
  const writer = new IntactWriter(target)
  try {
    for (const part of parts) writer.write(part)
  } catch (error) {
    writer.abandon()
    throw error
  }
  writer.finish(sync)
}

/** Whole content of a file, in new memory; `undefined` if missing or damaged. */
export const readIntact = (file: string): Uint8Array<ArrayBuffer> | undefined =>
  tryReading(file, (reader) => reader.read(new Uint8Array(reader.length)))

/** Reads the whole file. */
export const isIntact = (file: string): boolean =>
  tryReading(file, (reader) => {
    const piece = new Uint8Array(Math.min(1 << 20, reader.length))
    for (let left = reader.length; left > 0; left -= piece.length) reader.read(piece.subarray(0, left))
    return true
  }) ?? false

/** Returns `undefined` if the file is missing or damaged. */
function tryReading<T>(file: string, read: (reader: IntactReader) => T): T | undefined {
  if (!existsSync(file)) return undefined
  const damage = new Error(`${file} is damaged`)
  try {
    const reader = new IntactReader(file, () => damage)
    try {
      return read(reader)
    } finally {
      reader.close()
    }
  } catch (error) {
    if (error === damage) return undefined
    throw error
  }
}

/** Formats JSON whose last property is the SHA-256 of the text before it. */
export const formatIntactJson = (content: object): string => withHash(JSON.stringify(content, null, 2).slice(0, -2))

/** @param start JSON of an object without its last line; empty for one without properties */
const withHash = (start: string): string =>
  `${start}${start === '' ? '{' : ','}\n  "sha256": "${hash('sha256', start)}"\n}\n`

const hashCharacters = withHash('').length

/**
 * Throws `Error` if the text is not as `formatIntactJson` made it, `ZodError` if it does not fit.
 */
export function parseIntactJson<T>(text: string, schema: z.ZodType<T>): T {
  const { sha256, ...content } = z.looseObject({ sha256: z.string() }).parse(JSON.parse(text))
  if (withHash(text.slice(0, -hashCharacters)) !== text)
    throw new Error(`its content does not match its SHA-256, ${sha256}`)
  return schema.parse(content)
}

export const writeIntactJson = (target: string, content: object): void => replaceFile(target, formatIntactJson(content))

/**
 * Content of a file of `writeIntactJson`; `undefined` if missing, damaged or of another format.
 * @param onDamage creates an error to throw if damaged or of another format
 */
export function readIntactJson<T>(
  file: string,
  schema: z.ZodType<T>,
  onDamage?: (cause: unknown) => Error,
): T | undefined {
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  try {
    return parseIntactJson(text, schema)
  } catch (cause) {
    if (onDamage) throw onDamage(cause)
    return undefined
  }
}

import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { parseJson } from '#base/parse-json.ts'
import { replaceFile } from '#sql/files.ts'
import { headerBytes } from './block.ts'
import type { BlockRecords } from './block-records.ts'
import { asBytes } from './bytes.ts'

export interface BlockFileState {
  readonly name: string
  readonly bytes: number
  /** Unlike `mtime`, a file restored from a backup cannot have its old value. */
  readonly ctimeMs: number
}

const checksumBytes = 32

/** Offset, size, hash and header, in columns. */
const recordBytes = 4 + 4 + 32 + headerBytes

/**
 * Caches the block records of finished block files, one small file each, so that a nightly run
 * opens no finished block file. An entry consists of a JSON line that identifies the state of the
 * file, the columns, and a checksum. A damaged or outdated entry counts as missing.
 */
export class HeaderCache {
  readonly #folder: string
  #memory = new Uint8Array(0)
  readonly #source: { readonly magic: number; readonly key: string }

  constructor(folder: string, magic: number, key: Uint8Array) {
    this.#folder = folder
    this.#source = { magic, key: Buffer.from(key).toString('hex') }
  }

  read(file: BlockFileState): BlockRecords | undefined {
    return this.#records(this.#readWhole(this.#cacheFile(file)), this.#line(file))
  }

  /** Reads the entry of a file that the node has pruned since. */
  readPruned(name: string): BlockRecords | undefined {
    const bytes = this.#readWhole(this.#cacheFile({ name }))
    const state = stateSchema.safeParse(parseJson(bytes.toString('latin1', 0, bytes.indexOf('\n'))))
    return state.success
      ? this.#records(bytes, this.#line({ bytes: state.data.bytes, ctimeMs: state.data.changed }))
      : undefined
  }

  #records(bytes: Buffer, line: Buffer): BlockRecords | undefined {
    const end = bytes.length - checksumBytes
    const count = (end - line.length) / recordBytes
    const intact =
      Number.isInteger(count) &&
      count >= 0 &&
      line.equals(bytes.subarray(0, line.length)) &&
      sha256(bytes.subarray(0, end)).equals(bytes.subarray(end))
    if (!intact) return undefined
    const column = (from: number, to: number): Uint8Array =>
      new Uint8Array(bytes.buffer, line.length + from * count, (to - from) * count)
    return {
      offsets: toWords(column(0, 4)),
      sizes: toWords(column(4, 8)),
      hashes: column(8, 40),
      headers: column(40, recordBytes),
    }
  }

  write(file: BlockFileState, { offsets, sizes, hashes, headers }: BlockRecords): void {
    const content = Buffer.concat([this.#line(file), asBytes(offsets), asBytes(sizes), hashes, headers])
    replaceFile(this.#cacheFile(file), Buffer.concat([content, sha256(content)]))
  }

  /** Reads into reused memory, which is valid until the next call. A missing file is empty. */
  #readWhole(file: string): Buffer {
    let descriptor: number
    try {
      descriptor = openSync(file, 'r')
    } catch {
      return Buffer.alloc(0)
    }
    try {
      const { size } = fstatSync(descriptor)
      if (this.#memory.length < size) this.#memory = new Uint8Array(2 * size)
      return Buffer.from(this.#memory.buffer, 0, readSync(descriptor, this.#memory, 0, size, 0))
    } finally {
      closeSync(descriptor)
    }
  }

  #cacheFile({ name }: Pick<BlockFileState, 'name'>): string {
    return path.join(this.#folder, `${path.basename(name, '.dat')}.headers`)
  }

  #line({ bytes, ctimeMs }: Omit<BlockFileState, 'name'>): Buffer {
    return Buffer.from(`${JSON.stringify({ version: 3, ...this.#source, bytes, changed: ctimeMs })}\n`)
  }
}

const stateSchema = z.object({ bytes: z.number(), changed: z.number() })

const sha256 = (content: Uint8Array): Buffer => hash('sha256', content, 'buffer')

/** Copies, because words must be aligned. */
const toWords = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.slice().buffer)

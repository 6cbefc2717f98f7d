import path from 'node:path'
import { z } from 'zod'
import { parseJson } from '#base/parse-json.ts'
import { readIntact, writeIntact } from '#sql/intact-file.ts'
import { headerBytes } from './block.ts'
import type { BlockRecords } from './block-records.ts'

export interface BlockFileState {
  readonly name: string
  readonly bytes: number
  /** Unlike `mtime`, a file restored from a backup cannot have its old value. */
  readonly ctimeMs: number
}

/** Offset, size, hash and header, in columns. */
const recordBytes = 4 + 4 + 32 + headerBytes

/**
 * Caches block records of finished block files, one small file each, so a nightly run opens no
 * finished block file. An entry is a line of JSON that identifies the file's state, then the
 * columns. Damaged or outdated entries count as missing.
 */
export class HeaderCache {
  readonly #folder: string
  readonly #source: { readonly magic: number; readonly key: string }

  constructor(folder: string, magic: number, key: Uint8Array) {
    this.#folder = folder
    this.#source = { magic, key: Buffer.from(key).toString('hex') }
  }

  read(file: BlockFileState): BlockRecords | undefined {
    return this.#records(readIntact(this.#cacheFile(file)), this.#line(file))
  }

  /** Reads the entry of a pruned file. */
  readPruned(name: string): BlockRecords | undefined {
    const bytes = readIntact(this.#cacheFile({ name }))
    const line = bytes && Buffer.from(bytes.subarray(0, bytes.indexOf(newline)))
    const state = stateSchema.safeParse(parseJson(line?.toString() ?? ''))
    return state.success
      ? this.#records(bytes, this.#line({ bytes: state.data.bytes, ctimeMs: state.data.changed }))
      : undefined
  }

  #records(bytes: Uint8Array | undefined, line: Buffer): BlockRecords | undefined {
    if (!bytes || !line.equals(bytes.subarray(0, line.length))) return undefined
    const count = (bytes.length - line.length) / recordBytes
    const column = (from: number, to: number): Uint8Array =>
      bytes.subarray(line.length + from * count, line.length + to * count)
    return {
      offsets: toWords(column(0, 4)),
      sizes: toWords(column(4, 8)),
      hashes: column(8, 40),
      headers: column(40, recordBytes),
    }
  }

  write(file: BlockFileState, { offsets, sizes, hashes, headers }: BlockRecords): void {
    writeIntact(this.#cacheFile(file), [this.#line(file), offsets, sizes, hashes, headers])
  }

  #cacheFile({ name }: Pick<BlockFileState, 'name'>): string {
    return path.join(this.#folder, `${path.basename(name, '.dat')}.headers`)
  }

  #line({ bytes, ctimeMs }: Omit<BlockFileState, 'name'>): Buffer {
    return Buffer.from(`${JSON.stringify({ version: 3, ...this.#source, bytes, changed: ctimeMs })}\n`)
  }
}

const newline = 10
const stateSchema = z.object({ bytes: z.number(), changed: z.number() })

/** Copies, because words must be aligned. */
const toWords = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.slice().buffer)

import { cpSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'

interface StoredRecord {
  /** Offset of the record's magic. */
  readonly at: number
  /** Size of the body. */
  readonly offset: number
  readonly size: number
}

/** A node's block or undo file, opened for damage. */
export class CoreFile {
  readonly file: string
  /** The deobfuscated content. */
  bytes: Buffer
  readonly records: StoredRecord[] = []
  readonly #key: Buffer

  constructor(folder: string, name: string) {
    this.file = path.join(folder, name)
    this.#key = readFileSync(path.join(folder, 'xor.dat'))
    this.bytes = this.#turned(readFileSync(this.file))
    const trailerBytes = name.startsWith('rev') ? 32 : 0
    const magic = this.bytes.readUInt32LE(0)
    for (let at = 0; at + 8 < this.bytes.length && this.bytes.readUInt32LE(at) === magic; ) {
      const size = this.bytes.readUInt32LE(at + 4)
      if (at + 8 + size + trailerBytes > this.bytes.length) break
      this.records.push({ at, offset: at + 8, size })
      at += 8 + size + trailerBytes
    }
  }

  /** The record at this index; negative indices count from the end. */
  record(place: number): StoredRecord {
    const record = this.records.at(place)
    if (!record) throw new Error(`${this.file} has ${this.records.length} records`)
    return record
  }

  flipBit(offset: number): void {
    this.bytes[offset]! ^= 0x10
  }

  /** Writes the file back with its old time, as a failing disk does. */
  save(): void {
    const { atime, mtime } = statSync(this.file)
    writeFileSync(this.file, this.#turned(this.bytes))
    utimesSync(this.file, atime, mtime)
  }

  #turned(bytes: Buffer): Buffer {
    return Buffer.from(bytes.map((byte, i) => byte ^ this.#key[i % this.#key.length]!))
  }
}

/** Names of the block files (`blk`) or undo files (`rev`) of a folder, in order. */
export const fileNames = (folder: string, kind: 'blk' | 'rev'): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(kind) && name.endsWith('.dat'))
    .sort()

/** Height of the first block of a block file, if the files hold a chain in order. */
export const firstHeightIn = (folder: string, number: number): number =>
  fileNames(folder, 'blk')
    .slice(0, number)
    .reduce((sum, name) => sum + new CoreFile(folder, name).records.length, 0)

/** Replaces the target with a copy that keeps the times of files. */
export function copyFolder(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}

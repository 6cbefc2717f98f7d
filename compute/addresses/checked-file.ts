import { closeSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { CoinstrataError } from '#base/errors.ts'

/** A file of some folder that was written once, with the CRC-32 of its content. */
export interface CheckedFile {
  readonly name: string
  readonly crc32: number
}

/** Writes a file piece by piece, and syncs it to the disk. */
export class CheckedWriter {
  readonly #name: string
  readonly #descriptor: number
  #checksum = 0

  constructor(folder: string, name: string) {
    this.#name = name
    this.#descriptor = openSync(path.join(folder, name), 'w')
  }

  write({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength)
    this.#checksum = crc32(bytes, this.#checksum)
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at)
  }

  finish(): CheckedFile {
    fsyncSync(this.#descriptor)
    closeSync(this.#descriptor)
    return { name: this.#name, crc32: this.#checksum }
  }
}

/**
 * Reads a file piece by piece. Throws `data_not_ready` at its end if it is damaged, and removes it.
 */
export class CheckedReader {
  readonly #file: string
  readonly #expected: number
  readonly #descriptor: number
  #checksum = 0

  constructor(folder: string, { name, crc32: expected }: CheckedFile) {
    this.#file = path.join(folder, name)
    this.#expected = expected
    this.#descriptor = openSync(this.#file, 'r')
  }

  /** Fills an array, and returns the number of bytes, fewer at the end of the file only. */
  read({ buffer, byteOffset, byteLength }: ArrayBufferView): number {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(this.#descriptor, bytes, length, bytes.length - length, null)
    }
    this.#checksum = crc32(bytes.subarray(0, length), this.#checksum)
    return length
  }

  /** After everything was read. */
  finish(): void {
    closeSync(this.#descriptor)
    if (this.#checksum !== this.#expected) throw damagedBalances(this.#file)
  }
}

/** Removes a damaged file of balances, so that what it was made from is read again. */
export function damagedBalances(file: string, cause?: unknown): CoinstrataError {
  rmSync(file, { force: true })
  return new CoinstrataError('data_not_ready', `the balances of addresses in ${file} are damaged`, {
    cause,
    cure: 'run "coinstrata update", which scans their blocks again',
  })
}

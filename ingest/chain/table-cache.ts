import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { replaceFile } from '#sql/files.ts'
import { BlockTable } from './block-table.ts'
import type { BlockFileState } from './header-cache.ts'

const lengthBytes = 4
const checksumBytes = 32

const headSchema = z.object({
  version: z.literal(1),
  source: z.string(),
  files: z.array(z.tuple([z.int(), z.number(), z.number()])),
  rows: z.int(),
  slots: z.int(),
  unproven: z.int(),
  copies: z.array(z.tuple([z.int(), z.int(), z.int(), z.int()])),
})

/**
 * Stores the block table of old files in its in-memory layout: rebuilding it from the header cache
 * takes ten times as long. A JSON head identifies the block files; a damaged or outdated table
 * counts as missing.
 */
export class TableCache {
  readonly #file: string
  readonly #source: string
  readonly #easiestBits: number

  constructor(folder: string, magic: number, key: Uint8Array, easiestBits: number) {
    this.#file = path.join(folder, 'blocks.table')
    this.#source = `${magic} ${easiestBits} ${Buffer.from(key).toString('hex')}`
    this.#easiestBits = easiestBits
  }

  /**
   * Reads the table, with room for `expected` blocks. `isCurrent` checks if a file is still in the
   * stored state.
   */
  read(
    expected: number,
    isCurrent: (fileNumber: number, state: Pick<BlockFileState, 'bytes' | 'ctimeMs'>) => boolean,
  ): { table: BlockTable; fileNumbers: ReadonlySet<number> } | undefined {
    let descriptor: number
    try {
      descriptor = openSync(this.#file, 'r')
    } catch {
      return undefined
    }
    try {
      const hash = createHash('sha256')
      const fill = (bytes: Uint8Array): void => {
        for (let read = 0; read < bytes.length; ) {
          const more = readSync(descriptor, bytes, read, bytes.length - read, null)
          if (more === 0) throw new RangeError('it ends too early')
          read += more
        }
      }
      const fillHashed = (bytes: Uint8Array): Uint8Array => {
        fill(bytes)
        hash.update(bytes)
        return bytes
      }
      const { size } = fstatSync(descriptor)
      const length = Buffer.from(fillHashed(new Uint8Array(lengthBytes))).readUInt32LE()
      if (length > size) return undefined
      const head = headSchema.parse(JSON.parse(Buffer.from(fillHashed(new Uint8Array(length))).toString()))
      const unchanged = head.files.every(([fileNumber, bytes, ctimeMs]) => isCurrent(fileNumber, { bytes, ctimeMs }))
      if (head.source !== this.#source || !unchanged) return undefined
      const columnBytes = BlockTable.columnBytes(head.rows, head.slots)
      if (size !== lengthBytes + length + columnBytes + checksumBytes) return undefined
      const table = BlockTable.restore(this.#easiestBits, expected, head, fillHashed)
      const checksum = new Uint8Array(checksumBytes)
      fill(checksum)
      if (!hash.digest().equals(checksum)) return undefined
      return { table, fileNumbers: new Set(head.files.map(([fileNumber]) => fileNumber)) }
    } catch (error) {
      if (error instanceof RangeError || error instanceof SyntaxError || error instanceof z.ZodError) return undefined
      throw error
    } finally {
      closeSync(descriptor)
    }
  }

  /** Pruned files have no state. */
  write(table: BlockTable, files: ReadonlyMap<number, BlockFileState | undefined>): void {
    const { columns, ...counts } = table.content
    const head = Buffer.from(
      JSON.stringify({
        version: 1,
        source: this.#source,
        files: [...files].map(([fileNumber, state]) => [fileNumber, state?.bytes ?? -1, state?.ctimeMs ?? -1]),
        ...counts,
      } satisfies z.input<typeof headSchema>),
    )
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt32LE(head.length)
    const parts = [length, head, ...columns]
    const hash = createHash('sha256')
    for (const part of parts) hash.update(part)
    replaceFile(this.#file, ...parts, hash.digest())
  }
}

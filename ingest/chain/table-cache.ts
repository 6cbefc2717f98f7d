import path from 'node:path'
import { z } from 'zod'
import { freeMemory } from '#base/free-memory.ts'
import { parseJson } from '#base/parse-json.ts'
import { readIntact, writeIntact } from '#sql/intact-file.ts'
import { BlockTable } from './block-table.ts'
import type { BlockFileState } from './header-cache.ts'

const newline = 10

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
 * takes ten times as long. A line of JSON identifies the block files; damaged or outdated tables
 * count as missing.
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
    const content = readIntact(this.#file)
    if (!content) return undefined
    let at = content.indexOf(newline) + 1
    const head = headSchema.safeParse(parseJson(Buffer.from(content.subarray(0, at)).toString())).data
    const isUnchanged = head?.files.every(([fileNumber, bytes, ctimeMs]) => isCurrent(fileNumber, { bytes, ctimeMs }))
    if (!head || head.source !== this.#source || !isUnchanged) return undefined
    const table = BlockTable.restore(this.#easiestBits, expected, head, (column) => {
      column.set(content.subarray(at, at + column.length))
      at += column.length
    })
    freeMemory(content)
    return { table, fileNumbers: new Set(head.files.map(([fileNumber]) => fileNumber)) }
  }

  /** Pruned files have no state. */
  write(table: BlockTable, files: ReadonlyMap<number, BlockFileState | undefined>): void {
    const { columns, ...counts } = table.content
    const head: z.input<typeof headSchema> = {
      version: 1,
      source: this.#source,
      files: [...files].map(([fileNumber, state]) => [fileNumber, state?.bytes ?? -1, state?.ctimeMs ?? -1]),
      ...counts,
    }
    writeIntact(this.#file, [Buffer.from(`${JSON.stringify(head)}\n`), ...columns])
  }
}

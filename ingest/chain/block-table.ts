import { headerBytes } from './block.ts'
import type { BlockRecords } from './block-records.ts'
import { asBytes, copyInto, uint32At } from './bytes.ts'
import { hashAt, headerBits, headerTime, previousHashAt } from './header-chain.ts'
import { hasProofOfWork } from './proof-of-work.ts'

export interface BlockLocation {
  readonly fileNumber: number
  readonly offset: number
  readonly size: number
}

export interface TableContent {
  readonly rows: number
  readonly slots: number
  readonly unproven: number
  readonly copies: [row: number, fileNumber: number, offset: number, size: number][]
}

const minCapacity = 1 << 12

/**
 * Blocks and their parents in columns, looked up by hash. A parent that is not stored has a row
 * without a location. A million objects would take a gigabyte and seconds to create.
 */
export class BlockTable {
  rows = 0
  /** Records with invalid proof of work. */
  unproven = 0
  /** 32 bytes a row, in internal byte order. */
  hashes = new Uint8Array(0)
  /** Row of the parent; valid for stored blocks. */
  parents = new Uint32Array(0)
  times = new Uint32Array(0)
  bits = new Uint32Array(0)
  /** Location of the first copy; size 0 if the block is not stored. */
  fileNumbers = new Uint32Array(0)
  offsets = new Uint32Array(0)
  sizes = new Uint32Array(0)
  readonly #furtherCopies = new Map<number, BlockLocation[]>()
  /** Hash table with linear probing by the first bytes of the hash: row + 1; 0 is free. */
  #slots: Uint32Array
  readonly #easiestBits: number

  /** `expected`: approximate number of blocks. */
  constructor(easiestBits: number, expected = 0) {
    const capacity = Math.max(minCapacity, expected)
    this.#easiestBits = easiestBits
    this.#reserve(capacity)
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(1.5 * capacity)))
  }

  get content(): TableContent & { readonly columns: Uint8Array[] } {
    const copies = [...this.#furtherCopies].flatMap(([row, locations]) =>
      locations.map(({ fileNumber, offset, size }): TableContent['copies'][number] => [row, fileNumber, offset, size]),
    )
    const { rows, unproven } = this
    const columns = [...this.#columns(), this.#slots].map(asBytes)
    return { rows, slots: this.#slots.length, unproven, copies, columns }
  }

  /** `fill` writes the columns one by one, in the order of `content`. */
  static restore(
    easiestBits: number,
    expected: number,
    { rows, slots, unproven, copies }: TableContent,
    fill: (bytes: Uint8Array) => void,
  ): BlockTable {
    const table = new BlockTable(easiestBits, Math.max(expected, rows))
    table.rows = rows
    table.unproven = unproven
    for (const column of table.#columns()) fill(asBytes(column))
    const found = new Uint32Array(slots)
    fill(asBytes(found))
    if (slots >= table.#slots.length) table.#slots = found
    else for (let row = 0; row < rows; row++) table.#fillSlot(row)
    for (const [row, fileNumber, offset, size] of copies) table.#addCopy(row, { fileNumber, offset, size })
    return table
  }

  #columns(): (Uint8Array | Uint32Array)[] {
    const { rows, hashes, parents, times, bits, fileNumbers, offsets, sizes } = this
    const words = [parents, times, bits, fileNumbers, offsets, sizes].map((column) => column.subarray(0, rows))
    return [hashes.subarray(0, 32 * rows), ...words]
  }

  add(fileNumber: number, { offsets, sizes, hashes, headers }: BlockRecords): void {
    for (let record = 0; record < offsets.length; record++) {
      const hashAt = 32 * record
      const headerAt = headerBytes * record
      const known = this.findRow(hashes, hashAt)
      if (known !== undefined && this.isStored(known)) {
        this.#addCopy(known, { fileNumber, offset: offsets[record]!, size: sizes[record]! })
        continue
      }
      const bits = headerBits(headers, headerAt)
      if (!hasProofOfWork(bits, this.#easiestBits, hashes, hashAt)) {
        this.unproven++
        continue
      }
      const row = known ?? this.#addRow(hashes, hashAt)
      const parentAt = headerAt + previousHashAt
      const parent = this.findRow(headers, parentAt) ?? this.#addRow(headers, parentAt)
      this.parents[row] = parent
      this.times[row] = headerTime(headers, headerAt)
      this.bits[row] = bits
      this.fileNumbers[row] = fileNumber
      this.offsets[row] = offsets[record]!
      this.sizes[row] = sizes[record]!
    }
  }

  #addCopy(row: number, copy: BlockLocation): void {
    const copies = this.#furtherCopies.get(row)
    if (copies) copies.push(copy)
    else this.#furtherCopies.set(row, [copy])
  }

  isStored(row: number): boolean {
    return this.sizes[row]! > 0
  }

  hash(row: number): Uint8Array {
    return hashAt(this, row)
  }

  copies(row: number): [BlockLocation, ...BlockLocation[]] {
    const first = { fileNumber: this.fileNumbers[row]!, offset: this.offsets[row]!, size: this.sizes[row]! }
    return [first, ...(this.#furtherCopies.get(row) ?? [])]
  }

  findRow(bytes: Uint8Array, at = 0): number | undefined {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = uint32At(bytes, at) & mask; slots[slot]! > 0; slot = (slot + 1) & mask) {
      const row = slots[slot]! - 1
      if (this.#hasHash(row, bytes, at)) return row
    }
    return undefined
  }

  #hasHash(row: number, bytes: Uint8Array, at: number): boolean {
    const { hashes } = this
    const own = 32 * row
    for (let i = 0; i < 32; i++) if (hashes[own + i] !== bytes[at + i]) return false
    return true
  }

  #addRow(bytes: Uint8Array, at: number): number {
    if (this.rows === this.parents.length) this.#grow()
    const row = this.rows++
    const { hashes } = this
    for (let i = 0; i < 32; i++) hashes[32 * row + i] = bytes[at + i]!
    this.#fillSlot(row)
    return row
  }

  #fillSlot(row: number): void {
    const mask = this.#slots.length - 1
    let slot = uint32At(this.hashes, 32 * row) & mask
    while (this.#slots[slot]! > 0) slot = (slot + 1) & mask
    this.#slots[slot] = row + 1
  }

  #reserve(capacity: number): void {
    this.hashes = copyInto(new Uint8Array(32 * capacity), this.hashes)
    this.parents = copyInto(new Uint32Array(capacity), this.parents)
    this.times = copyInto(new Uint32Array(capacity), this.times)
    this.bits = copyInto(new Uint32Array(capacity), this.bits)
    this.fileNumbers = copyInto(new Uint32Array(capacity), this.fileNumbers)
    this.offsets = copyInto(new Uint32Array(capacity), this.offsets)
    this.sizes = copyInto(new Uint32Array(capacity), this.sizes)
  }

  #grow(): void {
    const capacity = Math.ceil(1.5 * this.rows)
    this.#reserve(capacity)
    if (1.5 * capacity <= this.#slots.length) return
    this.#slots = new Uint32Array(2 * this.#slots.length)
    for (let row = 0; row < this.rows; row++) this.#fillSlot(row)
  }
}

import { kindCount } from '#contract/kinds.ts'
import { copyInto } from '#ingest/chain/bytes.ts'
import { carrySats } from '#ingest/chain/decoded-block.ts'

/** Initial kinds per row of a day's outputs. Some hundred occur. */
const minWidth = 128

/**
 * Zeroed cells of an earlier object: mapping fresh memory takes as long as all additions of a unit
 * of full blocks.
 */
let spareCells: Float64Array | undefined

/**
 * Value and number of a day's outputs by row, such as their creation day, and by kind
 * (`contract/kinds.ts`), in pairs. Reused each day: adding an output allocates nothing.
 */
export class KindRows {
  readonly #rows: number
  /**
   * Rows have a pair per kind that occurred, in the order of `#places`, so that they fill few cache
   * lines.
   */
  #width = minWidth
  #cells: Float64Array
  readonly #places = new Int16Array(kindCount).fill(-1)
  #placeCount = 0
  /** Rows and kinds with sums, as one number; may repeat. */
  #touched = new Int32Array(4096)
  #count = 0
  readonly #onRow: (row: number, kind: number, sats: number, outputs: number) => void

  /** @param onRow gets each sum of the day, in parts if too large for a number */
  constructor(rows: number, onRow: (row: number, kind: number, sats: number, outputs: number) => void) {
    this.#rows = rows
    const size = 2 * rows * minWidth
    const isSpare = spareCells?.length === size
    this.#cells = isSpare ? spareCells! : new Float64Array(size)
    if (isSpare) spareCells = undefined
    this.#onRow = onRow
  }

  add(row: number, kind: number, sats: number, outputs: number): void {
    let place = this.#places[kind]!
    if (place < 0) place = this.#addPlace(kind)
    const cells = this.#cells
    const at = 2 * (row * this.#width + place)
    let sum = cells[at]! + sats
    if (sum >= carrySats) {
      this.#take(row, kind)
      sum = sats
    }
    if (cells[at + 1] === 0) this.#touch(row * kindCount + kind)
    cells[at] = sum
    cells[at + 1]! += outputs
  }

  /** Passes the sums of a row to `onRow`, by kind, and clears them. */
  drainRow(row: number): void {
    for (let kind = 0; kind < kindCount; kind++) if (this.#places[kind]! >= 0) this.#take(row, kind)
  }

  /** Passes all sums to `onRow`, by row and kind, and clears them. */
  drain(): void {
    for (const cell of this.#touched.subarray(0, this.#count).sort()) {
      this.#take(Math.floor(cell / kindCount), cell % kindCount)
    }
    this.#count = 0
  }

  /** Call it after the last `drain`: leaves the memory to the next object. */
  close(): void {
    if (this.#width === minWidth) spareCells = this.#cells
  }

  #addPlace(kind: number): number {
    const place = this.#placeCount++
    if (place === this.#width) {
      const wider = new Float64Array(2 * this.#cells.length)
      const row = 2 * this.#width
      for (let at = 0; at < this.#rows * row; at += row) {
        wider.set(this.#cells.subarray(at, at + row), 2 * at)
      }
      this.#cells = wider
      this.#width *= 2
    }
    this.#places[kind] = place
    return place
  }

  #touch(cell: number): void {
    if (this.#count === this.#touched.length) this.#touched = copyInto(new Int32Array(2 * this.#count), this.#touched)
    this.#touched[this.#count++] = cell
  }

  #take(row: number, kind: number): void {
    const cells = this.#cells
    const at = 2 * (row * this.#width + this.#places[kind]!)
    // Already taken. Amounts without outputs are parts of a sum.
    if (cells[at] === 0 && cells[at + 1] === 0) return
    this.#onRow(row, kind, cells[at]!, cells[at + 1]!)
    cells[at] = 0
    cells[at + 1] = 0
  }
}

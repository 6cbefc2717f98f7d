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
 * Value and number of a day's outputs by creation day and kind (`contract/kinds.ts`), in pairs.
 * Reused each day: adding an output allocates nothing.
 */
export class KindRows {
  readonly #days: number
  /**
   * Rows have a pair per kind that occurred, in the order of `#places`, so that they fill few cache
   * lines.
   */
  #width = minWidth
  #cells: Float64Array
  readonly #places = new Int16Array(kindCount).fill(-1)
  #placeCount = 0
  /** Creation days and kinds with sums, as one number; may repeat. */
  #touched = new Int32Array(4096)
  #count = 0
  readonly #onRow: (createdDay: number, kind: number, sats: number, outputs: number) => void

  /** @param onRow gets each sum of the day, in parts if too large for a number */
  constructor(days: number, onRow: (createdDay: number, kind: number, sats: number, outputs: number) => void) {
    this.#days = days
    const size = 2 * days * minWidth
    const isSpare = spareCells?.length === size
    this.#cells = isSpare ? spareCells! : new Float64Array(size)
    if (isSpare) spareCells = undefined
    this.#onRow = onRow
  }

  add(createdDay: number, kind: number, sats: number, outputs: number): void {
    let place = this.#places[kind]!
    if (place < 0) place = this.#addPlace(kind)
    const cells = this.#cells
    const at = 2 * (createdDay * this.#width + place)
    if (cells[at + 1] === 0) this.#touch(createdDay * kindCount + kind)
    const sum = cells[at]! + sats
    cells[at] = sum
    cells[at + 1]! += outputs
    if (sum >= carrySats) this.#take(createdDay, kind)
  }

  /** Passes all sums to `onRow`, by creation day and kind, and clears them. */
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
      for (let day = 0; day < this.#days; day++) {
        wider.set(this.#cells.subarray(day * row, (day + 1) * row), 2 * day * row)
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

  #take(createdDay: number, kind: number): void {
    const cells = this.#cells
    const at = 2 * (createdDay * this.#width + this.#places[kind]!)
    // Already taken. Amounts without outputs are parts of a sum.
    if (cells[at] === 0 && cells[at + 1] === 0) return
    this.#onRow(createdDay, kind, cells[at]!, cells[at + 1]!)
    cells[at] = 0
    cells[at + 1] = 0
  }
}

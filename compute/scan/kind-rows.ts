import { kindCount } from '#contract/kinds.ts'
import { carrySats } from '#ingest/chain/decoded-block.ts'

/**
 * Value and number of outputs of a day by creation day and kind (`contract/kinds.ts`), in pairs. The object is reused for every
 * day, so that adding an output allocates nothing.
 */
export class KindRows {
  readonly #cells: Float64Array
  /** Cells with sums; a cell may be listed twice. */
  #touched = new Int32Array(4096)
  #count = 0
  readonly #onRow: (createdDay: number, kind: number, sats: number, outputs: number) => void

  /** `onRow` gets each cell of the day, in parts if its sum is too large for a number. */
  constructor(days: number, onRow: (createdDay: number, kind: number, sats: number, outputs: number) => void) {
    this.#cells = new Float64Array(2 * days * kindCount)
    this.#onRow = onRow
  }

  add(createdDay: number, kind: number, sats: number, outputs: number): void {
    const cells = this.#cells
    const at = 2 * (createdDay * kindCount + kind)
    if (cells[at + 1] === 0) this.#touch(at)
    const sum = cells[at]! + sats
    cells[at] = sum
    cells[at + 1]! += outputs
    if (sum >= carrySats) this.#take(at)
  }

  /** Passes all cells with outputs to `onRow`, by creation day and kind, and clears them. */
  drain(): void {
    for (const at of this.#touched.subarray(0, this.#count).sort()) if (this.#cells[at + 1]! > 0) this.#take(at)
    this.#count = 0
  }

  #touch(at: number): void {
    if (this.#count === this.#touched.length) {
      const larger = new Int32Array(2 * this.#count)
      larger.set(this.#touched)
      this.#touched = larger
    }
    this.#touched[this.#count++] = at
  }

  #take(at: number): void {
    const cells = this.#cells
    const cell = at / 2
    this.#onRow(Math.floor(cell / kindCount), cell % kindCount, cells[at]!, cells[at + 1]!)
    cells[at] = 0
    cells[at + 1] = 0
  }
}

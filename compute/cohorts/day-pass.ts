/**
 * Called after each day with the unspent amounts by creation day. Days count from the first; the
 * arrays are reused.
 */
export type DayListener = (day: number, unspentSats: Float64Array, unspentOutputs: Float64Array) => void

/** One pass over all days with arrays of the unspent coins. Days count from the first. */
export abstract class DayPass {
  protected readonly unspentSats: Float64Array
  protected readonly unspentOutputs: Float64Array
  protected day = -1
  readonly #days: number
  readonly #onDayClosed: DayListener
  #isOpen = false

  /** @param width array elements per creation day */
  constructor(days: number, width: number, onDayClosed: DayListener) {
    this.unspentSats = new Float64Array(days * width)
    this.unspentOutputs = new Float64Array(days * width)
    this.#days = days
    this.#onDayClosed = onDayClosed
  }

  protected abstract openDay(): void
  protected abstract closeDay(): void

  /**
   * Continues after `day` with the amounts unspent then. The caller fills the columns up to that
   * day.
   */
  startAfter(day: number, unspentSats: Float64Array, unspentOutputs: Float64Array): void {
    this.day = day
    this.unspentSats.set(unspentSats)
    this.unspentOutputs.set(unspentOutputs)
  }

  finish(): void {
    while (this.day < this.#days) this.nextDay()
  }

  protected nextDay(): void {
    if (this.#isOpen) {
      this.closeDay()
      this.#onDayClosed(this.day, this.unspentSats, this.unspentOutputs)
    }
    this.day++
    this.#isOpen = this.day < this.#days
    if (this.#isOpen) this.openDay()
  }
}

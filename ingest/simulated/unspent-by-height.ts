import type { Random } from './random.ts'
import { drawLifetime } from './spending.ts'

/** Heights tried below a drawn one, before another is drawn. */
const reach = 64

/** Unspent outputs by height: as much of a UTXO set as random inputs need. */
export class UnspentByHeight {
  readonly #counts: Uint32Array
  readonly #sats: Float64Array

  constructor(heights: number) {
    this.#counts = new Uint32Array(heights)
    this.#sats = new Float64Array(heights)
  }

  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  get sats(): number {
    return this.#sats.reduce((sum, sats) => sum + sats, 0)
  }

  add(height: number, count: number, sats: number): void {
    this.#counts[height]! += count
    this.#sats[height]! += sats
  }

  /** Returns the creation height of a spent output, drawn from a realistic distribution of ages. */
  take(random: Random, height: number, sats: number): number {
    for (let attempt = 0; attempt < 100; attempt++) {
      const age = Math.max(1, drawLifetime(random))
      for (let from = height - age; from > Math.max(0, height - age - reach); from--) {
        if (this.#spend(from, sats)) return from
      }
    }
    for (let from = 1; from < height; from++) if (this.#spend(from, sats)) return from
    throw new RangeError(`no output of ${sats} sat is left at height ${height}`)
  }

  /** The last output of a height must take the whole remainder. */
  #spend(height: number, sats: number): boolean {
    const count = this.#counts[height]!
    const left = this.#sats[height]!
    if (count === 0 || left < sats || (count === 1 && left > sats)) return false
    this.#counts[height] = count - 1
    this.#sats[height] = left - sats
    return true
  }
}

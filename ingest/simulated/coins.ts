import type { OutputType } from './output-scripts.ts'
import type { Random } from './random.ts'
import type { SpentOutput } from './undo-record.ts'

export interface Coin extends SpentOutput {
  readonly txid: Uint8Array
  readonly index: number
  readonly type: OutputType
}

interface DormantCoin {
  readonly coin: Coin
  readonly dueHeight: number
}

/** About a year: minimum age of dormant coins. */
const dormantBlocks = 1075

/** The simulated UTXO set, by height at which each output will be spent. */
export class Coins {
  #due = new Map<number, Coin[]>()
  #dormant: DormantCoin[] = []
  #spentEarly = new Set<Coin>()

  /** `dueHeight`: Infinity if never spent. */
  add(coin: Coin, dueHeight: number): void {
    if (dueHeight === Number.POSITIVE_INFINITY) return
    const due = this.#due.get(dueHeight)
    if (due) due.push(coin)
    else this.#due.set(dueHeight, [coin])
    if (dueHeight - coin.height > dormantBlocks) this.#dormant.push({ coin, dueHeight })
  }

  spendDue(height: number): Coin[] {
    const due = (this.#due.get(height) ?? []).filter((coin) => !this.#spentEarly.delete(coin))
    this.#due.delete(height)
    return due
  }

  /** Spends coins early, each with the given probability. */
  spendDormant(random: Random, height: number, probability: number): Coin[] {
    const tries = random.count(probability * this.#dormant.length)
    const spent: Coin[] = []
    for (let i = 0; i < tries; i++) {
      const { coin, dueHeight } = random.pick(this.#dormant)
      if (dueHeight <= height || coin.height > height - dormantBlocks || this.#spentEarly.has(coin)) continue
      this.#spentEarly.add(coin)
      spent.push(coin)
    }
    if (height % dormantBlocks === 0) {
      this.#dormant = this.#dormant.filter(
        (dormant) => dormant.dueHeight > height && !this.#spentEarly.has(dormant.coin),
      )
    }
    return spent
  }
}

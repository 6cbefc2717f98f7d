import type { OutputType } from './output-scripts.ts'
import type { Random } from './random.ts'
import type { SpentOutput } from './undo-record.ts'

/** An unspent output, with what is needed to spend it. */
export interface Coin extends SpentOutput {
  /** Transaction id in protocol order. */
  readonly txid: Uint8Array
  readonly index: number
  readonly type: OutputType
}

/** An output that its owners mean to keep for some time, and may spend early. */
interface DormantCoin {
  readonly coin: Coin
  readonly dueHeight: number
}

/** Blocks a coin is kept to count as dormant: about a year. */
const dormantBlocks = 1075

/** The UTXO set of the simulated chain, by the height at which each output is going to be spent. */
export class Coins {
  #due = new Map<number, Coin[]>()
  #dormant: DormantCoin[] = []
  #spentEarly = new Set<Coin>()
  count = 0
  sats = 0

  /** @param dueHeight Infinity for a coin that is never spent */
  add(coin: Coin, dueHeight: number): void {
    this.count++
    this.sats += coin.sats
    if (dueHeight === Number.POSITIVE_INFINITY) return
    const due = this.#due.get(dueHeight)
    if (due === undefined) this.#due.set(dueHeight, [coin])
    else due.push(coin)
    if (dueHeight - coin.height > dormantBlocks) this.#dormant.push({ coin, dueHeight })
  }

  /** Takes the coins whose time has come at `height`. */
  takeDue(height: number): Coin[] {
    const due = (this.#due.get(height) ?? []).filter((coin) => !this.#spentEarly.delete(coin))
    this.#due.delete(height)
    return this.#taken(due)
  }

  /** Takes dormant coins before their time, each with the given probability. */
  takeDormant(random: Random, height: number, probability: number): Coin[] {
    const tries = random.rounded(probability * this.#dormant.length)
    const taken: Coin[] = []
    for (let i = 0; i < tries; i++) {
      const { coin, dueHeight } = random.pick(this.#dormant)
      if (dueHeight <= height || coin.height > height - dormantBlocks || this.#spentEarly.has(coin)) continue
      this.#spentEarly.add(coin)
      taken.push(coin)
    }
    if (height % dormantBlocks === 0) {
      this.#dormant = this.#dormant.filter((kept) => kept.dueHeight > height && !this.#spentEarly.has(kept.coin))
    }
    return this.#taken(taken)
  }

  #taken(coins: Coin[]): Coin[] {
    for (const coin of coins) {
      this.count--
      this.sats -= coin.sats
    }
    return coins
  }
}

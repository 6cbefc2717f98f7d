import { Transaction } from 'bitcoinjs-lib'
import { z } from 'zod'
import type { TestNode } from './bitcoind.ts'
import {
  buildTransaction,
  type Coin,
  type KeyedLock,
  keyedLocks,
  openLocks,
  openScript,
  opensWithoutKey,
  type Payment,
  type Spending,
  spending,
} from './coins.ts'
import type { Random } from './random.ts'

const signedSchema = z.object({ hex: z.hex(), complete: z.literal(true) })

/**
 * Creates random transactions: all script types, chains within one block, OP_RETURN, oversize
 * scripts, zero amounts.
 */
export class TransactionMaker {
  readonly #node: TestNode
  readonly #keyedScripts: Readonly<Record<KeyedLock, Uint8Array>>
  readonly #random: Random

  constructor(node: TestNode, keyedScripts: Readonly<Record<KeyedLock, Uint8Array>>, random: Random) {
    this.#node = node
    this.#keyedScripts = keyedScripts
    this.#random = random
  }

  /** Up to `count` transactions in a valid order for a block at `height`. */
  async transactions(count: number, spendable: readonly Coin[], height: number): Promise<Spending[]> {
    const open = spendable.filter(opensWithoutKey)
    const keyed = spendable.filter((coin) => !opensWithoutKey(coin))
    const made: Spending[] = []
    while (made.length < count) {
      const isKeyed = this.#random.next() < 0.15 && keyed.length > 0
      const pool = isKeyed ? keyed : open
      const coins = this.#takeCoins(pool, this.#random.between(1, 4))
      if (coins.length === 0) return made
      const payments = this.#payments(coins.reduce((sum, { sats }) => sum + sats, 0))
      const unsigned = buildTransaction(coins, payments)
      const transaction = isKeyed ? await this.#sign(unsigned) : unsigned
      const next = spending(transaction, coins, payments, height)
      made.push(next)
      // New outputs are often spent in the same block.
      if (this.#random.next() < 0.4) open.push(...next.made.filter(opensWithoutKey))
    }
    return made
  }

  /** Two coins without a key, of different amounts and ages, the richer one first. */
  twoCoins(spendable: readonly Coin[]): [richer: Coin, poorer: Coin] {
    const coins = spendable.filter((coin) => opensWithoutKey(coin) && coin.sats > 10_000)
    const richer = coins.reduce((best, coin) => (coin.sats > best.sats ? coin : best))
    const poorer = coins.find(({ sats, height }) => sats < richer.sats && height !== richer.height)
    if (!poorer) throw new Error('no two coins of different amounts and ages')
    return [richer, poorer]
  }

  #takeCoins(pool: Coin[], count: number): Coin[] {
    const coins: Coin[] = []
    for (let i = 0; i < count; i++) {
      // A third of the coins are the newest, so that ages are young as well as old.
      const coin = this.#random.next() < 0.33 ? pool.pop() : this.#random.take(pool)
      if (coin) coins.push(coin)
    }
    return coins
  }

  #payments(totalSats: number): Payment[] {
    const unspendable = this.#unspendable(Math.min(totalSats, 5_000))
    let rest = totalSats - unspendable.reduce((sum, { sats }) => sum + sats, 0)
    rest -= Math.min(rest, this.#random.between(0, 3_000))
    const payments: Payment[] = []
    for (let left = this.#random.between(1, 5); left > 0; left--) {
      const isZero = this.#random.next() < 0.02
      const sats = isZero ? 0 : left === 1 ? rest : Math.floor(rest * this.#random.next())
      rest -= sats
      payments.push({ ...this.#target(), sats })
    }
    return [...payments, ...unspendable]
  }

  #target(): Pick<Payment, 'script' | 'lock'> {
    if (this.#random.next() < 0.3) {
      const lock = this.#random.pick(keyedLocks)
      return { lock, script: this.#keyedScripts[lock] }
    }
    const lock = this.#random.pick(openLocks)
    return { lock, script: openScript(lock) }
  }

  /** Some outputs are unspendable, or with exactly 10,000 bytes just barely spendable. */
  #unspendable(budgetSats: number): Payment[] {
    const kind = this.#random.next()
    const sats = this.#random.between(0, budgetSats)
    if (kind < 0.05) return [{ script: opReturn(40), sats: 0, lock: undefined }]
    if (kind < 0.1) return [{ script: opReturn(1), sats, lock: undefined }]
    if (kind < 0.102) return [{ script: opReturn(10_001), sats, lock: undefined }]
    if (kind < 0.105) return [{ script: new Uint8Array(10_001), sats, lock: undefined }]
    if (kind < 0.115) return [{ script: offCurveKey, sats, lock: undefined }]
    if (kind < 0.118) return [{ script: new Uint8Array(10_000), sats, lock: undefined }]
    return []
  }

  async #sign(unsigned: Transaction): Promise<Transaction> {
    const { hex } = await this.#node.rpc('signrawtransactionwithwallet', [unsigned.toHex()], signedSchema)
    return Transaction.fromHex(hex)
  }
}

/**
 * Pays to a public key of 65 bytes that is no point of the curve, which the node cannot compress.
 */
const offCurveKey = Uint8Array.of(65, 4, ...new Uint8Array(64), 0xac)

/** OP_RETURN and bytes that push nothing, `length` bytes in total. */
function opReturn(length: number): Uint8Array {
  const script = new Uint8Array(length)
  script[0] = 0x6a
  return script
}

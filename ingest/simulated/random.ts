import { createCipheriv, hash } from 'node:crypto'

const digest = Buffer.alloc(32)

/**
 * Seeded random numbers (sfc32). Each (seed, purpose, index) has its own stream, so a block is
 * independent of the number of blocks.
 */
export class Random {
  readonly #state = new Uint32Array(4)

  constructor(seed: number, purpose: string, index = 0) {
    digest.write(hash('sha256', `${seed}/${purpose}/${index}`, 'binary'), 'binary')
    for (let i = 0; i < 4; i++) this.#state[i] = digest.readUInt32LE(4 * i)
  }

  /** Uniform in [0, 1). */
  next(): number {
    const state = this.#state
    const sum = (state[0]! + state[1]! + state[3]!) >>> 0
    state[3]!++
    state[0] = state[1]! ^ (state[1]! >>> 9)
    state[1] = state[2]! + (state[2]! << 3)
    state[2] = ((state[2]! << 21) | (state[2]! >>> 11)) + sum
    return sum / 2 ** 32
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next()
  }

  integer(count: number): number {
    return Math.floor(this.next() * count)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next())
  }

  /** Rounds `mean` up or down at random, without bias. */
  count(mean: number): number {
    const whole = Math.floor(mean)
    return whole + (this.chance(mean - whole) ? 1 : 0)
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.integer(items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }
}

const poolBytes = 2 ** 20

/** Bytes for keys, hashes and signatures: views into one pool, never to be modified. */
export class RandomBytes {
  readonly #pool: Uint8Array

  constructor(seed: number) {
    const key = hash('sha256', `${seed}/bytes`, 'buffer')
    this.#pool = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(poolBytes))
  }

  take(random: Random, length: number): Uint8Array {
    const start = random.integer(poolBytes - length)
    return this.#pool.subarray(start, start + length)
  }
}

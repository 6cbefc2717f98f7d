import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { FairQueue } from '#limits/fair-queue.ts'
import { LimitError } from '#limits/limiter.ts'

export interface PasswordCost {
  /** In KiB. */
  readonly memory: number
  readonly passes: number
  /** Minimum duration of signing in, which hides whether an account exists. */
  readonly minTimeMs: number
}

/** OWASP's Password Storage Cheat Sheet for argon2id: 19 MiB, two passes, one lane. */
const defaultCost: PasswordCost = { memory: 19_456, passes: 2, minTimeMs: 350 }
const queueLimits = { concurrency: 2, maxWaitMs: 5_000 }
const expectedMs = 70
const saltBytes = 16
const keyBytes = 32
const hashPattern = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([\w+/]+)\$([\w+/]+)$/

/** Hashes with argon2id, a few at a time; callers take turns. */
export class Passwords {
  readonly #cost: PasswordCost
  readonly #queue = new FairQueue(queueLimits, signInOverloaded)

  constructor(cost = defaultCost) {
    this.#cost = cost
  }

  /** Returns a salted hash in PHC string format. */
  async hash(password: string, caller: string): Promise<string> {
    const { memory, passes } = this.#cost
    const salt = randomBytes(saltBytes)
    const key = await this.#queue.run(caller, expectedMs, () => deriveArgon2(password, salt, memory, passes))
    return `$argon2id$v=19$m=${memory},t=${passes},p=1$${encode(salt)}$${encode(key)}`
  }

  /** Takes as long without a stored hash, so that timing does not reveal accounts. */
  async verify(password: string, stored: string | undefined, caller: string): Promise<boolean> {
    const [, memory, passes, salt = '', expected = ''] = hashPattern.exec(stored ?? this.#decoyHash()) ?? []
    const key = await this.#queue.run(caller, expectedMs, () =>
      deriveArgon2(password, decode(salt), Number(memory), Number(passes)),
    )
    return timingSafeEqual(key, decode(expected)) && stored !== undefined
  }

  async inConstantTime<T>(work: () => Promise<T>): Promise<T> {
    const minTime = setTimeout(this.#cost.minTimeMs)
    try {
      return await work()
    } finally {
      await minTime
    }
  }

  #decoyHash(): string {
    const { memory, passes } = this.#cost
    return `$argon2id$v=19$m=${memory},t=${passes},p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
  }
}

function deriveArgon2(password: string, nonce: Buffer, memory: number, passes: number): Promise<Buffer> {
  // Keyboards encode the same character in several ways.
  const message = password.normalize('NFKC')
  const parameters = { message, nonce, parallelism: 1, tagLength: keyBytes, memory, passes }
  return promisify(argon2)('argon2id', parameters)
}

// Base64 without padding, as in PHC strings.
const encode = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
const decode = (text: string): Buffer => Buffer.from(text, 'base64')

const signInOverloaded = (seconds: number): LimitError =>
  new LimitError(
    'sign_in_overloaded',
    `too many people are signing in right now; try again in ${seconds} seconds`,
    seconds,
  )

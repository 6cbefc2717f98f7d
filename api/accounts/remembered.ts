import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Soon } from '../soon.ts'
import { isUnavailable } from './statements.ts'

interface Entry<T> {
  readonly value: T
  readonly readAt: number
}

/** Milliseconds for which what was found holds on while the database cannot be asked. */
export const heldFor = 600_000
/** Milliseconds that a request waits for the database where it is known who sends it. */
const patience = 100
const mostRemembered = 10_000

/**
 * Who was found to call by a key, cookie or token, so that no request of somebody known waits for the database. After half of
 * `rememberedFor` it is looked up again beside the answer, after all of it before; where the database does not answer soon, what was found
 * holds on for ten minutes. What is unknown is looked up each time.
 */
export class Remembered<T extends object> {
  readonly #find: (secret: string) => Promise<T | undefined>
  readonly #rememberedFor: number
  readonly #entries = new LRUCache<string, Entry<T>>({ max: mostRemembered })
  readonly #underWay = new Map<string, { readonly read: Promise<T | undefined>; readonly since: number }>()

  /** `find` throws `accounts_unavailable` where it cannot tell. */
  constructor(find: (secret: string) => Promise<T | undefined>, rememberedFor: number) {
    this.#find = find
    this.#rememberedFor = rememberedFor
  }

  /** Throws `accounts_unavailable`. */
  find(secret: string, now = Date.now()): Soon<T | undefined> {
    const entry = this.#entries.get(secret)
    // A clock that was set back tells nothing.
    const age = entry && now >= entry.readAt ? now - entry.readAt : Number.POSITIVE_INFINITY
    if (!entry || age >= heldFor) return this.#read(secret)
    if (age >= this.#rememberedFor) return this.#readOrHold(secret, entry)
    // Should this fail, who has to wait for it is told.
    if (age >= this.#rememberedFor / 2) this.#read(secret).catch(() => undefined)
    return entry.value
  }

  /** Looks everybody up again: something was changed here. */
  forget(): void {
    this.#entries.clear()
    // What is on its way may be what was.
    this.#underWay.clear()
  }

  #readOrHold(secret: string, { value }: Entry<T>): Soon<T | undefined> {
    const since = this.#underWay.get(secret)?.since
    if (since !== undefined && performance.now() - since >= patience) return value
    return this.#readWithin(patience, secret, value)
  }

  async #readWithin(time: number, secret: string, otherwise: T): Promise<T | undefined> {
    const stop = new AbortController()
    try {
      return await Promise.race([this.#read(secret), setTimeout(time, otherwise, { signal: stop.signal })])
    } catch (error) {
      if (isUnavailable(error)) return otherwise
      throw error
    } finally {
      stop.abort()
    }
  }

  #read(secret: string): Promise<T | undefined> {
    const known = this.#underWay.get(secret)?.read
    if (known !== undefined) return known
    const readAt = Date.now()
    const read = this.#find(secret)
      .then((value) => {
        if (this.#underWay.get(secret)?.read !== read) return value
        if (value === undefined) this.#entries.delete(secret)
        else this.#entries.set(secret, { value, readAt })
        return value
      })
      .finally(() => {
        if (this.#underWay.get(secret)?.read === read) this.#underWay.delete(secret)
      })
    this.#underWay.set(secret, { read, since: performance.now() })
    return read
  }
}

import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Soon } from '#base/debounce.ts'
import type { Logger } from '#base/log.ts'
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

/** How somebody is found by a secret, and where its use is noted. */
interface Lookup<T> {
  /** Throws `accounts_unavailable` where it cannot tell. */
  readonly find: (secret: string) => Promise<T | undefined>
  readonly rememberedFor: number
  /** How exactly `last_used_at` is kept, in milliseconds. */
  readonly usePrecision: number
  readonly saveUse: (found: T, now: number) => Promise<unknown>
  /** For the log. */
  readonly nameOf: (found: T) => string
  readonly log: Logger | undefined
}

/**
 * Who was found to call by a key, cookie or token, so that no request of somebody known waits for the database. After half of
 * `rememberedFor` it is looked up again beside the answer, after all of it before; where the database does not answer soon, what was found
 * holds on for ten minutes. What is unknown is looked up each time.
 */
export class Remembered<T extends { last_used_at: number | null }> {
  readonly #lookup: Lookup<T>
  #kept: LRUCache<string, Entry<T>> | undefined
  readonly #underWay = new Map<string, { readonly read: Promise<T | undefined>; readonly since: number }>()

  constructor(lookup: Lookup<T>) {
    this.#lookup = lookup
  }

  /** Places for all take some milliseconds to make: commands look up nobody. */
  get #entries(): LRUCache<string, Entry<T>> {
    this.#kept ??= new LRUCache({ max: mostRemembered })
    return this.#kept
  }

  /** Throws `accounts_unavailable`. */
  find(secret: string, now = Date.now()): Soon<T | undefined> {
    const entry = this.#entries.get(secret)
    // A clock that was set back tells nothing.
    const age = entry && now >= entry.readAt ? now - entry.readAt : Number.POSITIVE_INFINITY
    if (!entry || age >= heldFor) return this.#read(secret)
    const { rememberedFor } = this.#lookup
    if (age >= rememberedFor) return this.#readOrHold(secret, entry)
    // Should this fail, who has to wait for it is told.
    if (age >= rememberedFor / 2) this.#read(secret).catch(() => undefined)
    return entry.value
  }

  /** A full disk or a database that is away is no reason to refuse somebody. */
  noteUse(found: T, now: number): void {
    const { usePrecision, saveUse, nameOf, log } = this.#lookup
    if (now - (found.last_used_at ?? 0) < usePrecision) return
    found.last_used_at = now
    saveUse(found, now).catch((err: unknown) => log?.error({ err }, `the last use of ${nameOf(found)} cannot be saved`))
  }

  /** Looks everybody up again: something was changed here. */
  forget(): void {
    this.#kept?.clear()
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
    const read = this.#lookup
      .find(secret)
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

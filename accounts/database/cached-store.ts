import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Logger } from '#base/log.ts'
import type { MaybePromise } from '#base/maybe-promise.ts'
import { type AccountsDatabase, isUnavailable, Store } from './statements.ts'

interface Entry<T> {
  readonly value: T
  readonly readAt: number
}

const maxStaleMs = 600_000
const maxWaitMs = 100
const maxEntries = 10_000

/**
 * Cache of keys, sessions or tokens by secret, so that requests of known callers do not wait for
 * the database. An entry is refreshed in the background after half of `cacheMs`, before use after
 * all of it. If the database does not answer within `maxWaitMs`, the old entry is used, for up to
 * `maxStaleMs`. Unknown secrets are not cached.
 */
export abstract class CachedStore<T extends { last_used_at: number | null }> extends Store {
  protected readonly usePrecisionMs: number = 60_000
  readonly #log: Logger | undefined
  #cache: LRUCache<string, Entry<T>> | undefined
  readonly #pending = new Map<string, { readonly read: Promise<T | undefined>; readonly since: number }>()

  constructor(database: AccountsDatabase, log?: Logger) {
    super(database)
    this.#log = log
  }

  /** Throws `accounts_unavailable`. */
  protected abstract read(secret: string): Promise<T | undefined>
  protected abstract saveUse(found: T, now: number): Promise<unknown>
  protected abstract describeForLog(found: T): string

  protected get cacheMs(): number {
    return this.database.cacheMs
  }

  /** Created on first use: allocating it takes milliseconds, and commands do not need it. */
  get #entries(): LRUCache<string, Entry<T>> {
    this.#cache ??= new LRUCache({ max: maxEntries })
    return this.#cache
  }

  /** Throws `accounts_unavailable`. */
  protected findCached(secret: string, now = Date.now()): MaybePromise<T | undefined> {
    const entry = this.#entries.get(secret)
    // If the clock was set back, the age is unknown.
    const age = entry && now >= entry.readAt ? now - entry.readAt : Number.POSITIVE_INFINITY
    if (!entry || age >= maxStaleMs) return this.#read(secret)
    const { cacheMs } = this
    if (age >= cacheMs) return this.#readOrStale(secret, entry)
    // A failure is reported to the request that must wait for it.
    if (age >= cacheMs / 2) this.#read(secret).catch(() => undefined)
    return entry.value
  }

  /** Only logs failures, so that no request is refused. */
  protected recordUse(found: T, now: number): void {
    if (now - (found.last_used_at ?? 0) < this.usePrecisionMs) return
    found.last_used_at = now
    this.saveUse(found, now).catch((err: unknown) =>
      this.#log?.error({ err }, `the last use of ${this.describeForLog(found)} cannot be saved`),
    )
  }

  clearCache(): void {
    this.#cache?.clear()
    // Pending reads may return the old state.
    this.#pending.clear()
  }

  #readOrStale(secret: string, { value }: Entry<T>): MaybePromise<T | undefined> {
    const since = this.#pending.get(secret)?.since
    if (since !== undefined && performance.now() - since >= maxWaitMs) return value
    return this.#readWithTimeout(secret, value)
  }

  async #readWithTimeout(secret: string, stale: T): Promise<T | undefined> {
    try {
      return await Promise.race([this.#read(secret), setTimeout(maxWaitMs, stale, { ref: false })])
    } catch (error) {
      if (isUnavailable(error)) return stale
      throw error
    }
  }

  #read(secret: string): Promise<T | undefined> {
    const known = this.#pending.get(secret)?.read
    if (known !== undefined) return known
    const readAt = Date.now()
    const read = this.read(secret)
      .then((value) => {
        if (this.#pending.get(secret)?.read !== read) return value
        if (value === undefined) this.#entries.delete(secret)
        else this.#entries.set(secret, { value, readAt })
        return value
      })
      .finally(() => {
        if (this.#pending.get(secret)?.read === read) this.#pending.delete(secret)
      })
    this.#pending.set(secret, { read, since: performance.now() })
    return read
  }
}

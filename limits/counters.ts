import { setTimeout as sleep } from 'node:timers/promises'
import { msPerDay } from '#base/days.ts'
import type { Logger } from '#base/log.ts'
import { type Problem, toProblem } from '#contract/operational-state.ts'
import { type Exchange, PolicyCounters, type WindowCount } from './policy-counters.ts'
import type { RedisCounts } from './redis-counts.ts'
import { accountCaller, SavedCounts, type Use } from './saved-counts.ts'
import type { Count } from './shared-counts.ts'

export { accountCaller, formatUse } from './saved-counts.ts'

const shareIntervalMs = 250
/** Others are saved at the next time. */
const maxSaved = 250
/** Slower answers are too late to enforce limits. */
const shareTimeoutMs = 1_000
const timeoutMessage = 'no answer within a second'
/** Time without failures until peers count as reachable: others may reconnect later. */
const stableAfterMs = 3_000
/** At the end of the process. */
const finalShareMs = 500

const endOfDay = (now: number): number => now - (now % msPerDay) + msPerDay

/**
 * Counts in fixed windows, in memory, saved four times a second. If saving fails (full disk),
 * counting continues. Processes share counts through their data folder, machines through Redis; no
 * request waits for that.
 */
export class Counters {
  readonly #saved: SavedCounts
  readonly #shared: RedisCounts | undefined
  readonly #log: Logger
  readonly #policies: PolicyCounters[] = []
  readonly #days: PolicyCounters
  readonly #timer: NodeJS.Timeout
  readonly #exchange: Exchange = {
    processes: 1,
    isReachable: true,
    unsaved: new Set(),
    unshared: new Set(),
    shareSoon: () => this.#shareSoon(),
    lookUp: (...place) => this.#saved.find(...place),
  }
  #sharing: { readonly since: number; readonly done: Promise<void> } | undefined
  #mustShare = false
  #isSaveFailing = false
  #isClosed = false
  #reachableSince: number | undefined

  constructor(dataDir: string, log: Logger, shared?: RedisCounts) {
    this.#saved = new SavedCounts(dataDir, log)
    this.#shared = shared
    this.#log = log
    this.#days = this.#add('day', endOfDay)
    this.#timer = setInterval(() => this.#tick(), shareIntervalMs).unref()
  }

  perDay(): PolicyCounters {
    return this.#days
  }

  /** Windows begin with the first event. */
  perWindow(policy: string, windowMs: number): PolicyCounters {
    return this.#add(policy, (now) => now + windowMs)
  }

  /** Per account, key, endpoint and UTC day; not shared with other machines. */
  uses(): PolicyCounters {
    return this.#add('use', endOfDay, this.#shared === undefined)
  }

  /** Requests per UTC day, newest first; earlier days only of this machine. */
  dailyUsage(accountId: number): Count[] {
    this.save()
    const { hits, windowEnds } = this.#days.of(accountCaller(accountId))
    return this.#saved
      .dailyUsage(accountId)
      .map((count) => (count.windowEnds === windowEnds ? { windowEnds, hits } : count))
  }

  /** On this machine, on days ending after `after` (ms since 1970). */
  listUses(accountId: number, after = 0): Use[] {
    this.save()
    return this.#saved.listUses(accountId, after)
  }

  /** Includes the account's keys and endpoints. */
  forget(accountId: number): void {
    const name = accountCaller(accountId)
    const isOwn = ({ caller }: WindowCount): boolean => caller === name || caller.startsWith(`${name} `)
    for (const policy of this.#policies) policy.drop(isOwn)
    const { unsaved, unshared } = this.#exchange
    for (const counts of [unsaved, unshared]) for (const count of counts) if (isOwn(count)) counts.delete(count)
    const policies = this.#policies.map((policy) => policy.name)
    this.#saved.forget(accountId, policies)
  }

  /** Also reads changes of other processes. */
  save(): void {
    const now = Date.now()
    const { unsaved, unshared } = this.#exchange
    const isShared = this.#shared === undefined
    const counts = [...(isShared ? unshared : unsaved)].slice(0, maxSaved)
    try {
      const { totals, processes } = this.#saved.add(
        counts.map((count) => count.toChange(count.unsaved, now)),
        now,
      )
      if (isShared) this.#exchange.processes = processes
      for (const [i, count] of counts.entries()) {
        if (isShared) count.applyTotal(count.unsaved, totals[i]!, now)
        count.unsaved = 0
        unsaved.delete(count)
      }
      for (const policy of this.#policies) {
        const latestEnd = policy.latestEnd(now)
        policy.drop(({ windowEnds }) => windowEnds <= now || windowEnds > latestEnd)
      }
      for (const count of unshared) if (count.windowEnds <= now && !unsaved.has(count)) unshared.delete(count)
      this.#isSaveFailing = false
    } catch (err) {
      if (!this.#isSaveFailing) this.#log.error({ err }, 'request counts cannot be saved: counting in memory')
      this.#isSaveFailing = true
    }
    if (isShared) this.#exchange.isReachable = !this.#isSaveFailing
  }

  problems(): Problem[] {
    if (!this.#shared || this.#exchange.isReachable) return []
    const message = `Redis does not answer: limits hold for each of ${this.#exchange.processes} processes by its share`
    return [toProblem('limits_not_shared', 'degraded', message)]
  }

  /** Saves counts, and shares them if that is fast. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (let left = this.#exchange.unsaved.size; left >= 0; left -= maxSaved) this.save()
    this.#isClosed = true
    this.#saved.close()
    if (!this.#shared) return
    if (this.#exchange.isReachable)
      await Promise.race([sleep(finalShareMs, undefined, { ref: false }), this.#shareLast(this.#shared)])
    this.#shared.close()
  }

  async #shareLast(shared: RedisCounts): Promise<void> {
    await this.#sharing?.done
    await this.#share(shared)
  }

  #tick(): void {
    this.save()
    if (!this.#shared) return
    if (!this.#sharing) void this.#share(this.#shared)
    else if (performance.now() - this.#sharing.since > shareTimeoutMs) this.#setReachable(false, timeoutMessage)
  }

  /** At the end of this turn, to batch its counts. */
  #shareSoon(): void {
    if (this.#mustShare || !this.#exchange.isReachable) return
    this.#mustShare = true
    if (!this.#sharing) setImmediate(() => this.#shareNow())
  }

  #shareNow(): void {
    if (!this.#mustShare || this.#isClosed) return
    this.#mustShare = false
    if (!this.#shared) this.save()
    else if (!this.#sharing) void this.#share(this.#shared)
  }

  /** Two runs at a time would share counts twice. */
  #share(shared: RedisCounts): Promise<void> {
    const now = Date.now()
    const counts = [...this.#exchange.unshared].filter(({ windowEnds }) => windowEnds > now).slice(0, shared.maxChanges)
    const amounts = counts.map(({ unshared }) => unshared)
    const since = performance.now()
    const done = shared
      .share(counts.map((count, i) => count.toChange(amounts[i]!, now)))
      .then(
        ({ totals, processes }) => {
          if (performance.now() - since > shareTimeoutMs) this.#setReachable(false, timeoutMessage)
          else this.#setReachable(true)
          const { isReachable, processes: known } = this.#exchange
          this.#exchange.processes = isReachable ? processes : Math.max(known, processes)
          for (const [i, count] of counts.entries()) count.applyTotal(amounts[i]!, totals[i]!, now)
        },
        (error: unknown) => this.#setReachable(false, error instanceof Error ? error.message : String(error)),
      )
      .then(() => {
        this.#sharing = undefined
        if (counts.length === shared.maxChanges) this.#shareSoon()
        this.#shareNow()
      })
    this.#sharing = { since, done }
    return done
  }

  #setReachable(isReachable: boolean, why?: string): void {
    if (!isReachable) this.#reachableSince = undefined
    if (isReachable === this.#exchange.isReachable || this.#isClosed) return
    if (isReachable) {
      this.#reachableSince ??= performance.now()
      if (performance.now() - this.#reachableSince < stableAfterMs) return
    }
    this.#exchange.isReachable = isReachable
    if (isReachable) this.#log.info('Redis answers again: limits are those of all machines together')
    else this.#log.warn({ why }, 'Redis does not answer: each machine grants its share of every limit until it does')
  }

  #add(name: string, endOfWindow: (now: number) => number, isShared = true): PolicyCounters {
    const policy = new PolicyCounters(name, isShared, endOfWindow, this.#exchange)
    this.#policies.push(policy)
    return policy
  }
}

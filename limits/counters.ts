import { setTimeout as sleep } from 'node:timers/promises'
import { msPerDay } from '#base/days.ts'
import type { Logger } from '#base/log.ts'
import { type Problem, toProblem } from '#contract/operational-state.ts'
import { type Peers, PolicyCounters, type WindowCount } from './policy-counters.ts'
import { accountCaller, SavedCounts, type Use } from './saved-counts.ts'
import type { Count, SharedCounts } from './shared-counts.ts'

export { accountCaller, formatUse } from './saved-counts.ts'

const shareIntervalMs = 250
/** Slower answers are too late to enforce limits. */
const shareTimeoutMs = 1_000
const timeoutMessage = 'no answer within a second'
/**
 * Time without failures until peers count as reachable again; others may reconnect later, with many
 * counts to share.
 */
const stableAfterMs = 3_000
/** Timeout for sharing the last counts when the process ends. */
const finalShareMs = 500

const endOfDay = (now: number): number => now - (now % msPerDay) + msPerDay

/**
 * Counts requests in fixed windows, in memory. Changes are saved four times a second and at the
 * end; if that fails (a full disk), counting continues in memory. Processes with the same data
 * folder share counts through it, several machines through `SharedCounts`; no request waits for
 * that.
 */
export class Counters {
  readonly #saved: SavedCounts
  readonly #shared: SharedCounts | undefined
  readonly #log: Logger
  readonly #policies: PolicyCounters[] = []
  readonly #days: PolicyCounters
  readonly #timer: NodeJS.Timeout
  readonly #peers: { -readonly [Name in keyof Peers]: Peers[Name] }
  #sharing: { readonly since: number; readonly done: Promise<void> } | undefined
  #mustShare = false
  #isSaveFailing = false
  #isClosed = false
  #reachableSince: number | undefined

  constructor(dataDir: string, log: Logger, shared?: SharedCounts) {
    this.#saved = new SavedCounts(dataDir, log)
    this.#shared = shared
    this.#log = log
    this.#peers = { processes: 1, isReachable: true, shareSoon: () => this.#shareSoon() }
    this.#days = this.#add('day', endOfDay)
    this.#timer = setInterval(() => this.#tick(), shareIntervalMs).unref()
  }

  /** Windows of a minute that start with a caller's first request. */
  perMinute(): PolicyCounters {
    return this.perWindow('minute', 60_000)
  }

  perDay(): PolicyCounters {
    return this.#days
  }

  /** Windows that start with the first event. */
  perWindow(policy: string, windowMs: number): PolicyCounters {
    return this.#add(policy, (now) => now + windowMs)
  }

  /** Requests of accounts per UTC day, key and endpoint; not shared with other machines. */
  uses(): PolicyCounters {
    return this.#add('use', endOfDay)
  }

  /**
   * Requests of an account per UTC day, newest first; of earlier days only those on this machine.
   */
  dailyUsage(accountId: number): Count[] {
    this.save()
    const { hits, windowEnds } = this.#days.of(accountCaller(accountId))
    return this.#saved
      .dailyUsage(accountId)
      .map((count) => (count.windowEnds === windowEnds ? { windowEnds, hits } : count))
  }

  /**
   * Requests per day, key and endpoint on this machine, of days that end after a time (ms since
   * 1970).
   */
  listUses(accountId: number, after = 0): Use[] {
    this.save()
    return this.#saved.listUses(accountId, after)
  }

  forget(accountId: number): void {
    for (const policy of this.#policies) policy.forget(accountCaller(accountId))
    this.save()
    this.#saved.forget(accountId)
  }

  /** Saves changes, and reads what other processes saved for the same callers. */
  save(): void {
    const now = Date.now()
    const changes = this.#policies.flatMap((policy) =>
      [...(this.#shared ? policy.unsaved : policy.unshared)].map((count) => ({ policy, count, amount: count.unsaved })),
    )
    try {
      if (changes.length === 0 && !this.#saved.isDue(now)) {
        if (!this.#shared) this.#peers.processes = this.#saved.processes(now)
      } else {
        const counts = changes.map(({ policy, count, amount }) => policy.toChange(count, amount, now))
        const { totals, processes } = this.#saved.add(counts, now)
        for (const [i, { policy, count, amount }] of changes.entries()) {
          count.unsaved = 0
          policy.unsaved.delete(count)
          const total = totals[i]
          if (!this.#shared && total) policy.applyTotal(count, amount, total, now)
        }
        if (!this.#shared) this.#peers.processes = processes
      }
      for (const policy of this.#policies) policy.tidy(now)
      this.#isSaveFailing = false
    } catch (err) {
      if (!this.#isSaveFailing) this.#log.error({ err }, 'request counts cannot be saved: counting in memory')
      this.#isSaveFailing = true
    }
    if (!this.#shared) this.#peers.isReachable = !this.#isSaveFailing
  }

  problems(): Problem[] {
    if (!this.#shared || this.#peers.isReachable) return []
    const message = `Redis does not answer: limits hold for each of ${this.#peers.processes} processes by its share`
    return [toProblem('limits_not_shared', 'degraded', message)]
  }

  /** Saves all counts, and shares them if that takes less than half a second. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.save()
    this.#isClosed = true
    this.#saved.close()
    if (!this.#shared) return
    const timeout = sleep(finalShareMs, undefined, { ref: false })
    await Promise.race([timeout, this.#peers.isReachable ? this.#shareLast(this.#shared) : undefined])
    await this.#shared.close()
  }

  async #shareLast(shared: SharedCounts): Promise<void> {
    await this.#sharing?.done
    await this.#share(shared)
  }

  #tick(): void {
    this.save()
    if (!this.#shared) return
    if (!this.#sharing) void this.#share(this.#shared)
    else if (performance.now() - this.#sharing.since > shareTimeoutMs) this.#setReachable(false, timeoutMessage)
  }

  /** Shares at the end of this turn of the event loop, to batch what is counted in it. */
  #shareSoon(): void {
    if (this.#mustShare || !this.#peers.isReachable) return
    this.#mustShare = true
    if (!this.#sharing) setImmediate(() => this.#shareNow())
  }

  #shareNow(): void {
    if (!this.#mustShare || this.#isClosed) return
    this.#mustShare = false
    if (!this.#shared) this.save()
    else if (!this.#sharing) void this.#share(this.#shared)
  }

  /** Must not run twice at a time, or counts would be shared twice. */
  #share(shared: SharedCounts): Promise<void> {
    const now = Date.now()
    const changes: { policy: PolicyCounters; count: WindowCount; amount: number }[] = []
    for (const policy of this.#policies) {
      if (policy.name === 'use') continue
      for (const count of policy.unshared) {
        if (changes.length === shared.maxChanges) break
        if (count.windowEnds > now) changes.push({ policy, count, amount: count.unshared })
      }
    }
    const since = performance.now()
    const done = shared
      .share(changes.map(({ policy, count, amount }) => policy.toChange(count, amount, now)))
      .then(
        ({ totals, processes }) => {
          if (performance.now() - since > shareTimeoutMs) this.#setReachable(false, timeoutMessage)
          else this.#setReachable(true)
          this.#peers.processes = this.#peers.isReachable ? processes : Math.max(this.#peers.processes, processes)
          for (const [i, { policy, count, amount }] of changes.entries()) {
            const total = totals[i]
            if (total) policy.applyTotal(count, amount, total, now)
          }
        },
        (error: unknown) => this.#setReachable(false, error instanceof Error ? error.message : String(error)),
      )
      .then(() => {
        this.#sharing = undefined
        if (changes.length === shared.maxChanges) this.#shareSoon()
        this.#shareNow()
      })
    this.#sharing = { since, done }
    return done
  }

  #setReachable(isReachable: boolean, why?: string): void {
    if (!isReachable) this.#reachableSince = undefined
    if (isReachable === this.#peers.isReachable || this.#isClosed) return
    if (isReachable) {
      this.#reachableSince ??= performance.now()
      if (performance.now() - this.#reachableSince < stableAfterMs) return
    }
    this.#peers.isReachable = isReachable
    if (isReachable) this.#log.info('Redis answers again: limits are those of all machines together')
    else this.#log.warn({ why }, 'Redis does not answer: each machine grants its share of every limit until it does')
  }

  #add(name: string, endOfWindow: (now: number) => number): PolicyCounters {
    const lookUp = this.#saved.find.bind(this.#saved)
    const policy = new PolicyCounters(name, endOfWindow, lookUp, this.#peers)
    this.#policies.push(policy)
    return policy
  }
}

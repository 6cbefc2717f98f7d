import { setTimeout as sleep } from 'node:timers/promises'
import { millisecondsPerDay } from '#base/days.ts'
import type { Logger } from '#base/log.ts'
import type { Problem } from '#contract/operational-state.ts'
import type { Count, Exchange } from './exchange.ts'
import { type Hear, PolicyCounters, type Sharing, type WindowCount } from './policy-counters.ts'
import { accountCaller, SavedCounts, type Use } from './saved-counts.ts'

export { accountCaller, useOf } from './saved-counts.ts'

/** How often what was counted is saved, and told to others, in milliseconds. */
const toldEvery = 250
/** What takes longer tells too late what others counted. */
const longestTelling = 1_000
const late = 'no answer within a second'
/** How long all must go well until shares are measured anew: others may have much to tell that come back later. */
const settledAfter = 3_000
/** The last one, when the process ends. */
const lastTelling = 500

const endOfDay = (now: number): number => now - (now % millisecondsPerDay) + millisecondsPerDay

/**
 * Counters of requests in fixed windows, in memory. What changed is written to disk four times a second and at the end; where that fails (a
 * full disk), requests are counted in memory on, and it is tried again. The processes of one folder read there what the others wrote; several
 * machines tell each other by an exchange, for which no request waits.
 */
export class Counters {
  readonly #saved: SavedCounts
  readonly #exchange: Exchange | undefined
  readonly #log: Logger
  readonly #policies: PolicyCounters[] = []
  readonly #days: PolicyCounters
  readonly #timer: NodeJS.Timeout
  readonly #sharing: { -readonly [Name in keyof Sharing]: Sharing[Name] }
  #telling: { readonly since: number; readonly done: Promise<void> } | undefined
  #isHurried = false
  #isSaveFailing = false
  #isClosed = false
  /** Since when all goes well again. */
  #wellSince: number | undefined

  constructor(dataDir: string, log: Logger, exchange?: Exchange) {
    this.#saved = new SavedCounts(dataDir, log)
    this.#exchange = exchange
    this.#log = log
    this.#sharing = { processes: 1, isUp: true, hurry: () => this.#hurry() }
    this.#days = this.#add('day', endOfDay)
    this.#timer = setInterval(() => this.#tick(), toldEvery).unref()
  }

  /** Windows of a minute that begin with a caller's first request. */
  perMinute(): PolicyCounters {
    return this.perWindow('minute', 60_000)
  }

  /** Days of UTC. */
  perDay(): PolicyCounters {
    return this.#days
  }

  /** Windows of so many milliseconds that begin with the first event; `hear` hears what others count. */
  perWindow(policy: string, length: number, hear?: Hear): PolicyCounters {
    return this.#add(policy, (now) => now + length, hear)
  }

  /** Days of UTC, in which the uses of accounts are counted by key and endpoint; kept for as long as their sums, where they were counted. */
  uses(): PolicyCounters {
    return this.#add('use', endOfDay)
  }

  /** Requests of an account by the end of the day (UTC), newest first; today's on all machines, those before on this one. */
  dailyUsage(accountId: number): Count[] {
    this.save()
    const { hits, windowEnds } = this.#days.of(accountCaller(accountId))
    return this.#saved
      .dailyUsage(accountId)
      .map((count) => (count.windowEnds === windowEnds ? { windowEnds, hits } : count))
  }

  /** The same by key and endpoint, on this machine; of the days after a time (milliseconds since 1970) only. */
  usesOf(accountId: number, after = 0): Use[] {
    this.save()
    return this.#saved.usesOf(accountId, after)
  }

  /** Forgets all that was counted of an account. */
  forget(accountId: number): void {
    for (const policy of this.#policies) policy.forget(accountCaller(accountId))
    this.save()
    this.#saved.forget(accountId)
  }

  /** Writes what changed, and reads what other processes of this folder wrote of the same callers. */
  save(): void {
    const now = Date.now()
    const changes = this.#policies.flatMap((policy) =>
      [...(this.#exchange ? policy.unsaved : policy.untold)].map((count) => ({ policy, count, amount: count.unsaved })),
    )
    try {
      if (changes.length === 0 && !this.#saved.isDue(now)) {
        if (!this.#exchange) this.#sharing.processes = this.#saved.processes(now)
      } else {
        const counts = changes.map(({ policy, count, amount }) => policy.toTell(count, amount, now))
        const { totals, processes } = this.#saved.add(counts, now)
        for (const [i, { policy, count, amount }] of changes.entries()) {
          count.unsaved = 0
          policy.unsaved.delete(count)
          const total = totals[i]
          if (!this.#exchange && total) policy.told(count, amount, total, now)
        }
        if (!this.#exchange) this.#sharing.processes = processes
      }
      for (const policy of this.#policies) policy.tidy(now)
      this.#isSaveFailing = false
    } catch (err) {
      if (!this.#isSaveFailing) this.#log.error({ err }, 'counts of requests cannot be saved; they are kept in memory')
      this.#isSaveFailing = true
    }
    if (!this.#exchange) this.#sharing.isUp = !this.#isSaveFailing
  }

  /** That machines cannot tell each other what they counted, where that is so. */
  problems(): Problem[] {
    if (!this.#exchange || this.#sharing.isUp) return []
    const message = `Redis does not answer: limits hold for each of ${this.#sharing.processes} processes by its share`
    return [{ code: 'limits_not_shared', state: 'degraded', message }]
  }

  /** Saves what was counted and, where that takes no longer than a moment, tells the others. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.save()
    this.#isClosed = true
    this.#saved.close()
    if (!this.#exchange) return
    const moment = sleep(lastTelling, undefined, { ref: false })
    const told = this.#sharing.isUp ? this.#tellLast(this.#exchange) : undefined
    await Promise.race([moment, told])
    await this.#exchange.close()
  }

  async #tellLast(exchange: Exchange): Promise<void> {
    await this.#telling?.done
    await this.#tell(exchange)
  }

  #tick(): void {
    this.save()
    if (!this.#exchange) return
    if (!this.#telling) void this.#tell(this.#exchange)
    else if (performance.now() - this.#telling.since > longestTelling) this.#setUp(false, late)
  }

  /** At the end of this turn of the event loop, so that what is counted in it is told together. */
  #hurry(): void {
    if (this.#isHurried || !this.#sharing.isUp) return
    this.#isHurried = true
    if (!this.#telling) setImmediate(() => this.#tellNow())
  }

  #tellNow(): void {
    if (!this.#isHurried || this.#isClosed) return
    this.#isHurried = false
    if (!this.#exchange) this.save()
    else if (!this.#telling) void this.#tell(this.#exchange)
  }

  /** One at a time, as what is under way must not be told twice. */
  #tell(exchange: Exchange): Promise<void> {
    const now = Date.now()
    const changes: { policy: PolicyCounters; count: WindowCount; amount: number }[] = []
    for (const policy of this.#policies) {
      if (policy.name === 'use') continue
      for (const count of policy.untold) {
        if (changes.length === exchange.most) break
        if (count.windowEnds > now) changes.push({ policy, count, amount: count.untold })
      }
    }
    const since = performance.now()
    const done = exchange
      .tell(changes.map(({ policy, count, amount }) => policy.toTell(count, amount, now)))
      .then(
        ({ totals, processes }) => {
          if (performance.now() - since > longestTelling) this.#setUp(false, late)
          else this.#setUp(true)
          this.#sharing.processes = this.#sharing.isUp ? processes : Math.max(this.#sharing.processes, processes)
          for (const [i, { policy, count, amount }] of changes.entries()) {
            const total = totals[i]
            if (total) policy.told(count, amount, total, now)
          }
        },
        (error: unknown) => this.#setUp(false, error instanceof Error ? error.message : String(error)),
      )
      .then(() => {
        this.#telling = undefined
        if (changes.length === exchange.most) this.#hurry()
        this.#tellNow()
      })
    this.#telling = { since, done }
    return done
  }

  #setUp(isUp: boolean, why?: string): void {
    if (!isUp) this.#wellSince = undefined
    if (isUp === this.#sharing.isUp || this.#isClosed) return
    if (isUp) {
      this.#wellSince ??= performance.now()
      if (performance.now() - this.#wellSince < settledAfter) return
    }
    this.#sharing.isUp = isUp
    if (isUp) this.#log.info('Redis answers again: limits are those of all machines together')
    else this.#log.warn({ why }, 'Redis does not answer: each machine grants its share of every limit until it does')
  }

  #add(name: string, endOfWindow: (now: number) => number, hear?: Hear): PolicyCounters {
    const lookUp = this.#saved.find.bind(this.#saved)
    const policy = new PolicyCounters(name, endOfWindow, lookUp, this.#sharing, hear)
    this.#policies.push(policy)
    return policy
  }
}

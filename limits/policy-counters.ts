import type { Count, CountChange } from './shared-counts.ts'

/**
 * Windows that end this much later than a new one began before the clock was set back and are
 * invalid.
 */
const clockTolerance = 60_000

/** Time after a request in which peers' counts of its caller are read. */
const followMs = 1_000

export interface Exchange {
  /** Processes with the same callers, including this one. */
  processes: number
  isReachable: boolean
  /** Includes windows that have ended. */
  readonly unsaved: Set<WindowCount>
  /** Also has recently shared counts, to read the peers'. */
  readonly unshared: Set<WindowCount>
  readonly shareSoon: () => void
  /** Finds a saved window that ends between two times. */
  readonly lookUp: (policy: string, caller: string, now: number, latestEnd: number) => Count | undefined
}

/**
 * Count of a caller in a window. Between two exchanges, each process grants at most its share of
 * the rest, so that together they exceed a limit by at most a tenth, even if they cannot reach each
 * other.
 */
export class WindowCount implements Count {
  readonly caller: string
  readonly #policy: PolicyCounters
  readonly #exchange: Exchange
  windowEnds: number
  /** Total of all processes at the last exchange, and counts of this process since. */
  #known: number
  unshared = 0
  /** At the last timely exchange, which determines this process's share. */
  #base: number
  #since = 0
  unsaved = 0
  #sharedAt = 0

  constructor(policy: PolicyCounters, exchange: Exchange, caller: string, { hits, windowEnds }: Count) {
    this.#policy = policy
    this.#exchange = exchange
    this.caller = caller
    this.#known = hits
    this.#base = hits
    this.windowEnds = windowEnds
  }

  get hits(): number {
    return this.#known + this.unshared
  }

  /** One more is within the limit and this process's share. */
  allows(max: number): boolean {
    if (this.hits >= max) return false
    const { processes } = this.#exchange
    return processes === 1 || this.#since < Math.max(1, Math.floor((max - this.#base + max / 10) / processes))
  }

  /** In ms since 1970. */
  allowedAgain(max: number): number {
    return this.hits < max && this.#exchange.isReachable ? Date.now() + 1_000 : this.windowEnds
  }

  /** Shares large parts of the limit at once. */
  add(amount = 1, max = Number.POSITIVE_INFINITY): void {
    const { processes, unsaved, unshared, shareSoon } = this.#exchange
    this.unshared += amount
    this.#since += amount
    this.unsaved += amount
    unsaved.add(this)
    if (this.#policy.isShared) unshared.add(this)
    if (processes > 1 && this.unshared > max / (20 * processes)) shareSoon()
  }

  toChange(amount: number, now: number): CountChange {
    const { caller, windowEnds } = this
    const { name: policy } = this.#policy
    return { policy, caller, windowEnds, latestEnd: this.#policy.latestEnd(now), known: this.#known, amount }
  }

  /** Call it after sharing `amount`, with the total of all processes. */
  applyTotal(amount: number, { hits, windowEnds }: Count, now: number): void {
    const { isReachable, processes, unshared } = this.#exchange
    this.unshared -= amount
    this.#known = hits
    this.windowEnds = windowEnds
    if (isReachable) {
      this.#base = hits
      this.#since = this.unshared
    }
    if (amount > 0) this.#sharedAt = now
    const isFollowed = processes > 1 && now - this.#sharedAt <= followMs
    unshared.delete(this)
    // Behind those that wait: only some are shared at a time.
    if (this.unshared !== 0 || isFollowed) unshared.add(this)
  }
}

export class PolicyCounters {
  readonly name: string
  readonly isShared: boolean
  readonly #endOfWindow: (now: number) => number
  readonly #exchange: Exchange
  readonly #counts = new Map<string, WindowCount>()

  constructor(name: string, isShared: boolean, endOfWindow: (now: number) => number, exchange: Exchange) {
    this.name = name
    this.isShared = isShared
    this.#endOfWindow = endOfWindow
    this.#exchange = exchange
  }

  of(caller: string): WindowCount {
    const now = Date.now()
    const latestEnd = this.latestEnd(now)
    const known = this.#counts.get(caller)
    if (known && known.windowEnds > now && known.windowEnds <= latestEnd) return known
    const saved = this.#exchange.lookUp(this.name, caller, now, latestEnd)
    const begun = saved ?? { hits: 0, windowEnds: this.#endOfWindow(now) }
    const count = new WindowCount(this, this.#exchange, caller, begun)
    this.#counts.set(caller, count)
    return count
  }

  latestEnd(now: number): number {
    return this.#endOfWindow(now) + clockTolerance
  }

  drop(mustDrop: (count: WindowCount) => boolean): void {
    for (const [caller, count] of this.#counts) if (mustDrop(count)) this.#counts.delete(caller)
  }
}

import type { Count, CountChange } from './shared-counts.ts'

/**
 * If a window ends later than a new one would by more than this, the clock was set back after it
 * started. Such a window is invalid.
 */
const clockTolerance = 60_000

/** Time after a request during which the peers' counts of its caller are still read. */
const followMs = 1_000

export interface Peers {
  /** Their number, including this one. */
  readonly processes: number
  readonly isReachable: boolean
  readonly shareSoon: () => void
}

export type LookUp = (policy: string, caller: string, now: number, latestEnd: number) => Count | undefined

/**
 * Count of a caller in a window, of all processes as far as they have shared it. Between two
 * exchanges, each process grants at most its share of what was left, so that together they exceed a
 * limit by at most a tenth, even if they cannot reach each other.
 */
export class WindowCount implements Count {
  readonly caller: string
  readonly #policy: PolicyCounters
  readonly #peers: Peers
  windowEnds: number
  /** Total of all processes at the last exchange. */
  known: number
  /** Counted by this process since. */
  unshared = 0
  /**
   * Total at the last exchange in time, and what this process counted since. Its share is computed
   * from these.
   */
  base: number
  since = 0
  unsaved = 0
  sharedAt = 0

  constructor(policy: PolicyCounters, peers: Peers, caller: string, { hits, windowEnds }: Count) {
    this.#policy = policy
    this.#peers = peers
    this.caller = caller
    this.known = hits
    this.base = hits
    this.windowEnds = windowEnds
  }

  get hits(): number {
    return this.known + this.unshared
  }

  /** One more is within the limit, and within this process's share of it. */
  allows(max: number): boolean {
    if (this.hits >= max) return false
    const { processes } = this.#peers
    return processes === 1 || this.since < Math.max(1, Math.floor((max - this.base + max / 10) / processes))
  }

  /** Earliest time for one more, in ms since 1970. */
  allowedAgain(max: number): number {
    return this.hits < max && this.#peers.isReachable ? Date.now() + 1_000 : this.windowEnds
  }

  /** Shares the count at once if it is a large part of the limit. */
  add(amount = 1, max = Number.POSITIVE_INFINITY): void {
    this.unshared += amount
    this.since += amount
    this.unsaved += amount
    this.#policy.changed(this)
    const { processes, shareSoon } = this.#peers
    if (processes > 1 && this.unshared > max / (20 * processes)) shareSoon()
  }
}

export class PolicyCounters {
  readonly name: string
  readonly #endOfWindow: (now: number) => number
  readonly #lookUp: LookUp
  readonly #peers: Peers
  readonly #counts = new Map<string, WindowCount>()
  /**
   * Counts to save, and to share, even if their window has ended. `unshared` also has recently
   * shared ones, to read the peers'.
   */
  readonly unsaved = new Set<WindowCount>()
  readonly unshared = new Set<WindowCount>()

  constructor(name: string, endOfWindow: (now: number) => number, lookUp: LookUp, peers: Peers) {
    this.name = name
    this.#endOfWindow = endOfWindow
    this.#lookUp = lookUp
    this.#peers = peers
  }

  of(caller: string): WindowCount {
    const now = Date.now()
    const latestEnd = this.#latestEnd(now)
    const known = this.#counts.get(caller)
    if (known && known.windowEnds > now && known.windowEnds <= latestEnd) return known
    const begun = this.#lookUp(this.name, caller, now, latestEnd) ?? { hits: 0, windowEnds: this.#endOfWindow(now) }
    const count = new WindowCount(this, this.#peers, caller, begun)
    this.#counts.set(caller, count)
    return count
  }

  changed(count: WindowCount): void {
    this.unsaved.add(count)
    this.unshared.add(count)
  }

  toChange({ caller, windowEnds, known }: WindowCount, amount: number, now: number): CountChange {
    return { policy: this.name, caller, windowEnds, latestEnd: this.#latestEnd(now), known, amount }
  }

  /** Call it after an amount was shared. `total` is that of all processes. */
  applyTotal(count: WindowCount, amount: number, total: Count, now: number): void {
    count.unshared -= amount
    count.known = total.hits
    count.windowEnds = total.windowEnds
    if (this.#peers.isReachable) {
      count.base = total.hits
      count.since = count.unshared
    }
    if (amount > 0) count.sharedAt = now
    const isFollowed = this.#peers.processes > 1 && now - count.sharedAt <= followMs
    if (count.unshared === 0 && !isFollowed) this.unshared.delete(count)
  }

  /** Drops the counts of a caller from memory, including names that continue after a space. */
  forget(caller: string): void {
    const matches = (name: string): boolean => name === caller || name.startsWith(`${caller} `)
    for (const name of this.#counts.keys()) if (matches(name)) this.#counts.delete(name)
    for (const counts of [this.unsaved, this.unshared]) {
      for (const count of counts) if (matches(count.caller)) counts.delete(count)
    }
  }

  tidy(now: number): void {
    const latestEnd = this.#latestEnd(now)
    for (const [caller, { windowEnds }] of this.#counts) {
      if (windowEnds <= now || windowEnds > latestEnd) this.#counts.delete(caller)
    }
    for (const count of this.unshared) {
      if (count.windowEnds <= now && !this.unsaved.has(count)) this.unshared.delete(count)
    }
  }

  #latestEnd(now: number): number {
    return this.#endOfWindow(now) + clockTolerance
  }
}

import type { Count, CountChange } from './shared-counts.ts'

/** A window that ends later than a new one would was begun before the clock was set back, and no longer holds. */
const clockTolerance = 60_000

/** For so long what others count of a caller is asked for after one came here, in milliseconds. */
const followMs = 1_000

/** What counters must know of the processes that count the same callers. */
export interface Peers {
  /** How many they are, this one included. */
  readonly processes: number
  /** Whether they hear of each other in time at present. */
  readonly isReachable: boolean
  /** Has what was counted here told to the others at once. */
  readonly shareSoon: () => void
}

/** What was counted before in the window of a caller that holds at a time. */
export type LookUp = (policy: string, caller: string, now: number, latestEnd: number) => Count | undefined

/** Hears what other processes counted of a caller. */
export type OnPeerCount = (caller: string, amount: number) => void

/**
 * What is counted of a caller in a window, by all processes as far as they have told. Between two exchanges each takes no more than its share
 * of what was left, so that all of them together exceed a limit by a tenth at max, also while they cannot tell each other.
 */
export class WindowCount implements Count {
  readonly caller: string
  readonly #policy: PolicyCounters
  readonly #peers: Peers
  windowEnds: number
  /** What all had counted when they last told each other. */
  known: number
  /** What this process counted since. */
  unshared = 0
  /** What all had counted when they last did so in time, and what this process counted since: by these its share is measured. */
  base: number
  since = 0
  unsaved = 0
  /** When some of it was told last. */
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

  /** Whether one more stays within a limit, and within this process's share of it. */
  allows(max: number): boolean {
    if (this.hits >= max) return false
    const { processes } = this.#peers
    return processes === 1 || this.since < Math.max(1, Math.floor((max - this.base + max / 10) / processes))
  }

  /** When one more may be within the limit, in milliseconds since 1970. */
  allowedAgain(max: number): number {
    return this.hits < max && this.#peers.isReachable ? Date.now() + 1_000 : this.windowEnds
  }

  /** Counts more; others hear of it at once where it is much of a limit. */
  add(amount = 1, max = Number.POSITIVE_INFINITY): void {
    this.unshared += amount
    this.since += amount
    this.unsaved += amount
    this.#policy.changed(this)
    const { processes, shareSoon } = this.#peers
    if (processes > 1 && this.unshared > max / (20 * processes)) shareSoon()
  }
}

/** The counters of one policy. */
export class PolicyCounters {
  readonly name: string
  readonly #endOfWindow: (now: number) => number
  readonly #lookUp: LookUp
  readonly #peers: Peers
  readonly #onPeerCount: OnPeerCount
  readonly #counts = new Map<string, WindowCount>()
  /** Those that are not saved, or told, yet, also when their window is over; and those told lately, of which others may tell more. */
  readonly unsaved = new Set<WindowCount>()
  readonly unshared = new Set<WindowCount>()

  constructor(
    name: string,
    endOfWindow: (now: number) => number,
    lookUp: LookUp,
    peers: Peers,
    onPeerCount: OnPeerCount = () => {},
  ) {
    this.name = name
    this.#endOfWindow = endOfWindow
    this.#lookUp = lookUp
    this.#peers = peers
    this.#onPeerCount = onPeerCount
  }

  /** The count of a caller in the window that holds. */
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

  /** What is to be told, or saved, of a count. */
  toChange({ caller, windowEnds, known }: WindowCount, amount: number, now: number): CountChange {
    return { policy: this.name, caller, windowEnds, latestEnd: this.#latestEnd(now), known, amount }
  }

  /** So much of a count was told, and this is what all have counted. */
  applyTotal(count: WindowCount, amount: number, total: Count, now: number): void {
    const others = total.hits - amount - count.known
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
    if (others > 0) this.#onPeerCount(count.caller, others)
  }

  /** Drops what is held of a caller in memory, also where more follows its name after a space. */
  forget(caller: string): void {
    const isOf = (name: string): boolean => name === caller || name.startsWith(`${caller} `)
    for (const name of this.#counts.keys()) if (isOf(name)) this.#counts.delete(name)
    for (const counts of [this.unsaved, this.unshared]) {
      for (const count of counts) if (isOf(count.caller)) counts.delete(count)
    }
  }

  /** Drops windows that are over. */
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

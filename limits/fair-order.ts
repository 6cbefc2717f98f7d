interface Waiting {
  readonly begin: () => void
  readonly cost: number
  /** Virtual time. */
  readonly arrived: number
}

/**
 * Waiting work by caller. Next is the caller who received least while others waited (start-time
 * fair queueing), so neither many nor costly jobs of one caller delay others.
 */
export class FairOrder {
  readonly #waiting = new Map<string, Waiting[]>()
  /** Virtual end of each caller's last job. */
  readonly #ends = new Map<string, number>()
  #now = 0

  get callers(): number {
    return this.#waiting.size
  }

  get size(): number {
    return [...this.#waiting.values()].flat().length
  }

  /** Costs are relative to each other. */
  add(caller: string, begin: () => void, cost = 1): void {
    const own = this.#waiting.get(caller) ?? []
    own.push({ begin, cost, arrived: this.#now })
    this.#waiting.set(caller, own)
  }

  costs(caller: string): readonly number[] | undefined {
    return this.#waiting.get(caller)?.map(({ cost }) => cost)
  }

  remove(caller: string, begin: () => void): void {
    const own = this.#waiting.get(caller)?.filter((waiting) => waiting.begin !== begin) ?? []
    if (own.length > 0) this.#waiting.set(caller, own)
    else this.#waiting.delete(caller)
  }

  /** False if no job may begin. */
  beginNext(mayBegin: (caller: string, cost: number) => boolean = () => true): boolean {
    let [next, start] = ['', Number.POSITIVE_INFINITY]
    for (const [caller, [first]] of this.#waiting) {
      const own = Math.max(first!.arrived, this.#ends.get(caller) ?? 0)
      if (own < start && mayBegin(caller, first!.cost)) [next, start] = [caller, own]
    }
    const own = this.#waiting.get(next)
    const first = own?.shift()
    if (!own || !first) return false
    this.#now = start
    this.#ends.set(next, start + first.cost)
    if (own.length === 0) this.#waiting.delete(next)
    // If nobody waits, nobody is ahead of others.
    if (this.#waiting.size === 0) this.#ends.clear()
    first.begin()
    return true
  }
}

import { LimitError } from './limiter.ts'

export interface QueueLimits {
  /** How many works go on at a time, and how many of one caller; as many where that is not set. */
  readonly atOnce: number
  readonly ofOne?: number
  /** Milliseconds that a work may wait; one that would wait longer is refused at once. Infinite where all wait. */
  readonly longestWait: number
  /** What a work takes until it is known, in milliseconds. */
  readonly usualTime: number
  /** While so much is held of what works made, in all or of one caller, no further ones begin. */
  readonly held?: { readonly inAll: number; readonly ofOne: number }
}

/** What refuses a work: by the seconds until there may be room, and whether it is the caller's own held work that is in its way. */
export type Refusal = (seconds: number, isOwn: boolean) => LimitError

interface Waiting {
  readonly begin: () => void
  readonly refuse: () => void
}

/**
 * Work of many callers, some at a time. Callers take turns, so that one who asks for much delays nobody but itself.
 * Throws what `refusal` makes for work that waits too long, or would.
 */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #refusal: Refusal
  /** By caller, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #running = new Tally()
  readonly #held = new Tally()
  /** Milliseconds that a work took lately, on average. */
  #usualTime: number

  constructor(limits: QueueLimits, refusal: Refusal = drawingIsBusy) {
    this.#limits = limits
    this.#refusal = refusal
    this.#usualTime = limits.usualTime
  }

  /** How many works wait for their turn. */
  get waiting(): number {
    let count = 0
    for (const works of this.#waiting.values()) count += works.length
    return count
  }

  async run<T>(caller: string, work: () => T | Promise<T>): Promise<T> {
    if (this.#mayBegin(caller)) this.#running.add(caller, 1)
    else await this.#turn(caller)
    const begin = performance.now()
    try {
      return await work()
    } finally {
      this.#usualTime = 0.9 * this.#usualTime + 0.1 * (performance.now() - begin)
      this.#running.add(caller, -1)
      this.#beginMore()
    }
  }

  /** Counts what a caller's work made as held, until the function that it returns is called. */
  hold(caller: string, amount: number): () => void {
    this.#held.add(caller, amount)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#held.add(caller, -amount)
      this.#beginMore()
    }
  }

  /** What is held in all. */
  get held(): number {
    return this.#held.inAll
  }

  #mayBegin(caller: string): boolean {
    const { atOnce, ofOne = atOnce, held } = this.#limits
    if (this.#running.inAll >= atOnce || this.#running.of(caller) >= ofOne) return false
    return held === undefined || (this.#held.inAll < held.inAll && !this.#holdsTooMuch(caller))
  }

  #holdsTooMuch(caller: string): boolean {
    const { held } = this.#limits
    return held !== undefined && this.#held.of(caller) >= held.ofOne
  }

  /** Resolves when the caller's turn has come. */
  #turn(caller: string): Promise<void> {
    const own = this.#waiting.get(caller) ?? []
    const { longestWait } = this.#limits
    const wait = this.#waitAfter(caller, own.length)
    if (wait > longestWait) throw this.#refuse(caller, wait)
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(timer)
          resolve()
        },
        refuse: () => {
          own.splice(own.indexOf(waiting), 1)
          if (own.length === 0) this.#waiting.delete(caller)
          reject(this.#refuse(caller, this.#waitAfter(caller, own.length)))
        },
      }
      const timer = longestWait === Number.POSITIVE_INFINITY ? undefined : setTimeout(waiting.refuse, longestWait)
      own.push(waiting)
      if (own.length === 1) this.#waiting.set(caller, own)
    })
  }

  /** Milliseconds until the work of a caller that has so many before it has its turn, if nobody else comes. */
  #waitAfter(caller: string, own: number): number {
    const { atOnce, ofOne = atOnce } = this.#limits
    let before = own
    for (const [other, works] of this.#waiting) if (other !== caller) before += Math.min(works.length, own + 1)
    return this.#usualTime * Math.max((before + 1) / atOnce, (own + 1) / ofOne)
  }

  #refuse(caller: string, milliseconds: number): LimitError {
    return this.#refusal(Math.max(1, Math.ceil(milliseconds / 1000)), this.#holdsTooMuch(caller))
  }

  #beginMore(): void {
    for (const [caller, own] of this.#waiting) {
      if (!this.#mayBegin(caller)) continue
      const first = own.shift()
      // Who has had a turn stands behind all others, where this comes to it once more.
      this.#waiting.delete(caller)
      if (own.length > 0) this.#waiting.set(caller, own)
      this.#running.add(caller, 1)
      first?.begin()
    }
  }
}

/** Amounts by caller and in all. */
class Tally {
  inAll = 0
  readonly #amounts = new Map<string, number>()

  of(caller: string): number {
    return this.#amounts.get(caller) ?? 0
  }

  add(caller: string, amount: number): void {
    this.inAll += amount
    const own = this.of(caller) + amount
    if (own === 0) this.#amounts.delete(caller)
    else this.#amounts.set(caller, own)
  }
}

const drawingIsBusy: Refusal = (seconds) =>
  new LimitError(
    'render_overloaded',
    `too many charts are waiting to be drawn; try again in ${seconds} seconds`,
    seconds,
  )

import { LimitError } from './limiter.ts'

export interface QueueLimits {
  /** How many works go on at a time. */
  readonly atOnce: number
  /** Milliseconds that a work may wait; one that would wait longer is refused at once. */
  readonly longestWait: number
  /** What a work takes until it is known, in milliseconds. */
  readonly usualTime: number
}

interface Waiting {
  readonly begin: () => void
  readonly refuse: () => void
}

/**
 * Work of many callers, some at a time. Callers take turns, so that one who asks for much delays nobody but itself.
 * Throws what `busy` makes of the seconds until there may be room for work that waits too long, or would.
 */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #busy: (seconds: number) => LimitError
  /** By caller, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0
  /** Milliseconds that a work took lately, on average. */
  #usualTime: number

  constructor(limits: QueueLimits, busy = drawingIsBusy) {
    this.#limits = limits
    this.#busy = busy
    this.#usualTime = limits.usualTime
  }

  /** How many works wait for their turn. */
  get waiting(): number {
    let count = 0
    for (const works of this.#waiting.values()) count += works.length
    return count
  }

  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.atOnce) this.#running++
    else await this.#turn(caller)
    const begin = performance.now()
    try {
      return await work()
    } finally {
      this.#usualTime = 0.9 * this.#usualTime + 0.1 * (performance.now() - begin)
      this.#next()
    }
  }

  /** Resolves when the caller's turn has come. What ended has left its place to it. */
  #turn(caller: string): Promise<void> {
    const own = this.#waiting.get(caller) ?? []
    const wait = this.#waitAfter(caller, own.length)
    if (wait > this.#limits.longestWait) throw this.#refusal(wait)
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(timer)
          resolve()
        },
        refuse: () => {
          own.splice(own.indexOf(waiting), 1)
          if (own.length === 0) this.#waiting.delete(caller)
          reject(this.#refusal(this.#waitAfter(caller, own.length)))
        },
      }
      const timer = setTimeout(waiting.refuse, this.#limits.longestWait)
      own.push(waiting)
      if (own.length === 1) this.#waiting.set(caller, own)
    })
  }

  /** Milliseconds until the work of a caller that has so many before it has its turn, if nobody else comes. */
  #waitAfter(caller: string, own: number): number {
    let before = own
    for (const [other, works] of this.#waiting) if (other !== caller) before += Math.min(works.length, own + 1)
    return ((before + 1) * this.#usualTime) / this.#limits.atOnce
  }

  #refusal(milliseconds: number): LimitError {
    return this.#busy(Math.max(1, Math.ceil(milliseconds / 1000)))
  }

  #next(): void {
    const [turn] = this.#waiting
    if (turn === undefined) {
      this.#running--
      return
    }
    const [caller, own] = turn
    const first = own.shift()
    // Who has had a turn stands behind all others.
    this.#waiting.delete(caller)
    if (own.length > 0) this.#waiting.set(caller, own)
    first?.begin()
  }
}

const drawingIsBusy = (seconds: number): LimitError =>
  new LimitError(
    'render_overloaded',
    `too many charts are waiting to be drawn; try again in ${seconds} seconds`,
    seconds,
  )

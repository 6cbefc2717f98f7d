import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#base/log.ts'
import { ApiError } from '#contract/api-error.ts'

/** Where machines keep charts for each other, by id. All reject where it cannot be reached. */
export interface ChartPlace {
  readonly name: string
  read(id: string): Promise<Buffer | undefined>
  write(id: string, bytes: Uint8Array): Promise<void>
  remove(id: string): Promise<void>
}

/** No request waits longer for the place, in milliseconds. */
const longestWait = 1_000
/** Who asks at once for what another machine has just made comes before it: when it is asked again, in milliseconds. */
const pauses = [150, 300]
/** After a failure the place is left alone for so long. */
const leftAloneFor = 5_000

/** Charts that machines keep for each other. What one makes is on its way to the others while it is answered with. */
export class SharedCharts {
  readonly #place: ChartPlace
  readonly #log: Logger
  #failedAt = Number.NEGATIVE_INFINITY
  #isFailing = false

  constructor(place: ChartPlace, log: Logger) {
    this.#place = place
    this.#log = log
  }

  /** Gives a chart to the others; nobody waits for it. */
  offer(id: string, bytes: Uint8Array): void {
    this.#place.write(id, bytes).then(this.#succeeded, this.#failed)
  }

  /** Removes what was offered. */
  withdraw(id: string): void {
    this.#place.remove(id).then(this.#succeeded, this.#failed)
  }

  /** What another machine offered; undefined where nobody has. Throws `storage_unavailable` where that is not told in time. */
  async find(id: string): Promise<Buffer | undefined> {
    if (performance.now() - this.#failedAt < leftAloneFor) throw unavailable()
    const impatience = new AbortController()
    const late = sleep(longestWait, undefined, { signal: impatience.signal }).then(() => {
      throw new Error(`no answer within ${longestWait} ms`)
    })
    late.catch(() => {})
    try {
      const found = await Promise.race([this.#look(id), late])
      this.#succeeded()
      return found
    } catch (error) {
      this.#failed(error)
      throw unavailable()
    } finally {
      impatience.abort()
    }
  }

  async #look(id: string): Promise<Buffer | undefined> {
    for (const pause of pauses) {
      const found = await this.#place.read(id)
      if (found) return found
      await sleep(pause)
    }
    return this.#place.read(id)
  }

  readonly #succeeded = (): void => {
    this.#isFailing = false
  }

  readonly #failed = (err: unknown): void => {
    this.#failedAt = performance.now()
    if (!this.#isFailing) {
      this.#log.warn({ err }, `charts cannot be shared through ${this.#place.name}: each machine serves only its own`)
    }
    this.#isFailing = true
  }
}

const unavailable = (): ApiError =>
  new ApiError('storage_unavailable', 'pictures made by other machines are not available right now; try again soon')

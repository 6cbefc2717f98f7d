import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#base/log.ts'
import { ApiError } from '#contract/api-error.ts'

/** Functions reject if the storage cannot be reached. */
export interface ChartStorage {
  readonly name: string
  read(id: string): Promise<Buffer | undefined>
  write(id: string, bytes: Uint8Array): Promise<void>
  remove(id: string): Promise<void>
}

/** Per request. */
const maxWaitMs = 1_000
/** Another machine may just be storing the chart. */
const pauses = [150, 300]
/** Pause after a failure. */
const backoffMs = 5_000

/** A new chart is uploaded while its request is being answered. */
export class SharedCharts {
  readonly #place: ChartStorage
  readonly #log: Logger
  #failedAt = Number.NEGATIVE_INFINITY
  #isFailing = false

  constructor(place: ChartStorage, log: Logger) {
    this.#place = place
    this.#log = log
  }

  /** In the background. */
  offer(id: string, bytes: Uint8Array): void {
    this.#place.write(id, bytes).then(this.#succeeded, this.#failed)
  }

  withdraw(id: string): void {
    this.#place.remove(id).then(this.#succeeded, this.#failed)
  }

  /** Throws `storage_unavailable` if the storage does not answer in time. */
  async find(id: string): Promise<Buffer | undefined> {
    if (performance.now() - this.#failedAt < backoffMs) throw unavailable()
    const late = sleep(maxWaitMs, undefined, { ref: false }).then(() => {
      throw new Error(`no answer within ${maxWaitMs} ms`)
    })
    try {
      const found = await Promise.race([this.#look(id), late])
      this.#succeeded()
      return found
    } catch (error) {
      this.#failed(error)
      throw unavailable()
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

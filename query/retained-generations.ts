import { existsSync } from 'node:fs'
import path from 'node:path'
import { LRUCache } from 'lru-cache'
import { shareSuccess } from '#base/shared-promises.ts'
import { ApiError, generationDamaged } from '#contract/api-error.ts'
import type { PointInTime } from '#contract/parameters.ts'
import { paths } from '#contract/paths.ts'
import {
  type Generation,
  listGenerations,
  listNewerGenerations,
  markAsRead,
  type OpenGeneration,
  publishedFolder,
} from '#sql/generation.ts'
import { isUnwritable } from '#state/open-database.ts'
import type { Database } from './database.ts'
import { Published } from './published.ts'

/** An open generation may hold a hundred megabytes of values. */
const maxOpen = 2
const openMs = 300_000
const noteIntervalMs = 30_000

/** All except the current one. */
export class RetainedGenerations {
  readonly #dataDir: string
  readonly #database: Database
  readonly #open = new LRUCache<string, Promise<Published>>({ max: maxOpen, ttl: openMs, ttlAutopurge: true })
  readonly #onDamage: (published: Published) => void
  readonly #verified = new LRUCache<string, Published>({ max: maxOpen, ttl: openMs, ttlAutopurge: true })
  /** Damaged tables by generation, so that requests for many generations do not hash them again. */
  readonly #damaged = new LRUCache<string, readonly string[]>({ max: 10 })
  readonly #noted = new LRUCache<string, true>({ max: 10, ttl: noteIntervalMs })

  constructor(dataDir: string, database: Database, onDamage?: (published: Published) => void) {
    this.#dataDir = dataDir
    this.#database = database
    // A removed generation is not damaged.
    this.#onDamage = (published) => {
      if (this.#has(published.generation.id)) onDamage?.(published)
    }
  }

  /** Id of the generation that a request names, or that was current at its time. */
  idAt({ generation, as_of }: PointInTime): string | undefined {
    if (generation !== undefined && as_of !== undefined) {
      const message = 'generation and as_of exclude each other: give one of them'
      throw new ApiError('invalid_parameter', message, { parameter: 'as_of' })
    }
    if (generation !== undefined) {
      this.require(generation)
      return generation
    }
    if (as_of === undefined) return undefined
    const found = this.publishedBy(as_of)
    if (found !== undefined) return found
    throw this.#notRetained(`no generation that was published by ${new Date(as_of).toISOString()} is kept`, 'as_of')
  }

  /** Newest retained generation published by a time in ms since 1970. */
  publishedBy(time: number): string | undefined {
    return this.#newest(({ created_at }) => Date.parse(created_at) <= time)
  }

  /** Newest before `id`, except those that a rollback left. */
  before(id: string): string | undefined {
    return this.#newest((generation) => generation.id < id)
  }

  require(id: string): void {
    if (this.#has(id)) return
    throw this.#notRetained(`no generation ${id} is kept`, 'generation')
  }

  #has(id: string): boolean {
    return existsSync(path.join(publishedFolder(this.#dataDir), id, 'generation.json'))
  }

  /** Open and verified. */
  get opened(): readonly Published[] {
    return [...this.#verified.values()].filter(({ generation: { id } }) => this.#has(id))
  }

  /** Verifies generations again when next opened. */
  forgetVerified(): void {
    this.#damaged.clear()
  }

  /** Also prevents the generation's removal for some minutes. */
  open(id: string, newestDay: number): Promise<Published> {
    this.#note(id)
    const name = `${id} ${newestDay}`
    return shareSuccess(this.#open, name, async () => {
      this.require(id)
      const opened = this.#readable().find(({ generation }) => generation.id === id)
      if (!opened) throw generationDamaged(id)
      const published = await Published.open(this.#database, opened, { newestDay, onDamage: this.#onDamage })
      const damaged = this.#damaged.get(id)
      if (damaged) published.withdraw(damaged)
      else await published.verify()
      this.#damaged.set(id, published.damaged)
      this.#verified.set(name, published)
      return published
    })
  }

  #note(id: string): void {
    if (this.#noted.has(id)) return
    try {
      markAsRead(this.#dataDir, id)
    } catch (error) {
      // If nothing can be written, nothing is published or removed.
      if (!isUnwritable(error)) throw error
    }
    this.#noted.set(id, true)
  }

  /** Oldest first. */
  #readable(): OpenGeneration[] {
    return listGenerations(this.#dataDir).flatMap(({ opened }) => opened ?? [])
  }

  /**
   * Without those that a rollback left. Throws `data_damaged` if a later one, whose description is
   * damaged, may be the right one.
   */
  #newest(accepts: (generation: Generation) => boolean): string | undefined {
    const left = new Set(listNewerGenerations(this.#dataDir).map(({ id }) => id))
    let damaged: string | undefined
    for (const { id, opened } of listGenerations(this.#dataDir).toReversed()) {
      if (left.has(id)) continue
      const isAccepted = opened !== undefined && accepts(opened.generation)
      if (isAccepted && damaged === undefined) return id
      if (isAccepted) break
      if (opened) damaged = undefined
      else if (this.#has(id)) damaged = id
    }
    if (damaged !== undefined) throw generationDamaged(damaged)
    return undefined
  }

  #notRetained(problem: string, parameter: string): ApiError {
    const retained = this.#readable().map(({ generation: { id, created_at } }) => ({ id, published_at: created_at }))
    const listed = retained.map(({ id, published_at }) => `${id} (published ${published_at})`).join(', ')
    const message = `${problem}; there are ${listed || 'none yet'}. ${paths.status} tells more of them`
    return new ApiError('not_found', message, { parameter, kept: retained })
  }
}

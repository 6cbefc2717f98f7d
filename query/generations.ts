import { readlinkSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError, hasErrorCode } from '#base/errors.ts'
import { ApiError } from '#contract/api-error.ts'
import type { PointInTime } from '#contract/parameters.ts'
import { currentGeneration, publishedFolder } from '#sql/generation.ts'
import { readOperations, updateJobs } from '#state/operational-state.ts'
import type { Database } from './database.ts'
import { Published } from './published.ts'
import { RetainedGenerations } from './retained-generations.ts'

/** Provides the generation for each request: the current one when it arrives, or the retained one that it names. */
export class Generations {
  readonly dataDir: string
  readonly #link: string
  readonly #database: Database
  readonly #retained: RetainedGenerations
  #id: string | undefined
  #opened: Promise<Published> | undefined
  #ready: Published | undefined
  #linkedId: string | undefined
  #isFresh = false

  constructor(dataDir: string, database: Database) {
    this.dataDir = dataDir
    this.#link = path.join(publishedFolder(dataDir), 'current')
    this.#database = database
    this.#retained = new RetainedGenerations(dataDir, database)
  }

  /** Throws `data_not_ready` before the first publication. */
  current(): Promise<Published> {
    const id = this.#currentId()
    if (id === this.#id && this.#opened) return this.#opened
    const before = this.#ready
    this.#id = id
    this.#ready = undefined
    const opened = this.#open(before)
    this.#opened = opened
    opened.then(
      (published) => {
        if (this.#opened === opened) this.#ready = published
      },
      () => {
        if (this.#opened === opened) this.#opened = undefined
      },
    )
    return opened
  }

  /** The current generation, if it is open already. */
  get ready(): Published | undefined {
    return this.#currentId() === this.#id ? this.#ready : undefined
  }

  /**
   * Runs `work` on the current generation or on that of a point in time. If the current one fails because newer
   * publications have removed its files, it runs again on the newest. Throws `not_found` for one that is not retained,
   * `data_not_ready` before the first publication.
   */
  async read<T>(work: (published: Published) => Promise<T>, at: PointInTime = {}): Promise<T> {
    const id = this.#retained.idAt(at)
    if (id !== undefined && id !== this.#currentId()) return this.#readRetained(id, work)
    for (;;) {
      const id = this.#currentId()
      try {
        return await work(await this.current())
      } catch (error) {
        if (error instanceof ApiError || this.#currentId() === id) throw error
      }
    }
  }

  /** The retained generation published before `id`; undefined if there is none. */
  before(id: string): string | undefined {
    return this.#retained.before(id)
  }

  async #readRetained<T>(id: string, work: (published: Published) => Promise<T>): Promise<T> {
    const { lastDay } = await this.current()
    try {
      return await work(await this.#retained.open(id, lastDay))
    } catch (error) {
      // It may have been removed since it was found.
      if (!(error instanceof ApiError)) this.#retained.require(id)
      throw error
    }
  }

  async #open(before: Published | undefined): Promise<Published> {
    const opened = currentGeneration(this.dataDir)
    if (opened) return Published.open(this.#database, opened, { before })
    if (isBeingUpdated(this.dataDir)) {
      throw new CoinstrataError('data_not_ready', 'no data is published yet, and the first update is running', {
        cure: 'try again in a few minutes',
      })
    }
    throw new CoinstrataError('data_not_ready', 'no data is published yet', { cure: 'run "coinstrata update"' })
  }

  /** The link is read once per turn of the event loop, for all requests that arrive together. */
  #currentId(): string | undefined {
    if (!this.#isFresh) {
      this.#linkedId = readLink(this.#link)
      this.#isFresh = true
      setImmediate(() => {
        this.#isFresh = false
      })
    }
    return this.#linkedId
  }
}

/** The target of a symbolic link; undefined if there is none. */
export function readLink(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Whether a run is in progress that will publish. */
const isBeingUpdated = (dataDir: string): boolean =>
  readOperations(dataDir, { served: undefined, maxAgeMs: Number.POSITIVE_INFINITY }).runs.some(
    ({ job, outcome }) => updateJobs.has(job) && outcome === 'running',
  )

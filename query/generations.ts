import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { msPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { pacedTurns } from '#base/own-turn.ts'
import { ApiError, dataDamaged, generationDamaged } from '#contract/api-error.ts'
import type { PointInTime } from '#contract/parameters.ts'
import { prepareSearch } from '#contract/search/search.ts'
import { readLink } from '#sql/files.ts'
import { publishedFolder, readableGeneration } from '#sql/generation.ts'
import { readOperations, updateJobs } from '#state/operational-state.ts'
import { SearchUnprepared } from './catalogue.ts'
import type { Database } from './database.ts'
import { FirstPublishedValues } from './first-published.ts'
import { FileChanged, forgetIntact } from './intact-files.ts'
import { Published } from './published.ts'
import { RetainedGenerations } from './retained-generations.ts'

interface GenerationsOptions {
  readonly verifyIntervalMs?: number | undefined
  readonly onDamage?: (published: Published) => void
}

/** Verification uses a tenth of a core: nobody waits for it. */
const verifyPauseMs = 6
const retryMs = 1_000
const maxCloseMs = 2_000
/** "coinstrata pull" repairs damaged tables of the generation that is served. */
const damagedIntervalMs = 60_000

/**
 * Provides each request's generation: current or retained. Each is verified before it is served,
 * while the previous one still is, and again once a day.
 */
export class Generations {
  readonly dataDir: string
  readonly #link: string
  readonly #database: Database
  readonly #retained: RetainedGenerations
  readonly #firstPublished: FirstPublishedValues
  readonly #onDamage: GenerationsOptions['onDamage']
  readonly #timers: readonly NodeJS.Timeout[]
  #served: Published | undefined
  /** The newest generation, if it is damaged and the one before is served. */
  #refused: Published | undefined
  /** Current at the last look. */
  #newest: { readonly id: string; readonly opened: Promise<Published> } | undefined
  /** Last generation that could not be opened. */
  #unopened: string | undefined
  #verifying: Promise<void> | undefined
  #linkedId: string | undefined
  #isFresh = false

  constructor(dataDir: string, database: Database, { verifyIntervalMs = msPerDay, onDamage }: GenerationsOptions = {}) {
    this.dataDir = dataDir
    this.#link = path.join(publishedFolder(dataDir), 'current')
    this.#database = database
    this.#onDamage = onDamage
    this.#firstPublished = new FirstPublishedValues(dataDir)
    this.#retained = new RetainedGenerations(dataDir, database, onDamage)
    const verify = (): void => {
      this.#verifying ??= this.#verify().finally(() => {
        this.#verifying = undefined
      })
    }
    this.#timers = [
      setInterval(verify, verifyIntervalMs).unref(),
      setInterval(() => {
        if (this.damaged.length > 0) verify()
      }, damagedIntervalMs).unref(),
    ]
  }

  /** Waits for files being verified, but not for the rest of a slow verification. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    const reads = Promise.allSettled([this.#newest?.opened, this.#verifying])
    await Promise.race([reads, sleep(maxCloseMs, undefined, { ref: false })])
  }

  /** Throws `data_not_ready` if nothing is published, `data_damaged`. */
  async current(): Promise<Published> {
    return this.ready ?? (await this.#newest?.opened) ?? this.#open(undefined)
  }

  /** Undefined before the first generation is verified. Begins to open a new current one. */
  get ready(): Published | undefined {
    const id = this.#currentId()
    if (id === undefined) this.#newest = this.#served = this.#refused = undefined
    else if (id !== this.#newest?.id) this.#follow(id)
    return this.#served
  }

  /** Withdrawn tables; those of retained generations with their id. */
  get damaged(): readonly string[] {
    this.#served?.checkSizes()
    const others = this.#retained.opened.flatMap(({ damaged, generation: { id } }) =>
      damaged.map((name) => `${name} of generation ${id}`),
    )
    const isReadable = this.#unopened === undefined && readableGeneration(this.dataDir) !== undefined
    const id = this.#currentId()
    const whole = isReadable || id === undefined ? [] : [`all of generation ${id}`]
    return [...((this.#refused ?? this.#served)?.damaged ?? []), ...others, ...whole]
  }

  /**
   * Runs `work` on the current generation or one of a point in time; again if newer publications
   * removed its files, or a table that it reads was withdrawn. With `acceptsFirstPublished`,
   * `as_of` may be before the kept generations. Throws `not_found` for a generation that is not
   * retained, `data_not_ready` like `current`, `data_damaged`.
   */
  async read<T>(
    work: (published: Published) => Promise<T>,
    at: PointInTime & { readonly acceptsFirstPublished?: boolean } = {},
  ): Promise<T> {
    const { generation, as_of, acceptsFirstPublished = false } = at
    if (acceptsFirstPublished && generation === undefined && as_of !== undefined) {
      const isKept = this.#retained.publishedBy(as_of) !== undefined
      const firstAt = (current: Published) => this.#firstPublished.at(as_of, current)
      const first = isKept ? undefined : await readIntact(await this.current(), firstAt)
      if (first) return readIntact(first, work)
    }
    const id = this.#retained.idAt(at)
    for (;;) {
      const published = await this.current()
      if (id !== undefined && id !== published.generation.id) return this.#readRetained(id, published.lastDay, work)
      try {
        return await readIntact(published, work)
      } catch (error) {
        if (!mayBeLost(error) || published.generation.id === this.#currentId()) throw error
        const newest = this.#newest
        await newest?.opened.catch(() => undefined)
        // Unless that, too, was replaced before it was open.
        if (this.#served === published && newest?.id === this.#currentId()) throw error
      }
    }
  }

  /** The retained generation published before `id`. */
  before(id: string): string | undefined {
    return this.#retained.before(id)
  }

  async #readRetained<T>(id: string, newestDay: number, work: (published: Published) => Promise<T>): Promise<T> {
    try {
      return await readIntact(await this.#retained.open(id, newestDay), work)
    } catch (error) {
      // It may have been removed meanwhile.
      if (mayBeLost(error)) this.#retained.require(id)
      throw error
    }
  }

  #follow(id: string): void {
    const opened = this.#open(this.#served)
    this.#newest = { id, opened }
    opened.then(
      (published) => {
        // Another may have been published meanwhile.
        if (this.#newest?.opened === opened) this.#serve(published)
      },
      () => {
        this.#unopened = id
        setTimeout(() => {
          if (this.#newest?.opened === opened) this.#newest = undefined
        }, retryMs).unref()
      },
    )
  }

  #serve(published: Published): void {
    const isRefused = published.damaged.length > 0 && this.#served?.damaged.length === 0
    if (!isRefused) this.#served = published
    this.#refused = isRefused ? published : undefined
    if (published.generation.id === this.#newest?.id) this.#unopened = undefined
  }

  async #open(before: Published | undefined): Promise<Published> {
    const opened = readableGeneration(this.dataDir)
    if (opened) {
      const published = await Published.open(this.#database, opened, { before, onDamage: this.#onDamage })
      await published.verify()
      return published
    }
    const id = this.#currentId()
    if (id !== undefined) throw generationDamaged(id)
    if (isBeingUpdated(this.dataDir)) {
      throw new CoinstrataError('data_not_ready', 'no data is published yet, and the first update is running', {
        cure: 'try again in a few minutes',
      })
    }
    throw new CoinstrataError('data_not_ready', 'no data is published yet', { cure: 'run "coinstrata update"' })
  }

  /** Verifies every open generation slowly. */
  async #verify(): Promise<void> {
    this.#retained.forgetVerified()
    for (const published of [this.#served, this.#refused, ...this.#retained.opened]) {
      await published?.verify(verifyPauseMs)
    }
    if (this.#refused) this.#serve(this.#refused)
  }

  /** Reads the link once per turn of the event loop, for all its requests. */
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

/** While a request is answered. */
const maxChanges = 5

/**
 * Repeats `work` if tables were withdrawn or returned meanwhile: it may have read them. If it fails,
 * every file is verified again before it is repeated once. Throws `data_damaged` for a file that
 * changes again and again.
 */
async function readIntact<T>(published: Published, work: (published: Published) => Promise<T>): Promise<T> {
  let isRepeated = false
  for (let changes = 0; ; ) {
    const { state } = published
    try {
      const result = await work(published)
      if (published.state === state) return result
    } catch (error) {
      const isChanged = error instanceof FileChanged
      if (isChanged && ++changes > maxChanges) throw dataDamaged(error.table, 'something keeps writing to its file')
      // DuckDB reports damage as a plain error.
      const mayBeDamage: boolean = !isRepeated && error instanceof Error && error.constructor === Error
      if (mayBeDamage) forgetIntact()
      if (error instanceof SearchUnprepared) await prepareSearch(published.catalogue.metrics, pacedTurns())
      else if (isChanged || mayBeDamage) await published.reverify()
      else if (published.state === state) throw error
      isRepeated ||= mayBeDamage
    }
  }
}

const mayBeLost = (error: unknown): boolean => !(error instanceof ApiError) || error.code === 'data_damaged'

/** A run that will publish is in progress. */
const isBeingUpdated = (dataDir: string): boolean =>
  readOperations(dataDir, { served: undefined, maxAgeMs: Number.POSITIVE_INFINITY }).runs.some(
    ({ job, outcome }) => updateJobs.has(job) && outcome === 'running',
  )

import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { ChartSpecification } from '#render/draw/specification.ts'
import type { RenderFormat } from '#render/output/drawn-file.ts'
import type { RenderPool } from '#render/output/pool.ts'
import type { Logger } from '#root/log.ts'
import { unfinishedName, unfinishedPrefix } from '#sql/files.ts'
import type { Worker } from '../limits/budget.ts'
import { FairQueue } from '../limits/fair-queue.ts'
import { longestWait, type Work } from '../limits/work.ts'
import { type ChartPlace, SharedCharts } from './shared-charts.ts'

/** How long a chart can be fetched after it was last asked for, in milliseconds. */
export const renderLifetime = 3_600_000
const sweptEvery = 60_000
/** What is oldest goes first where more is asked for within the hour than may lie on the disk. */
const mostBytes = 2 * 2 ** 30
/** Some room is made at a time, as looking through the folder takes time. */
const roomyBytes = mostBytes - mostBytes / 8
/** In milliseconds, until it is known. */
const drawingTime = 150
/** Of what other machines may ask for, which stays where it is for longer than an hour after it was last told of. */
const sharedLifetime = 1.5 * renderLifetime
const oldestTold = sharedLifetime - renderLifetime

/** A chart with everything that is told of it. */
export interface StoredChart {
  readonly specification: ChartSpecification
  readonly generation: string
  readonly simulated: boolean
  /** The day on which the caller's history begins, where that makes a difference to the chart. */
  readonly historyLimitedTo: string | undefined
  /** SVGs bring their font along. */
  readonly embedFont: boolean
}

/**
 * Charts that were asked for, by an id that only who asked knows: their specification with all columns, and the
 * pictures made of it so far. They lie in a folder for an hour, also when the service restarts.
 */
export class RenderStore {
  readonly #folder: string
  readonly #work: Work
  readonly #createDrawing: () => Drawing
  readonly #log: Logger
  readonly #shared: SharedCharts | undefined
  #drawing: Drawing | undefined
  readonly #timer: NodeJS.Timeout
  /** By what decides the chart. */
  readonly #known = new Map<string, string>()
  readonly #composing = new Map<string, Promise<string>>()
  readonly #fetching = new Map<string, Promise<boolean>>()
  readonly #pictures = new Map<string, Promise<Buffer | undefined>>()
  /** Of the folder: what the last sweep found, and what was written since. */
  #bytes = 0

  /** The pool is made with the first picture: it takes memory that many never need. With `place` charts of other machines are known, too. */
  constructor(folder: string, work: Work, createPool: () => RenderPool, log: Logger, place?: ChartPlace) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#work = work
    this.#createDrawing = () => {
      const pool = createPool()
      return { pool, turns: new FairQueue({ atOnce: pool.threads, longestWait, usualTime: drawingTime }) }
    }
    this.#log = log
    this.#shared = place && new SharedCharts(place, log)
    this.#tidy()
    this.#timer = setInterval(() => this.#tidy(), sweptEvery).unref()
  }

  /**
   * The id of the chart that `key` decides, for an hour from now; `compose` makes it where it is not here. The same
   * chart asked for by a caller many times at once is made once. Throws `overloaded`, `budget_exceeded`.
   */
  keep(caller: Worker, key: string, compose: () => Promise<StoredChart>): Promise<string> {
    return shared(this.#composing, `${key} ${caller.name}`, async () => {
      return (await this.#renewed(key)) ?? this.#work.make(caller, () => this.#keep(caller, key, compose))
    })
  }

  async #keep(caller: Worker, key: string, compose: () => Promise<StoredChart>): Promise<string> {
    // Somebody else may have asked for it in the meantime.
    const known = await this.#renewed(key)
    if (known !== undefined) return known
    this.#work.cells.require(caller)
    await this.#work.pausesOf(caller).pauseComputing()
    const chart = await compose()
    const id = randomBytes(16).toString('hex')
    const bytes = serialize(chart)
    await this.#write(`${id}.chart`, bytes)
    if (this.#shared) {
      await this.#write(`${id}.shared`, new Uint8Array())
      this.#shared.offer(id, bytes)
    }
    this.#known.set(key, id)
    return id
  }

  /** The chart of an id; undefined where there is none, or it is older than an hour. */
  async find(id: string): Promise<StoredChart | undefined> {
    const bytes = await this.#read(`${id}.chart`)
    return bytes && deserialize(bytes)
  }

  /** Whether a chart is here, or can be had of another machine. Throws `storage_unavailable` where that is not told. */
  async has(id: string): Promise<boolean> {
    if (await this.#isFresh(`${id}.chart`)) return true
    return this.#shared !== undefined && shared(this.#fetching, id, () => this.#fetch(id))
  }

  async #fetch(id: string): Promise<boolean> {
    const bytes = await this.#shared?.find(id)
    if (!bytes) return false
    try {
      deserialize(bytes)
    } catch (err) {
      this.#log.warn({ err, id }, 'a chart of another machine is damaged')
      return false
    }
    await this.#write(`${id}.chart`, bytes)
    return true
  }

  /**
   * The picture of a chart, drawn where it has not been drawn yet, when it is the caller's turn; undefined as for `find`.
   * Throws `render_overloaded`, `budget_exceeded`, and what drawing throws.
   */
  picture(caller: Worker, id: string, format: RenderFormat): Promise<Buffer | undefined> {
    return shared(this.#pictures, `${id}.${format} ${caller.name}`, async () => {
      const drawn = await this.#drawn(id, format)
      if (drawn) return drawn
      this.#drawing ??= this.#createDrawing()
      const { pool, turns } = this.#drawing
      return turns.run(caller.name, async () => (await this.#drawn(id, format)) ?? this.#draw(caller, pool, id, format))
    })
  }

  /** How many charts wait to be drawn. */
  get waiting(): number {
    return this.#drawing?.turns.waiting ?? 0
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#drawing?.pool.close()
  }

  async #drawn(id: string, format: RenderFormat): Promise<Buffer | undefined> {
    return (await this.#isFresh(`${id}.chart`)) ? this.#read(`${id}.${format}`) : undefined
  }

  /** Only here are the columns read, so that charts that wait take no memory. */
  async #draw(caller: Worker, pool: RenderPool, id: string, format: RenderFormat): Promise<Buffer | undefined> {
    this.#work.renders.require(caller)
    const chart = await this.find(id)
    if (!chart) return undefined
    const { specification, embedFont } = chart
    const begin = performance.now()
    const bytes = await pool.render({ specification, format, embedFont })
    this.#work.renders.spend(caller, (performance.now() - begin) / 1000)
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    await this.#write(`${id}.${format}`, buffer)
    return buffer
  }

  /** The id of a known chart, whose hour begins anew. */
  async #renewed(key: string): Promise<string | undefined> {
    const known = this.#known.get(key)
    return known !== undefined && (await this.#renew(known)) ? known : undefined
  }

  /** Begins the hour of a chart and its pictures anew; false where the chart is gone. */
  async #renew(id: string): Promise<boolean> {
    if (!(await this.#isFresh(`${id}.chart`))) return false
    if (this.#shared && !(await this.#isFresh(`${id}.shared`, oldestTold))) return false
    const now = new Date()
    const renewed = ['chart', 'png', 'svg', 'spec'].map((kind) =>
      utimes(path.join(this.#folder, `${id}.${kind}`), now, now).then(() => true, absent),
    )
    return (await Promise.all(renewed))[0] === true
  }

  async #write(name: string, bytes: Uint8Array): Promise<void> {
    const file = path.join(this.#folder, name)
    const write = () => writeFile(unfinishedName(file), bytes)
    await write().catch(async (error) => {
      absent(error)
      await mkdir(this.#folder, { recursive: true })
      await write()
    })
    await rename(unfinishedName(file), file)
    this.#bytes += bytes.length
    if (this.#bytes > mostBytes) this.#tidy()
  }

  async #read(name: string): Promise<Buffer | undefined> {
    if (!(await this.#isFresh(name))) return undefined
    return readFile(path.join(this.#folder, name)).catch(absent)
  }

  async #isFresh(name: string, lifetime = renderLifetime): Promise<boolean> {
    const found = await stat(path.join(this.#folder, name)).catch(absent)
    return found !== undefined && found.mtimeMs + lifetime > Date.now()
  }

  /** The service lives on where old charts cannot be removed. */
  #tidy(): void {
    try {
      this.#sweep()
    } catch (error) {
      this.#log.error({ err: error, folder: this.#folder }, 'old charts cannot be removed')
    }
  }

  #sweep(): void {
    mkdirSync(this.#folder, { recursive: true })
    const files = readdirSync(this.#folder).flatMap((name) => {
      const file = path.join(this.#folder, name)
      // What is being written may have been renamed since.
      const found = statSync(file, { throwIfNoEntry: false })
      return found ? [{ file, name, mtimeMs: found.mtimeMs, size: found.size }] : []
    })
    files.sort((one, other) => other.mtimeMs - one.mtimeMs)
    const total = files.reduce((sum, { size }) => sum + size, 0)
    const most = total > mostBytes ? roomyBytes : mostBytes
    const now = Date.now()
    const kept = new Set<string>()
    let [newerBytes, keptBytes] = [0, 0]
    for (const { file, name, mtimeMs, size } of files) {
      newerBytes += size
      const isShared = name.endsWith('.shared')
      const isOld = mtimeMs + (isShared ? sharedLifetime : renderLifetime) <= now
      if (isOld && isShared) this.#shared?.withdraw(path.parse(name).name)
      if (isOld || (newerBytes > most && !name.startsWith(unfinishedPrefix))) {
        rmSync(file, { force: true })
        continue
      }
      kept.add(name)
      keptBytes += size
    }
    this.#bytes = keptBytes
    for (const [key, id] of this.#known) if (!kept.has(`${id}.chart`)) this.#known.delete(key)
  }
}

/** The threads that draw, and whose turn it is to be drawn. */
interface Drawing {
  readonly pool: RenderPool
  readonly turns: FairQueue
}

/** What is under way for a key, begun where nothing is. */
function shared<Value>(
  underWay: Map<string, Promise<Value>>,
  key: string,
  begin: () => Promise<Value>,
): Promise<Value> {
  const found = underWay.get(key)
  if (found !== undefined) return found
  const begun = begin()
  underWay.set(key, begun)
  const done = () => underWay.delete(key)
  begun.then(done, done)
  return begun
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}

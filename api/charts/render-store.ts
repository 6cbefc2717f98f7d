import { randomBytes } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import type { Logger } from '#base/log.ts'
import type { Worker } from '#limits/budget.ts'
import { FairQueue } from '#limits/fair-queue.ts'
import { maxWaitMs, type Work } from '#limits/work.ts'
import type { ChartSpecification } from '#render/draw/specification.ts'
import type { RenderPool } from '#render/output/render-pool.ts'
import type { RenderFormat } from '#render/output/render-task.ts'
import { valuesBetweenPauses } from '#sql/formula/evaluate.ts'
import { ChartFolder, renderLifetime, sharedLifetime } from './chart-folder.ts'
import { type ChartPlace, SharedCharts } from './shared-charts.ts'

/** In milliseconds, until it is known. */
const drawingTime = 150
/** A chart of which other machines were last told longer ago is told of again. */
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
  readonly #folder: ChartFolder
  readonly #work: Work
  readonly #createDrawing: () => Drawing
  readonly #log: Logger
  readonly #shared: SharedCharts | undefined
  #drawing: Drawing | undefined
  /** By what decides the chart. */
  readonly #known = new Map<string, string>()
  readonly #composing = new Map<string, Promise<string>>()
  readonly #fetching = new Map<string, Promise<boolean>>()
  readonly #pictures = new Map<string, Promise<Buffer | undefined>>()

  /** The pool is made with the first picture: it takes memory that many never need. With `place` charts of other machines are known, too. */
  constructor(folder: string, work: Work, createPool: () => RenderPool, log: Logger, place?: ChartPlace) {
    this.#work = work
    this.#createDrawing = () => {
      const pool = createPool()
      return { pool, turns: new FairQueue({ atOnce: pool.threads, longestWait: maxWaitMs, usualTime: drawingTime }) }
    }
    this.#log = log
    this.#shared = place && new SharedCharts(place, log)
    this.#folder = new ChartFolder(folder, log, {
      onSwept: (kept) => {
        for (const [key, id] of this.#known) if (!kept.has(`${id}.chart`)) this.#known.delete(key)
      },
      onShareEnded: (id) => this.#shared?.withdraw(id),
    })
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
    await this.#work.pausesFor(caller, valuesBetweenPauses).pauseComputing()
    const chart = await compose()
    const id = randomBytes(16).toString('hex')
    const bytes = serialize(chart)
    await this.#folder.write(`${id}.chart`, bytes)
    if (this.#shared) {
      await this.#folder.write(`${id}.shared`, new Uint8Array())
      this.#shared.offer(id, bytes)
    }
    this.#known.set(key, id)
    return id
  }

  /** The chart of an id; undefined where there is none, or it is older than an hour. */
  async find(id: string): Promise<StoredChart | undefined> {
    const bytes = await this.#folder.read(`${id}.chart`)
    return bytes && deserialize(bytes)
  }

  /** Whether a chart is here, or can be had of another machine. Throws `storage_unavailable` where that is not told. */
  async has(id: string): Promise<boolean> {
    if (await this.#folder.isFresh(`${id}.chart`)) return true
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
    await this.#folder.write(`${id}.chart`, bytes)
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
    this.#folder.close()
    await this.#drawing?.pool.close()
  }

  async #drawn(id: string, format: RenderFormat): Promise<Buffer | undefined> {
    return (await this.#folder.isFresh(`${id}.chart`)) ? this.#folder.read(`${id}.${format}`) : undefined
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
    await this.#folder.write(`${id}.${format}`, buffer)
    return buffer
  }

  /** The id of a known chart, whose hour begins anew. */
  async #renewed(key: string): Promise<string | undefined> {
    const known = this.#known.get(key)
    return known !== undefined && (await this.#renew(known)) ? known : undefined
  }

  /** Begins the hour of a chart and its pictures anew; false where the chart is gone. */
  async #renew(id: string): Promise<boolean> {
    if (!(await this.#folder.isFresh(`${id}.chart`))) return false
    if (this.#shared && !(await this.#folder.isFresh(`${id}.shared`, oldestTold))) return false
    return this.#folder.renew(id, ['chart', 'png', 'svg', 'spec'])
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

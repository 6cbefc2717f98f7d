import { randomBytes } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import type { Logger } from '#base/log.ts'
import { ownTurn } from '#base/own-turn.ts'
import { shareRunning } from '#base/shared-promises.ts'
import { type Admission, maxWaitMs } from '#limits/admission.ts'
import type { LimitedCaller } from '#limits/budget.ts'
import { FairQueue } from '#limits/fair-queue.ts'
import { LimitError } from '#limits/limiter.ts'
import type { ChartSpecification } from '#render/draw/specification.ts'
import { countLabels } from '#render/output/hidden-labels.ts'
import { listRemarks } from '#render/output/metadata.ts'
import type { RenderPool } from '#render/output/render-pool.ts'
import type { RenderFormat, RenderTask } from '#render/output/render-task.ts'
import { ChartFolder, chartLifetimeMs, sharedLifetimeMs } from './chart-folder.ts'
import { type ChartStorage, SharedCharts } from './shared-charts.ts'

/** In ms. */
const expectedMs = { composing: 50, svg: 30, png: 120, csv: 20, rows: 20, spec: 20, remarks: 20 }
/** Cells for which composing counts, besides its formulas. */
const composingCells = 20_000
/** Older offers to other machines are renewed. */
const maxOfferAgeMs = sharedLifetimeMs - chartLifetimeMs

export interface StoredChart {
  readonly specification: ChartSpecification
  readonly generation: string
  readonly simulated: boolean
  /** First day of the caller's history, if it changes the chart. */
  readonly historyLimitedTo: string | undefined
  readonly embedFont: boolean
}

export interface KeptChart {
  readonly id: string
  /** As in its metadata. */
  readonly remarks: readonly string[]
}

/**
 * Specifications with all columns, and their pictures, by random id: files that stay for an hour,
 * even after a restart.
 */
export class RenderStore {
  readonly #folder: ChartFolder
  readonly #admission: Admission
  readonly #createPool: () => RenderPool
  readonly #log: Logger
  readonly #shareByKey: SharedCharts | undefined
  #drawing: Drawing | undefined
  /** By key of their request. */
  readonly #known = new Map<string, KeptChart>()
  readonly #composing = new Map<string, Promise<KeptChart>>()
  readonly #fetching = new Map<string, Promise<boolean>>()
  readonly #pictures = new Map<string, Promise<Buffer | undefined>>()

  /** `place`: also finds charts of other machines. */
  constructor(folder: string, admission: Admission, createPool: () => RenderPool, log: Logger, place?: ChartStorage) {
    this.#admission = admission
    this.#createPool = createPool
    this.#log = log
    this.#shareByKey = place && new SharedCharts(place, log)
    this.#folder = new ChartFolder(folder, log, {
      onSwept: (kept) => {
        for (const [key, { id }] of this.#known) if (!kept.has(`${id}.chart`)) this.#known.delete(key)
      },
      onShareEnded: (id) => this.#shareByKey?.withdraw(id),
    })
  }

  /**
   * Valid for an hour; `compose` creates the chart if there is none. A caller's concurrent requests
   * share the work.
   */
  keep(caller: LimitedCaller, key: string, compose: () => Promise<StoredChart>): Promise<KeptChart> {
    const run = () => this.#admission.run(caller, expectedMs.composing, () => this.#keep(caller, key, compose))
    return shareRunning(this.#composing, `${key} ${caller.name}`, async () => (await this.#renewed(key)) ?? run())
  }

  async #keep(caller: LimitedCaller, key: string, compose: () => Promise<StoredChart>): Promise<KeptChart> {
    // Another caller may have requested it meanwhile.
    const known = await this.#renewed(key)
    if (known !== undefined) return known
    this.#admission.cells.spend(caller, composingCells)
    const chart = await compose()
    await ownTurn()
    const remarks = await this.#listRemarks(caller, chart)
    const id = randomBytes(16).toString('hex')
    const bytes = serialize(chart)
    await this.#folder.write(`${id}.chart`, bytes)
    if (this.#shareByKey) {
      await this.#folder.write(`${id}.shared`, new Uint8Array())
      this.#shareByKey.offer(id, bytes)
    }
    const kept = { id, remarks }
    this.#known.set(key, kept)
    return kept
  }

  async #listRemarks(caller: LimitedCaller, { specification }: StoredChart): Promise<readonly string[]> {
    if (countLabels(specification) === 0) return listRemarks(specification)
    const { pool, turns } = this.startThreads()
    // Labels are laid out for it, which can take half a second.
    const remarks = await turns.run(caller.name, expectedMs.remarks, () =>
      this.#render(caller, pool, { specification, format: 'remarks' }),
    )
    return JSON.parse(remarks.toString())
  }

  /** Some charts show damaged data. */
  clear(): void {
    this.#folder.clear()
  }

  /** Undefined after an hour. */
  async find(id: string): Promise<StoredChart | undefined> {
    const bytes = await this.#folder.read(`${id}.chart`)
    return bytes && deserialize(bytes)
  }

  /** Here or on another machine. */
  async has(id: string): Promise<boolean> {
    if (await this.#folder.isFresh(`${id}.chart`)) return true
    return this.#shareByKey !== undefined && shareRunning(this.#fetching, id, () => this.#fetch(id))
  }

  async #fetch(id: string): Promise<boolean> {
    const bytes = await this.#shareByKey?.find(id)
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

  /** Drawn when it is the caller's turn; undefined as for `find`. */
  picture(caller: LimitedCaller, id: string, format: RenderFormat): Promise<Buffer | undefined> {
    return shareRunning(this.#pictures, `${id}.${format} ${caller.name}`, async () => {
      const drawn = await this.#drawn(id, format)
      if (drawn) return drawn
      const { pool, turns } = this.startThreads()
      return turns.run(
        caller.name,
        expectedMs[format],
        async () => (await this.#drawn(id, format)) ?? this.#draw(caller, pool, id, format),
      )
    })
  }

  /** Each thread needs half a second to load jsdom. */
  startThreads(): Drawing {
    if (this.#drawing) return this.#drawing
    const pool = this.#createPool()
    this.#drawing = { pool, turns: new FairQueue({ concurrency: pool.threads, maxWaitMs }, renderOverloaded) }
    return this.#drawing
  }

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

  /** Reads columns only now: waiting charts take no memory. */
  async #draw(caller: LimitedCaller, pool: RenderPool, id: string, format: RenderFormat): Promise<Buffer | undefined> {
    const chart = await this.find(id)
    if (!chart) return undefined
    const { specification, embedFont } = chart
    const buffer = await this.#render(caller, pool, { specification, format, embedFont })
    await this.#folder.write(`${id}.${format}`, buffer)
    return buffer
  }

  async #render(caller: LimitedCaller, pool: RenderPool, task: RenderTask): Promise<Buffer> {
    this.#admission.renders.require(caller)
    const begin = performance.now()
    const bytes = await pool.render(task)
    this.#admission.renders.spend(caller, (performance.now() - begin) / 1000)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  async #renewed(key: string): Promise<KeptChart | undefined> {
    const known = this.#known.get(key)
    return known !== undefined && (await this.#renew(known.id)) ? known : undefined
  }

  /** Restarts its hour; false if the chart is gone. */
  async #renew(id: string): Promise<boolean> {
    if (!(await this.#folder.isFresh(`${id}.chart`))) return false
    if (this.#shareByKey && !(await this.#folder.isFresh(`${id}.shared`, maxOfferAgeMs))) return false
    return this.#folder.renew(id, ['chart', 'png', 'svg', 'csv', 'rows', 'spec'])
  }
}

const renderOverloaded = (seconds: number): LimitError => {
  const message = `too many charts are waiting to be drawn; try again in ${seconds} seconds`
  return new LimitError('render_overloaded', message, seconds)
}

interface Drawing {
  readonly pool: RenderPool
  readonly turns: FairQueue
}

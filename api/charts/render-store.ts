import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import type { RenderFormat, RenderPool } from '#render/pool.ts'
import type { ChartSpecification } from '#render/specification.ts'
import { unfinishedName, unfinishedPrefix } from '#sql/files.ts'

/** How long a chart can be fetched after it was asked for, in milliseconds. */
export const renderLifetime = 3_600_000
const sweptEvery = 60_000
/** What is oldest goes first where more is asked for within the hour than may lie on the disk. */
const mostBytes = 2 * 2 ** 30

/** A chart with everything that is told of it. */
export interface StoredChart {
  readonly specification: ChartSpecification
  readonly generation: string
  readonly simulated: boolean
  /** Where the chart was to begin before the caller's history: the day on which that begins. */
  readonly historyLimitedTo: string | undefined
}

/**
 * Charts that were asked for, by an id that only who asked knows: their specification with all columns, and the
 * pictures made of it so far. They lie in a folder for an hour, also when the service restarts.
 */
export class RenderStore {
  readonly #folder: string
  readonly #createPool: () => RenderPool
  #pool: RenderPool | undefined
  readonly #timer: NodeJS.Timeout
  /** By what decides the chart. */
  readonly #known = new Map<string, { readonly id: string; readonly until: number }>()
  readonly #drawing = new Map<string, Promise<Buffer>>()
  #turn: Promise<void> = Promise.resolve()

  /** The pool is made with the first picture: it takes memory that many never need. */
  constructor(folder: string, createPool: () => RenderPool) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#createPool = createPool
    this.#sweep()
    this.#timer = setInterval(() => this.#sweep(), sweptEvery).unref()
  }

  /** The id of the chart that `key` decides; `compose` makes it where it is not here. */
  async keep(key: string, compose: () => Promise<StoredChart>): Promise<string> {
    const known = this.#known.get(key)
    if (known && known.until > Date.now()) return known.id
    // Each begins in a turn of its own of the event loop, so that many at once let other requests through.
    this.#turn = this.#turn.then(() => setImmediate())
    await this.#turn
    const chart = await compose()
    const id = randomBytes(16).toString('hex')
    await this.#write(`${id}.chart`, serialize(chart))
    this.#known.set(key, { id, until: Date.now() + renderLifetime })
    return id
  }

  /** The chart of an id; undefined where there is none, or it is older than an hour. */
  async find(id: string): Promise<StoredChart | undefined> {
    const bytes = await this.#read(`${id}.chart`)
    return bytes && deserialize(bytes)
  }

  /** The picture of a chart, drawn where it has not been drawn yet; undefined as for `find`. */
  async picture(id: string, format: RenderFormat): Promise<Buffer | undefined> {
    const name = `${id}.${format}`
    const drawn = (await this.#isFresh(`${id}.chart`)) ? await this.#read(name) : undefined
    if (drawn) return drawn
    const chart = await this.find(id)
    return chart && (this.#drawing.get(name) ?? this.#draw(name, chart.specification, format))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#pool?.close()
  }

  #draw(name: string, specification: ChartSpecification, format: RenderFormat): Promise<Buffer> {
    this.#pool ??= this.#createPool()
    const drawing = this.#pool.render(specification, format).then(async (bytes) => {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      await this.#write(name, buffer)
      return buffer
    })
    this.#drawing.set(name, drawing)
    const done = () => this.#drawing.delete(name)
    drawing.then(done, done)
    return drawing
  }

  async #write(name: string, bytes: Uint8Array): Promise<void> {
    const file = path.join(this.#folder, name)
    await writeFile(unfinishedName(file), bytes)
    await rename(unfinishedName(file), file)
  }

  async #read(name: string): Promise<Buffer | undefined> {
    if (!(await this.#isFresh(name))) return undefined
    return readFile(path.join(this.#folder, name)).catch(absent)
  }

  async #isFresh(name: string): Promise<boolean> {
    const found = await stat(path.join(this.#folder, name)).catch(absent)
    return found !== undefined && found.mtimeMs + renderLifetime > Date.now()
  }

  #sweep(): void {
    const files = readdirSync(this.#folder).map((name) => {
      const file = path.join(this.#folder, name)
      const { mtimeMs, size } = statSync(file)
      return { file, name, mtimeMs, size }
    })
    files.sort((one, other) => other.mtimeMs - one.mtimeMs)
    let kept = 0
    const removed = new Set<string>()
    for (const { file, name, mtimeMs, size } of files) {
      kept += size
      const isOver = mtimeMs + renderLifetime <= Date.now() || kept > mostBytes
      if (!isOver || (name.startsWith(unfinishedPrefix) && mtimeMs + renderLifetime > Date.now())) continue
      rmSync(file, { force: true })
      removed.add(name)
    }
    for (const [key, { id }] of this.#known) if (removed.has(`${id}.chart`)) this.#known.delete(key)
  }
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}

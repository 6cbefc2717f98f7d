import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import type { ChartSpecification } from '#render/draw/specification.ts'
import type { RenderPool } from '#render/output/pool.ts'
import type { RenderFormat } from '#render/output/worker.ts'
import type { Logger } from '#root/log.ts'
import { unfinishedName, unfinishedPrefix } from '#sql/files.ts'

/** How long a chart can be fetched after it was last asked for, in milliseconds. */
export const renderLifetime = 3_600_000
const sweptEvery = 60_000
/** What is oldest goes first where more is asked for within the hour than may lie on the disk. */
const mostBytes = 2 * 2 ** 30
/** Some room is made at a time, as looking through the folder takes time. */
const roomyBytes = mostBytes - mostBytes / 8

/** A chart with everything that is told of it. */
export interface StoredChart {
  readonly specification: ChartSpecification
  readonly generation: string
  readonly simulated: boolean
  /** The day on which the caller's history begins, where that makes a difference to the chart. */
  readonly historyLimitedTo: string | undefined
}

/**
 * Charts that were asked for, by an id that only who asked knows: their specification with all columns, and the
 * pictures made of it so far. They lie in a folder for an hour, also when the service restarts.
 */
export class RenderStore {
  readonly #folder: string
  readonly #createPool: () => RenderPool
  readonly #log: Logger
  #pool: RenderPool | undefined
  readonly #timer: NodeJS.Timeout
  /** By what decides the chart. */
  readonly #known = new Map<string, string>()
  readonly #composing = new Map<string, Promise<string>>()
  readonly #drawing = new Map<string, Promise<Buffer>>()
  /** Of the folder: what the last sweep found, and what was written since. */
  #bytes = 0
  #turn: Promise<void> = Promise.resolve()

  /** The pool is made with the first picture: it takes memory that many never need. */
  constructor(folder: string, createPool: () => RenderPool, log: Logger) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#createPool = createPool
    this.#log = log
    this.#tidy()
    this.#timer = setInterval(() => this.#tidy(), sweptEvery).unref()
  }

  /**
   * The id of the chart that `key` decides, for an hour from now; `compose` makes it where it is not here. The same
   * chart asked for many times at once is made once.
   */
  keep(key: string, compose: () => Promise<StoredChart>): Promise<string> {
    return shared(this.#composing, key, () => this.#keep(key, compose))
  }

  async #keep(key: string, compose: () => Promise<StoredChart>): Promise<string> {
    const known = this.#known.get(key)
    if (known !== undefined && (await this.#renew(known))) return known
    // Each begins in a turn of its own of the event loop, so that many at once let other requests through.
    this.#turn = this.#turn.then(() => setImmediate())
    await this.#turn
    const chart = await compose()
    const id = randomBytes(16).toString('hex')
    await this.#write(`${id}.chart`, serialize(chart))
    this.#known.set(key, id)
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
    return chart && shared(this.#drawing, name, () => this.#draw(name, chart.specification, format))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#pool?.close()
  }

  async #draw(name: string, specification: ChartSpecification, format: RenderFormat): Promise<Buffer> {
    this.#pool ??= this.#createPool()
    const bytes = await this.#pool.render(specification, format)
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    await this.#write(name, buffer)
    return buffer
  }

  /** Begins the hour of a chart and its pictures anew; false where the chart is gone. */
  async #renew(id: string): Promise<boolean> {
    if (!(await this.#isFresh(`${id}.chart`))) return false
    const now = new Date()
    const renewed = ['chart', 'png', 'svg'].map((kind) =>
      utimes(path.join(this.#folder, `${id}.${kind}`), now, now).then(() => true, absent),
    )
    return (await Promise.all(renewed))[0] === true
  }

  async #write(name: string, bytes: Uint8Array): Promise<void> {
    const file = path.join(this.#folder, name)
    await mkdir(this.#folder, { recursive: true })
    await writeFile(unfinishedName(file), bytes)
    await rename(unfinishedName(file), file)
    this.#bytes += bytes.length
    if (this.#bytes > mostBytes) this.#tidy()
  }

  async #read(name: string): Promise<Buffer | undefined> {
    if (!(await this.#isFresh(name))) return undefined
    return readFile(path.join(this.#folder, name)).catch(absent)
  }

  async #isFresh(name: string): Promise<boolean> {
    const found = await stat(path.join(this.#folder, name)).catch(absent)
    return found !== undefined && found.mtimeMs + renderLifetime > Date.now()
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
      const isOld = mtimeMs + renderLifetime <= now
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

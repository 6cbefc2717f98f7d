import { statSync } from 'node:fs'
import path from 'node:path'
import type { Logger } from '#base/log.ts'
import { endpoints } from '#contract/endpoints.ts'
import { type EventData, type EventName, eventData, eventNames } from '#contract/events.ts'
import { paths } from '#contract/paths.ts'
import { readLink } from '#sql/files.ts'
import { openToday, publishedFolder, todayLink } from '#sql/generation.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { attemptsFile, lastSnapshot } from '#state/source-attempts.ts'
import type { Generations } from './generations.ts'

/** Reading two links and a file's time is cheap, and needs no watcher. */
const pollIntervalMs = 100
/** A snapshot is complete after this silence of all sources. */
const snapshotSettleMs = 10_000

/** With the state after the event. */
export interface Change {
  readonly event: EventName
  readonly data: EventData
  readonly state: EventState
}

type Listener = (changes: readonly Change[]) => void
type EventDataByName = { readonly [Name in EventName]?: EventData<Name> | undefined }

/** Detects and announces what other processes publish. */
export class Changes {
  readonly #generations: Generations
  readonly #basePath: string
  readonly #log: Logger
  readonly #listeners = new Set<Listener>()
  #state: EventState = initialState
  #data: EventDataByName = {}
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isFailing = false
  #marketFile: { readonly changed: number; readonly snapshot: number | undefined } = { changed: 0, snapshot: undefined }

  constructor(generations: Generations, basePath: string, log: Logger) {
    this.#generations = generations
    this.#basePath = basePath
    this.#log = log
  }

  async readState(): Promise<{ readonly state: EventState; readonly eventData: (event: EventName) => EventData }> {
    await this.check()
    const data = this.#data
    return { state: this.#state, eventData: (event) => data[event]! }
  }

  /** Calls `listener` with each change until the returned function is called. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#timer ??= setInterval(() => this.check(), pollIntervalMs).unref()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  check(): Promise<void> {
    this.#looking ??= this.#compare()
      .then(() => {
        this.#isFailing = false
      })
      .catch((err) => {
        // A file being replaced is read next time.
        if (!this.#isFailing) this.#log.error({ err }, 'cannot find out what has changed; trying again')
        this.#isFailing = true
      })
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #compare(): Promise<void> {
    const found = await this.#find()
    const steps = stepsBetween(this.#state, found)
    if (steps.length === 0) return
    const data: { [Name in EventName]?: EventData<Name> | undefined } = { ...this.#data }
    if (found.generation !== this.#state.generation) data.generation = this.#describeGeneration(found.generation)
    if (found.today !== this.#state.today) data.today = await this.#describeToday()
    if (found.market !== this.#state.market) data.market = this.#describeMarket(found.market)
    this.#data = data
    const changes = steps.flatMap(({ event, state }) => {
      const described = data[event]
      return described ? [{ event, state, data: described }] : []
    })
    // Events that cannot be described yet stay out of the state.
    this.#state = changes.at(-1)?.state ?? this.#state
    for (const listener of this.#listeners) listener(changes)
  }

  async #find(): Promise<EventState> {
    const { dataDir } = this.#generations
    const today = readLink(todayLink(publishedFolder(dataDir))) ?? ''
    return {
      generation: (await this.#generations.current().catch(() => undefined))?.generation.id ?? '',
      today: /\d+/.exec(path.basename(today))?.[0] ?? '',
      market: this.#findSnapshot(),
    }
  }

  /** The newest snapshot if complete, else the one before. */
  #findSnapshot(): string {
    const { dataDir } = this.#generations
    const changed = statSync(attemptsFile(dataDir), { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (changed !== this.#marketFile.changed) this.#marketFile = { changed, snapshot: lastSnapshot(dataDir) }
    const { snapshot } = this.#marketFile
    const isSettled = snapshot !== undefined && snapshot <= Date.now() - snapshotSettleMs
    return isSettled ? String(snapshot) : this.#state.market
  }

  #describeGeneration(id: string): EventData<'generation'> | undefined {
    const served = this.#generations.ready?.generation
    if (served?.id !== id) return undefined
    const { created_at, last_date, tip } = served
    return {
      generation: id,
      published_at: created_at,
      last_date,
      tip_height: tip.height,
      tip_hash: tip.hash,
      fetch: this.#basePath + paths.status,
    }
  }

  async #describeToday(): Promise<EventData<'today'> | undefined> {
    const file = openToday(publishedFolder(this.#generations.dataDir))
    if (file === undefined || file === 'damaged') return undefined
    const columns = await this.#generations.read((published) =>
      published.query(`SELECT as_of_height, as_of_hash, as_of_time, updated_at FROM ${parquetFiles([file])}`),
    )
    const row = Object.fromEntries(columns.map(({ name, values }) => [name, values[0]]))
    return eventData.today.parse({ ...row, fetch: this.#basePath + endpoints.today.path })
  }

  #describeMarket(snapshot: string): EventData<'market'> {
    return { snapshot_at: new Date(Number(snapshot)).toISOString(), fetch: this.#basePath + paths.status }
  }
}

/** Empty before the first event. */
export type EventState = Readonly<Record<EventName, string>>

export const initialState: EventState = { generation: '', today: '', market: '' }

/**
 * The event id is the whole state after it, so no server remembers what it sent: any server of the
 * same data sends a client whatever differs from its last id.
 */
export const formatEventId = (state: EventState): string => eventNames.map((name) => state[name]).join('.')

/** Invalid ids are the state before the first event. */
export function parseEventId(id: string | undefined): EventState {
  const [, generation, today, market] = /^([\w-]{0,64})\.(\d{0,16})\.(\d{0,16})$/.exec(id ?? '') ?? []
  if (generation === undefined || today === undefined || market === undefined) return initialState
  return { generation, today, market }
}

export function stepsBetween(from: EventState, to: EventState) {
  let state = from
  return eventNames.flatMap((event) => {
    if (from[event] === to[event] || to[event] === '') return []
    state = { ...state, [event]: to[event] }
    return [{ event, state }]
  })
}

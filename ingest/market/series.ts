import type { DuckDBConnection } from '@duckdb/node-api'
import { msPerDay } from '#base/days.ts'
import type { HttpClient } from './http.ts'
import type { Cells, ObservationTable } from './observations.ts'
import { type Appended, appendObservations, storedInstants } from './store.ts'

/**
 * Milliseconds between observations; a function of the earlier instant if that changed over time.
 */
export type Interval = number | ((after: number) => number)

/** A series of a source and how to request a part of it. Times in milliseconds since 1970, UTC. */
export interface SeriesDefinition<Row extends Cells> {
  readonly table: ObservationTable<Row>
  readonly identity: Cells
  readonly startsAt: number
  /** How far back the source goes, unless it keeps everything. */
  readonly depthMs?: number
  /** Larger distances are gaps. Undefined if observations are irregular. */
  readonly intervalMs?: Interval
  /** Length of a bar: an observation is complete this long after its instant. */
  readonly lengthMs?: number
  /** Longest period that fits into one request; default: everything. */
  readonly windowMs?: number
  /** A response with this many rows may be cut off, so the period is requested again in halves. */
  readonly limit?: number
  /** Each response has the full history, so late reports and corrections of any age are stored. */
  readonly fullHistory?: true
  /**
   * Rows with `from` ≤ instant < `to` in any order. Repeated rows are harmless; rows outside are
   * too, except with `limit`, where they count and the period would be halved down to nothing.
   */
  readonly fetch: (http: HttpClient, from: number, to: number) => Promise<Row[]>
}

/**
 * A series that can only be paged through: `walk` yields the pages from `from` to now, oldest
 * first.
 */
export interface PagedDefinition<Row extends Cells>
  extends Omit<SeriesDefinition<Row>, 'fetch' | 'windowMs' | 'limit' | 'fullHistory'> {
  readonly walk: (http: HttpClient, from: number) => AsyncGenerator<Page<Row>>
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly remaining: number
}

export interface CollectContext {
  readonly http: HttpClient
  readonly connection: DuckDBConnection
  readonly dataDir: string
  readonly source: string
  /** Start, instead of the end of the stored data. */
  readonly since: number | undefined
  readonly now: number
  readonly storeIntervalMs: number
}

export interface SeriesProgress {
  readonly rows: number
  /** Data is complete up to this instant. */
  readonly reached: number
  /** A step is one request period or page. */
  readonly done: number
  readonly steps: number
}

export interface Collected extends Appended {
  readonly gaps: number
}

export interface Series {
  readonly kind: string
  readonly id: string
  readonly open: (context: CollectContext) => Promise<OpenSeries>
  /** Makes one request for the newest data and stores nothing. */
  readonly sample: (http: HttpClient, now: number) => Promise<Sample>
  readonly gaps: (connection: DuckDBConnection, dataDir: string, source: string) => Promise<number>
}

export interface Sample {
  readonly rows: readonly Cells[]
  /** Undefined without rows. */
  readonly first: number | undefined
  readonly last: number | undefined
  readonly from: number
  readonly to: number
  /** Interval at the end of the period; undefined if irregular. */
  readonly intervalMs: number | undefined
}

export interface OpenSeries {
  /** Number of steps, as far as known in advance. */
  readonly steps: number
  /** Fetches and stores missing data, oldest first. Rows before a failure are stored too. */
  readonly collect: (onProgress: (progress: SeriesProgress) => void) => Promise<Collected>
}

/** The last days are fetched again each time, because sources correct themselves. */
const overlapMs = 3 * msPerDay
/** A killed run loses at most this many requests. */
const requestsPerAppend = 50
/** A killed run loses at most half a minute, including the last response. */
export const defaultStoreIntervalMs = 20_000
/** Settlement and sampling times vary by seconds to minutes. */
const gapTolerance = 1.5

export const createSeries = <Row extends Cells>(definition: SeriesDefinition<Row>): Series =>
  buildSeries(
    definition,
    (context, from, to) => stretches(definition, context, from, to),
    (http, now) => sampleStretch(definition, http, now),
  )

export const createPagedSeries = <Row extends Cells>(definition: PagedDefinition<Row>): Series =>
  buildSeries(
    definition,
    (context, from, to) => pages(definition, context, from, to),
    (http, now) => samplePage(definition, http, now),
  )

type Extent = Pick<
  SeriesDefinition<Cells>,
  'identity' | 'startsAt' | 'depthMs' | 'intervalMs' | 'lengthMs' | 'fullHistory'
>

interface Step<Row> {
  readonly rows: readonly Row[]
  readonly reached: number
  readonly done: number
  readonly steps: number
}

interface Steps<Row> {
  readonly steps: number
  readonly fetched: AsyncIterable<Step<Row>>
}

function buildSeries<Row extends Cells>(
  definition: Extent & { readonly table: ObservationTable<Row> },
  stepsOf: (context: CollectContext, from: number, to: number) => Steps<Row>,
  sample: Series['sample'],
): Series {
  const { table, identity, intervalMs } = definition
  return {
    kind: table.kind,
    id: [table.kind, ...Object.values(identity)].join(' '),
    sample,
    open: async (context) => {
      const [from, to] = await missing(definition, context)
      const { steps, fetched } = stepsOf(context, from, to)
      return { steps, collect: (onProgress) => collect(definition, context, fetched, onProgress) }
    },
    gaps: async (connection, dataDir, source) =>
      intervalMs === undefined
        ? 0
        : countGaps(await storedInstants(connection, dataDir, table, source, identity), intervalMs),
  }
}

/** Period to fetch: from the end of the stored data, or all that the source may know, until now. */
async function missing<Row extends Cells>(
  { table, identity, startsAt, depthMs, lengthMs, fullHistory }: Extent & { readonly table: ObservationTable<Row> },
  { connection, dataDir, source, since, now }: CollectContext,
): Promise<[from: number, to: number]> {
  const oldest = Math.max(startsAt, depthMs === undefined ? 0 : now - depthMs)
  const latest = fullHistory ? undefined : (await storedInstants(connection, dataDir, table, source, identity)).at(-1)
  const start = Math.max(oldest, since ?? (latest === undefined ? oldest : latest - overlapMs))
  // Only complete days and hours are fetched.
  const length = 'date' in table.columns ? msPerDay : lengthMs
  return length === undefined ? [start, now + 1] : [floorTo(start, length), floorTo(now, length)]
}

function stretches<Row extends Cells>(
  { intervalMs, windowMs, limit, fullHistory, fetch }: SeriesDefinition<Row>,
  { http }: CollectContext,
  from: number,
  to: number,
): Steps<Row> {
  const length = windowMs ?? Math.max(1, to - from)
  const steps = Math.max(0, Math.ceil((to - from) / length))
  const ask = async (start: number, end: number): Promise<Row[]> => {
    const rows = await fetch(http, start, end)
    if (limit !== undefined && rows.length >= limit && end - start > 2) {
      const middle = Math.floor((start + end) / 2)
      return [...(await ask(start, middle)), ...(await ask(middle, end))]
    }
    return rows.filter((row) => readInstant(row) >= start && readInstant(row) < end)
  }
  async function* fetched(): AsyncGenerator<Step<Row>> {
    for (let done = 0; done < steps; done++) {
      const start = from + done * length
      const end = Math.min(to, start + length)
      let rows = await ask(start, end)
      // Gaps may be a temporary fault of the source, so the period is requested once more.
      const doubtful =
        intervalMs !== undefined && (rows.length === 0 || countGaps([start, ...instants(rows), end], intervalMs) > 0)
      if (doubtful && !fullHistory) rows = rows.concat(await ask(start, end))
      yield { rows, reached: end, done: done + 1, steps }
    }
  }
  return { steps, fetched: fetched() }
}

function pages<Row extends Cells>(
  { walk }: PagedDefinition<Row>,
  { http }: CollectContext,
  from: number,
  to: number,
): Steps<Row> {
  async function* fetched(): AsyncGenerator<Step<Row>> {
    let done = 0
    for await (const { rows, remaining } of walk(http, from)) {
      done++
      const wanted = rows.filter((row) => readInstant(row) >= from && readInstant(row) < to)
      yield { rows: wanted, reached: instants(wanted).at(-1) ?? from, done, steps: done + remaining }
    }
  }
  return { steps: 1, fetched: fetched() }
}

async function sampleStretch<Row extends Cells>(
  { table, startsAt, depthMs, intervalMs, lengthMs, windowMs, fullHistory, fetch }: SeriesDefinition<Row>,
  http: HttpClient,
  now: number,
): Promise<Sample> {
  const length = 'date' in table.columns ? msPerDay : lengthMs
  // The file of a day may appear a day later.
  const late = windowMs === msPerDay ? msPerDay : 0
  const to = late > 0 ? midnight(now) - late : length === undefined ? now + 1 : floorTo(now, length)
  const oldest = Math.max(startsAt, depthMs === undefined ? 0 : now - depthMs)
  const from = Math.max(oldest, to - (windowMs ?? to - oldest))
  return toSample(await fetch(http, from, to), from, to, fullHistory ? undefined : intervalMs)
}

async function samplePage<Row extends Cells>(
  { intervalMs, walk }: PagedDefinition<Row>,
  http: HttpClient,
  now: number,
): Promise<Sample> {
  const from = now - overlapMs
  const page = await walk(http, from).next()
  const rows: readonly Row[] = page.done ? [] : page.value.rows
  return toSample(rows, from, now + 1, intervalMs)
}

function toSample(rows: readonly Cells[], from: number, to: number, intervalMs: Interval | undefined): Sample {
  const times = instants(rows)
  const rhythm = typeof intervalMs === 'function' ? intervalMs(to) : intervalMs
  return { rows, first: times[0], last: times.at(-1), from, to, intervalMs: rhythm }
}

const midnight = (instant: number): number => floorTo(instant, msPerDay)

async function collect<Row extends Cells>(
  { table, intervalMs }: Extent & { readonly table: ObservationTable<Row> },
  { http, connection, dataDir, source, now, storeIntervalMs }: CollectContext,
  fetched: AsyncIterable<Step<Row>>,
  onProgress: (progress: SeriesProgress) => void,
): Promise<Collected> {
  const total = { added: 0, corrected: 0, unchanged: 0, gaps: 0 }
  let pending: Row[] = []
  let received = 0
  let previous: number | undefined
  let stored = { at: performance.now(), sent: http.sent() }
  const store = async () => {
    const rows = pending
    pending = []
    stored = { at: performance.now(), sent: http.sent() }
    const appended = await appendObservations(connection, dataDir, table, source, rows, now)
    total.added += appended.added
    total.corrected += appended.corrected
    total.unchanged += appended.unchanged
  }
  try {
    for await (const { rows, ...progress } of fetched) {
      const times = instants(rows)
      if (intervalMs !== undefined)
        total.gaps += countGaps(previous === undefined ? times : [previous, ...times], intervalMs)
      previous = times[times.length - 1] ?? previous
      pending.push(...rows)
      received += rows.length
      onProgress({ ...progress, rows: received })
      const due = performance.now() - stored.at >= storeIntervalMs || http.sent() - stored.sent >= requestsPerAppend
      if (due) await store()
    }
  } finally {
    await store()
  }
  return total
}

/** Number of gaps between ascending instants. */
export const countGaps = (times: readonly number[], intervalMs: Interval): number =>
  times.filter((time, i) => {
    const before = times[i - 1]
    if (before === undefined) return false
    return time - before > (typeof intervalMs === 'number' ? intervalMs : intervalMs(before)) * gapTolerance
  }).length

const floorTo = (instant: number, length: number): number => Math.floor(instant / length) * length

const instants = (rows: readonly Cells[]): number[] => [...new Set(rows.map(readInstant))].sort((a, b) => a - b)

function readInstant(row: Cells): number {
  if (typeof row.time === 'number') return row.time
  if (typeof row.date === 'number') return row.date * msPerDay
  throw new Error('observation without time')
}

import type { DuckDBConnection } from '@duckdb/node-api'
import { msPerDay } from '#base/days.ts'
import type { HttpClient } from './http.ts'
import type { Cells, ObservationTable } from './observations.ts'
import { type Appended, appendObservations, storedInstants } from './store.ts'

/** Milliseconds between observations; a function of the earlier instant if it changed. */
export type Interval = number | ((after: number) => number)

/** A source's series and how to request part of it. Times in milliseconds since 1970, UTC. */
export interface SeriesDefinition<Row extends Cells> {
  readonly table: ObservationTable<Row>
  readonly identity: Cells
  readonly startsAt: number
  /** How far back the source goes, unless unlimited. */
  readonly depthMs?: number
  /** Larger distances are gaps; undefined if irregular. */
  readonly intervalMs?: Interval
  /** Bar length: an observation is complete this long after its instant. */
  readonly lengthMs?: number
  /** Longest period per request; default: everything. */
  readonly windowMs?: number
  /** Sampled period; default: one window. */
  readonly sampleMs?: number
  /** A response with this many rows may be cut off: its period is requested again in halves. */
  readonly limit?: number
  /** Responses have the full history: late reports and corrections of any age are stored. */
  readonly fullHistory?: true
  /**
   * Rows with `from` ≤ instant < `to` in any order. Repeated rows are harmless, and so are rows
   * outside, except with `limit`: there they count, and the period would be halved endlessly.
   */
  readonly fetch: (http: HttpClient, from: number, to: number) => Promise<Row[]>
}

export interface CollectContext {
  readonly http: HttpClient
  readonly connection: DuckDBConnection
  readonly dataDir: string
  readonly source: string
  /** Start, instead of after stored data. */
  readonly since: number | undefined
  readonly now: number
  readonly storeIntervalMs: number
}

export interface SeriesProgress {
  readonly rows: number
  /** Data is complete up to here. */
  readonly reached: number
  readonly done: number
}

export interface Collected extends Appended {
  readonly gaps: number
}

export interface Series {
  readonly kind: string
  readonly id: string
  readonly open: (context: CollectContext) => Promise<OpenSeries>
  /** Requests the newest data once; stores nothing. */
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
  /** At the end of the period; undefined if irregular. */
  readonly intervalMs: number | undefined
}

export interface OpenSeries {
  /** Windows to fetch. */
  readonly steps: number
  /** Fetches and stores missing data, oldest first, including rows before a failure. */
  readonly collect: (onProgress: (progress: SeriesProgress) => void) => Promise<Collected>
}

/** Recent days are fetched again, because sources correct themselves. */
const overlapMs = 3 * msPerDay
/** Maximum lost if a run is killed. */
const requestsPerAppend = 50
/** A killed run loses at most half a minute, including the last response. */
export const defaultStoreIntervalMs = 20_000
/** Settlement and sampling times vary by seconds to minutes. */
const gapTolerance = 1.5

export function createSeries<Row extends Cells>(definition: SeriesDefinition<Row>): Series {
  const { table, identity, intervalMs, windowMs } = definition
  return {
    kind: table.kind,
    id: [table.kind, ...Object.values(identity)].join(' '),
    sample: (http, now) => sample(definition, http, now),
    open: async (context) => {
      const [from, to] = await missing(definition, context)
      const length = windowMs ?? Math.max(1, to - from)
      const steps = Math.max(0, Math.ceil((to - from) / length))
      const windows = Array.from({ length: steps }, (_, step) => {
        const start = from + step * length
        return { start, end: Math.min(to, start + length) }
      })
      return { steps, collect: (onProgress) => collect(definition, context, windows, onProgress) }
    },
    gaps: async (connection, dataDir, source) =>
      intervalMs === undefined
        ? 0
        : countGaps(await storedInstants(connection, dataDir, table, source, identity), intervalMs),
  }
}

interface Window {
  readonly start: number
  readonly end: number
}

/** Period to fetch: from the end of stored data, or all that the source may know, until now. */
async function missing<Row extends Cells>(
  { table, identity, startsAt, depthMs, lengthMs, fullHistory }: SeriesDefinition<Row>,
  { connection, dataDir, source, since, now }: CollectContext,
): Promise<[from: number, to: number]> {
  const oldest = Math.max(startsAt, depthMs === undefined ? 0 : now - depthMs)
  const latest = fullHistory ? undefined : (await storedInstants(connection, dataDir, table, source, identity)).at(-1)
  const start = Math.max(oldest, since ?? (latest === undefined ? oldest : latest - overlapMs))
  // Only complete days and hours are fetched.
  const length = 'date' in table.columns ? msPerDay : lengthMs
  return length === undefined ? [start, now + 1] : [floorTo(start, length), floorTo(now, length)]
}

async function fetchWindow<Row extends Cells>(
  { intervalMs, limit, fullHistory, fetch }: SeriesDefinition<Row>,
  http: HttpClient,
  { start, end }: Window,
): Promise<Row[]> {
  const ask = async (from: number, to: number): Promise<Row[]> => {
    const rows = await fetch(http, from, to)
    if (limit !== undefined && rows.length >= limit && to - from > 2) {
      const middle = Math.floor((from + to) / 2)
      return [...(await ask(from, middle)), ...(await ask(middle, to))]
    }
    return rows.filter((row) => readInstant(row) >= from && readInstant(row) < to)
  }
  const rows = await ask(start, end)
  // Gaps may be temporary faults, so the window is requested once more.
  const doubtful =
    intervalMs !== undefined && (rows.length === 0 || countGaps([start, ...instants(rows), end], intervalMs) > 0)
  return doubtful && !fullHistory ? rows.concat(await ask(start, end)) : rows
}

async function sample<Row extends Cells>(
  { table, startsAt, depthMs, intervalMs, lengthMs, windowMs, sampleMs, fullHistory, fetch }: SeriesDefinition<Row>,
  http: HttpClient,
  now: number,
): Promise<Sample> {
  const length = 'date' in table.columns ? msPerDay : lengthMs
  // A day's file may appear a day later.
  const late = windowMs === msPerDay ? msPerDay : 0
  const to = late > 0 ? floorTo(now, msPerDay) - late : length === undefined ? now + 1 : floorTo(now, length)
  const oldest = Math.max(startsAt, depthMs === undefined ? 0 : now - depthMs)
  const from = Math.max(oldest, to - (sampleMs ?? windowMs ?? to - oldest))
  const rows = await fetch(http, from, to)
  const times = instants(rows)
  const rhythm = typeof intervalMs === 'function' ? intervalMs(to) : intervalMs
  return { rows, first: times[0], last: times.at(-1), from, to, intervalMs: fullHistory ? undefined : rhythm }
}

async function collect<Row extends Cells>(
  definition: SeriesDefinition<Row>,
  { http, connection, dataDir, source, now, storeIntervalMs }: CollectContext,
  windows: readonly Window[],
  onProgress: (progress: SeriesProgress) => void,
): Promise<Collected> {
  const { table, intervalMs } = definition
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
    for (const [step, window] of windows.entries()) {
      const rows = await fetchWindow(definition, http, window)
      const times = instants(rows)
      if (intervalMs !== undefined)
        total.gaps += countGaps(previous === undefined ? times : [previous, ...times], intervalMs)
      previous = times.at(-1) ?? previous
      pending.push(...rows)
      received += rows.length
      onProgress({ rows: received, reached: window.end, done: step + 1 })
      const due = performance.now() - stored.at >= storeIntervalMs || http.sent() - stored.sent >= requestsPerAppend
      if (due) await store()
    }
  } finally {
    await store()
  }
  return total
}

/** `times` are ascending. */
const countGaps = (times: readonly number[], intervalMs: Interval): number =>
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

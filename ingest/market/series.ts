import type { DuckDBConnection } from '@duckdb/node-api'
import { millisecondsPerDay } from '#base/days.ts'
import type { HttpClient } from './http.ts'
import type { Cells, ObservationTable } from './observations.ts'
import { type Appended, appendObservations, storedInstants } from './store.ts'

/** Milliseconds from one observation to the next; where that changed, as a function of the instant of the former. */
export type Rhythm = number | ((after: number) => number)

/** One series of a source: what it is and how to ask for a stretch of it. All times in milliseconds since 1970, UTC. */
export interface SeriesDefinition<Row extends Cells> {
  readonly table: ObservationTable<Row>
  /** What all its rows have in common, such as exchange and instrument. */
  readonly identity: Cells
  /** The first instant that the source may know. */
  readonly startsAt: number
  /** How far back the source remembers, where it forgets. */
  readonly depth?: number
  /** Usual distance of two observations; larger distances are gaps. Absent where there is no rhythm. */
  readonly every?: Rhythm
  /** How long after its instant an observation is complete, where that is not at once: the length of a bar. */
  readonly endsAfter?: number
  /** Longest stretch that fits into one request; everything is asked for at once without it. */
  readonly window?: number
  /** An answer of this many rows may be cut off, so the stretch is asked for again in halves. */
  readonly limit?: number
  /** All that the source knows comes with every answer, so late reports and corrections of any age are stored. */
  readonly whole?: true
  /**
   * Rows with `from` ≤ instant < `to`, in any order. Repeated ones do no harm, and others none where there is no `limit`: with
   * one they count, so that the stretch is halved down to nothing.
   */
  readonly fetch: (http: HttpClient, from: number, to: number) => Promise<Row[]>
}

/** A series whose source can only be paged through: `walk` gives the pages that reach from `from` to now, oldest first. */
export interface WalkedDefinition<Row extends Cells>
  extends Omit<SeriesDefinition<Row>, 'fetch' | 'window' | 'limit' | 'whole'> {
  readonly walk: (http: HttpClient, from: number) => AsyncGenerator<Page<Row>>
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** How many pages are still to come. */
  readonly left: number
}

export interface CollectContext {
  readonly http: HttpClient
  readonly connection: DuckDBConnection
  readonly dataDir: string
  readonly source: string
  /** Where to start instead of at the end of the stored data. */
  readonly since: number | undefined
  readonly now: number
  /** Milliseconds after which fetched rows are stored at the latest. */
  readonly storeEvery: number
}

/** How far the fetching of a series is. */
export interface SeriesProgress {
  /** Rows received so far. */
  readonly rows: number
  /** Everything before this instant has been fetched. */
  readonly reached: number
  /** Steps done and steps in all; a step is one stretch or page. */
  readonly done: number
  readonly steps: number
}

export interface Collected extends Appended {
  /** Stretches of what was fetched that are longer than the usual distance. */
  readonly gaps: number
}

export interface Series {
  readonly kind: string
  /** Tells it from the other series of its source. */
  readonly id: string
  /** Looks up where it goes on, before anything is fetched. */
  readonly open: (context: CollectContext) => Promise<OpenSeries>
  /** Asks once, for the newest stretch that fits into an answer, and stores nothing. */
  readonly sample: (http: HttpClient, now: number) => Promise<Sample>
  /** How many stretches are missing in what is stored. */
  readonly gaps: (connection: DuckDBConnection, dataDir: string, source: string) => Promise<number>
}

/** The answer to one request. */
export interface Sample {
  readonly rows: readonly Cells[]
  /** Instants of the first and the last row; undefined where there is none. */
  readonly first: number | undefined
  readonly last: number | undefined
  /** What was asked for. */
  readonly from: number
  readonly to: number
  /** Usual distance of two rows at the end of the stretch; undefined where the answer has no rhythm. */
  readonly every: number | undefined
}

export interface OpenSeries {
  /** Steps that fetching it takes, as far as that is known beforehand. */
  readonly steps: number
  /** Fetches what is missing and stores it, oldest first; what came before a failure is stored, too. */
  readonly collect: (onProgress: (progress: SeriesProgress) => void) => Promise<Collected>
}

/** The last days are asked for again each time, since sources correct themselves. */
const overlap = 3 * millisecondsPerDay
/** A killed run loses at most the work of that many requests. */
const requestsPerAppend = 50
/** A killed run loses at most half a minute of work, of which the last answer may take a part. */
export const usualStoreEvery = 20_000
/** Settlement and sampling times wander by seconds to minutes. */
const tolerance = 1.5

/** A series that is asked for in stretches, one after the other. */
export const series = <Row extends Cells>(definition: SeriesDefinition<Row>): Series =>
  seriesOf(
    definition,
    (context, from, to) => stretches(definition, context, from, to),
    (http, now) => sampleStretch(definition, http, now),
  )

/** A series that is paged through. */
export const walkedSeries = <Row extends Cells>(definition: WalkedDefinition<Row>): Series =>
  seriesOf(
    definition,
    (context, from, to) => pages(definition, context, from, to),
    (http, now) => samplePage(definition, http, now),
  )

type Extent = Pick<SeriesDefinition<Cells>, 'identity' | 'startsAt' | 'depth' | 'every' | 'endsAfter' | 'whole'>

/** What one step of fetching gave, in time order. */
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

function seriesOf<Row extends Cells>(
  definition: Extent & { readonly table: ObservationTable<Row> },
  stepsOf: (context: CollectContext, from: number, to: number) => Steps<Row>,
  sample: Series['sample'],
): Series {
  const { table, identity, every } = definition
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
      every === undefined ? 0 : countGaps(await storedInstants(connection, dataDir, table, source, identity), every),
  }
}

/** The stretch to fetch: from the end of what is stored, or all that the source may know, to now. */
async function missing<Row extends Cells>(
  { table, identity, startsAt, depth, endsAfter, whole }: Extent & { readonly table: ObservationTable<Row> },
  { connection, dataDir, source, since, now }: CollectContext,
): Promise<[from: number, to: number]> {
  const oldest = Math.max(startsAt, depth === undefined ? 0 : now - depth)
  const latest = whole ? undefined : (await storedInstants(connection, dataDir, table, source, identity)).at(-1)
  const start = Math.max(oldest, since ?? (latest === undefined ? oldest : latest - overlap))
  // A day or an hour is fetched once it has ended.
  const length = 'date' in table.columns ? millisecondsPerDay : endsAfter
  return length === undefined ? [start, now + 1] : [startOf(start, length), startOf(now, length)]
}

function stretches<Row extends Cells>(
  { every, window, limit, whole, fetch }: SeriesDefinition<Row>,
  { http }: CollectContext,
  from: number,
  to: number,
): Steps<Row> {
  const length = window ?? Math.max(1, to - from)
  const steps = Math.max(0, Math.ceil((to - from) / length))
  const ask = async (start: number, end: number): Promise<Row[]> => {
    const rows = await fetch(http, start, end)
    if (limit !== undefined && rows.length >= limit && end - start > 2) {
      const middle = Math.floor((start + end) / 2)
      return [...(await ask(start, middle)), ...(await ask(middle, end))]
    }
    return rows.filter((row) => instantOf(row) >= start && instantOf(row) < end)
  }
  async function* fetched(): AsyncGenerator<Step<Row>> {
    for (let done = 0; done < steps; done++) {
      const start = from + done * length
      const end = Math.min(to, start + length)
      let rows = await ask(start, end)
      // An answer with holes may have been a bad moment of the source: asked twice, the rest is really missing.
      const doubtful =
        every !== undefined && (rows.length === 0 || countGaps([start, ...instants(rows), end], every) > 0)
      if (doubtful && !whole) rows = rows.concat(await ask(start, end))
      yield { rows, reached: end, done: done + 1, steps }
    }
  }
  return { steps, fetched: fetched() }
}

function pages<Row extends Cells>(
  { walk }: WalkedDefinition<Row>,
  { http }: CollectContext,
  from: number,
  to: number,
): Steps<Row> {
  async function* fetched(): AsyncGenerator<Step<Row>> {
    let done = 0
    for await (const { rows, left } of walk(http, from)) {
      done++
      const wanted = rows.filter((row) => instantOf(row) >= from && instantOf(row) < to)
      yield { rows: wanted, reached: instants(wanted).at(-1) ?? from, done, steps: done + left }
    }
  }
  return { steps: 1, fetched: fetched() }
}

async function sampleStretch<Row extends Cells>(
  { table, startsAt, depth, every, endsAfter, window, whole, fetch }: SeriesDefinition<Row>,
  http: HttpClient,
  now: number,
): Promise<Sample> {
  const length = 'date' in table.columns ? millisecondsPerDay : endsAfter
  // A file of one day may take a day to appear.
  const late = window === millisecondsPerDay ? millisecondsPerDay : 0
  const to = late > 0 ? midnight(now) - late : length === undefined ? now + 1 : startOf(now, length)
  const oldest = Math.max(startsAt, depth === undefined ? 0 : now - depth)
  const from = Math.max(oldest, to - (window ?? to - oldest))
  return sampleOf(await fetch(http, from, to), from, to, whole ? undefined : every)
}

async function samplePage<Row extends Cells>(
  { every, walk }: WalkedDefinition<Row>,
  http: HttpClient,
  now: number,
): Promise<Sample> {
  const from = now - overlap
  const page = await walk(http, from).next()
  const rows: readonly Row[] = page.done ? [] : page.value.rows
  return sampleOf(rows, from, now + 1, every)
}

function sampleOf(rows: readonly Cells[], from: number, to: number, every: Rhythm | undefined): Sample {
  const times = instants(rows)
  const rhythm = typeof every === 'function' ? every(to) : every
  return { rows, first: times[0], last: times.at(-1), from, to, every: rhythm }
}

const midnight = (instant: number): number => startOf(instant, millisecondsPerDay)

async function collect<Row extends Cells>(
  { table, every }: Extent & { readonly table: ObservationTable<Row> },
  { http, connection, dataDir, source, now, storeEvery }: CollectContext,
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
      if (every !== undefined) total.gaps += countGaps(previous === undefined ? times : [previous, ...times], every)
      previous = times[times.length - 1] ?? previous
      pending.push(...rows)
      received += rows.length
      onProgress({ ...progress, rows: received })
      const due = performance.now() - stored.at >= storeEvery || http.sent() - stored.sent >= requestsPerAppend
      if (due) await store()
    }
  } finally {
    await store()
  }
  return total
}

/** Distances above the tolerated ones between instants in ascending order. */
export const countGaps = (times: readonly number[], every: Rhythm): number =>
  times.filter((time, i) => {
    const before = times[i - 1]
    if (before === undefined) return false
    return time - before > (typeof every === 'number' ? every : every(before)) * tolerance
  }).length

const startOf = (instant: number, length: number): number => Math.floor(instant / length) * length

const instants = (rows: readonly Cells[]): number[] => [...new Set(rows.map(instantOf))].sort((a, b) => a - b)

function instantOf(row: Cells): number {
  if (typeof row.time === 'number') return row.time
  if (typeof row.date === 'number') return row.date * millisecondsPerDay
  throw new Error('observation without time')
}

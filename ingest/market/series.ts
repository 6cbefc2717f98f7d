import type { DuckDBConnection } from '@duckdb/node-api'
import { dayAt, millisecondsPerDay } from '#root/days.ts'
import type { HttpClient } from './http.ts'
import type { Cells, ObservationTable } from './observations.ts'
import { type Appended, appendObservations, storedInstants } from './store.ts'

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
  readonly every?: number
  /** Longest stretch that fits into one request; everything is asked for at once without it. */
  readonly window?: number
  /** An answer of this many rows may be cut off, so the stretch is asked for again in halves. */
  readonly limit?: number
  /** The whole history comes with every answer, so late reports and corrections of any age are stored. */
  readonly whole?: true
  /** Rows with `from` ≤ instant < `to`, in any order; others and repeated ones do no harm. */
  readonly fetch: (http: HttpClient, from: number, to: number) => Promise<Row[]>
}

export interface CollectContext {
  readonly http: HttpClient
  readonly connection: DuckDBConnection
  readonly dataDir: string
  readonly source: string
  /** Where to start instead of at the end of the stored data. */
  readonly since: number | undefined
  readonly now: number
}

export interface Collected extends Appended {
  /** Stretches of what was fetched that are longer than the usual distance. */
  readonly gaps: number
}

export interface Series {
  readonly kind: string
  /** Fetches what is missing and stores it, oldest first; what came before a failure is stored, too. */
  readonly collect: (context: CollectContext) => Promise<Collected>
  /** How many stretches are missing in what is stored. */
  readonly gaps: (connection: DuckDBConnection, dataDir: string, source: string) => Promise<number>
}

/** The last days are asked for again each time, since sources correct themselves. */
const overlap = 3 * millisecondsPerDay
/** A killed run loses at most the work of that many requests. */
const windowsPerAppend = 50
/** Settlement and sampling times wander by seconds to minutes. */
const tolerance = 1.5

export function series<Row extends Cells>(definition: SeriesDefinition<Row>): Series {
  const { table, identity, every } = definition
  return {
    kind: table.kind,
    collect: (context) => collect(definition, context),
    gaps: async (connection, dataDir, source) =>
      every === undefined ? 0 : countGaps(await storedInstants(connection, dataDir, table, source, identity), every),
  }
}

async function collect<Row extends Cells>(
  { table, identity, startsAt, depth, every, window, limit, whole, fetch }: SeriesDefinition<Row>,
  context: CollectContext,
): Promise<Collected> {
  const { http, connection, dataDir, source, since, now } = context
  const oldest = Math.max(startsAt, depth === undefined ? 0 : now - depth)
  const latest = whole ? undefined : (await storedInstants(connection, dataDir, table, source, identity)).at(-1)
  const start = Math.max(oldest, since ?? (latest === undefined ? oldest : latest - overlap))
  // A day is fetched once it has ended.
  const [from, to] = 'date' in table.columns ? [midnight(start), midnight(now)] : [start, now + 1]

  const total = { added: 0, corrected: 0, unchanged: 0, gaps: 0 }
  let pending: Row[] = []
  let previous: number | undefined
  const store = async () => {
    const rows = pending
    pending = []
    const appended = await appendObservations(connection, dataDir, table, source, rows, now)
    total.added += appended.added
    total.corrected += appended.corrected
    total.unchanged += appended.unchanged
  }
  const ask = async (start: number, end: number): Promise<Row[]> => {
    const rows = await fetch(http, start, end)
    if (limit !== undefined && rows.length >= limit && end - start > 2) {
      const middle = Math.floor((start + end) / 2)
      return [...(await ask(start, middle)), ...(await ask(middle, end))]
    }
    return rows.filter((row) => instantOf(row) >= start && instantOf(row) < end)
  }
  try {
    for (let start = from, windows = 1; start < to; start += window ?? to - from, windows++) {
      const end = Math.min(to, start + (window ?? to - from))
      let rows = await ask(start, end)
      // An answer with holes may have been a bad moment of the source: asked twice, the rest is really missing.
      if (every !== undefined && (rows.length === 0 || countGaps([start, ...instants(rows), end], every) > 0))
        rows = rows.concat(await ask(start, end))
      const times = instants(rows)
      if (every !== undefined) total.gaps += countGaps(previous === undefined ? times : [previous, ...times], every)
      previous = times[times.length - 1] ?? previous
      pending.push(...rows)
      if (windows % windowsPerAppend === 0) await store()
    }
  } finally {
    await store()
  }
  return total
}

/** Distances above the tolerated ones between instants in ascending order. */
const countGaps = (times: readonly number[], every: number): number =>
  times.filter((time, i) => i > 0 && time - times[i - 1]! > every * tolerance).length

const midnight = (instant: number): number => dayAt(instant) * millisecondsPerDay

const instants = (rows: readonly Cells[]): number[] => [...new Set(rows.map(instantOf))].sort((a, b) => a - b)

function instantOf(row: Cells): number {
  if (typeof row.time === 'number') return row.time
  if (typeof row.date === 'number') return row.date * millisecondsPerDay
  throw new Error('observation without time')
}

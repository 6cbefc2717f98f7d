import type { RequestHandler } from 'express'
import { hasErrorCode } from '#base/errors.ts'
import type { Status } from '#contract/status.ts'
import type { TableName } from '#contract/tables/tables.ts'
import type { Generations } from '#query/generations.ts'
import type { Published } from '#query/published.ts'
import { currentGenerationId, listGenerations, listNewerGenerations, type OpenGeneration } from '#sql/generation.ts'
import { readCoinProof } from '#state/coin-proof.ts'
import { countProvedBlocks, describePublication } from '#state/health.ts'
import { freeBytes, publishedBytes } from '#state/operational-state.ts'
import { readRunJournal } from '#state/run-journal.ts'
import { type Attempt, readAttempts, snapshotName } from '#state/source-attempts.ts'
import { requireCall } from './calls.ts'
import type { Operations } from './operations.ts'

const maxRuns = 5
/** Wait for another process that writes to the journal. */
const maxLockWaitMs = 200

/** Generations, runs and the reach of sources, even if nothing is published. */
export function status(generations: Generations, operations: Operations): RequestHandler {
  return async (request, response) => {
    const { dataDir } = generations
    const { state } = await operations.read()
    const { isUnlimited } = requireCall(request).caller
    const messageOf = (message: string | null | undefined): string | null => (isUnlimited ? (message ?? null) : null)
    const kept = listGenerations(dataDir).toReversed()
    const current = currentGenerationId(dataDir)
    const left = new Set(listNewerGenerations(dataDir).map(({ id }) => id))
    const journal = readJournal(dataDir)
    response.set('Cache-Control', 'no-store').json({
      state,
      machine: isUnlimited ? describeMachine(operations) : null,
      at: new Date().toISOString(),
      generations: kept.flatMap(({ id, opened }) => {
        if (!opened) return []
        const { notes, ...generation } = describe(dataDir, opened)
        return { ...generation, is_current: id === current, was_left: left.has(id), notes: isUnlimited ? notes : [] }
      }),
      damaged: kept.filter(({ opened }) => !opened).map(({ id }) => id),
      runs: (journal?.runs ?? []).map(({ job, startedAt, endedAt, outcome, code, message }) => ({
        job,
        started_at: formatTime(startedAt),
        ended_at: endedAt === null ? null : formatTime(endedAt),
        outcome,
        code,
        message: messageOf(message),
      })),
      due: (journal?.due ?? []).map(([job, at]) => ({ job, at: formatTime(at) })),
      market: await marketReach(generations),
      sources: describeSources(dataDir).map(({ message, ...source }) => ({ ...source, message: messageOf(message) })),
    } satisfies Status)
  }
}

/** Undefined if the journal is locked or damaged, which the state reports. */
function readJournal(dataDir: string) {
  try {
    return readRunJournal(dataDir, (runs) => ({ runs: runs.newest(maxRuns), due: [...runs.due()] }), maxLockWaitMs)
  } catch {
    return undefined
  }
}

const describeMachine = ({ dataDir, chartsWaiting }: Operations): Status['machine'] => ({
  free_bytes: freeBytes(dataDir) ?? null,
  resident_bytes: process.memoryUsage.rss(),
  available_bytes: process.availableMemory(),
  charts_waiting: chartsWaiting(),
})

function describe(dataDir: string, { generation }: OpenGeneration) {
  const { id, source, tip, audit, tables, notes } = generation
  return {
    ...describePublication(generation),
    id,
    source,
    tip_height: tip.height,
    tip_hash: tip.hash,
    tip_time: tip.time,
    proved: countProvedBlocks(dataDir, generation),
    proved_coins: readCoinProof(dataDir, generation),
    audit: { days: audit.days, blocks: audit.blocks },
    tables: Object.keys(tables).length,
    bytes: publishedBytes(generation),
    notes,
  }
}

/** With the SQL expression for the sources of a row. */
const marketTables: readonly (readonly [TableName, source: string])[] = [
  ['prices', 'source'],
  ['funding', 'source'],
  ['open_interest', 'source'],
  ['etf', 'source'],
  // Its rows name many web pages.
  ['treasuries', "''"],
]

async function marketReach(generations: Generations): Promise<Status['market']> {
  try {
    return await generations.read(readReach)
  } catch (error) {
    if (['data_not_ready', 'data_damaged'].some((code) => hasErrorCode(error, code))) return []
    throw error
  }
}

async function readReach(published: Published): Promise<Status['market']> {
  const reaches = marketTables
    .filter(([name]) => published.has(name) && !published.damaged.includes(name))
    .map(([name, source]) => {
      const table = published.table(name)
      return `SELECT '${name}' AS "table", min(date)::VARCHAR AS first_date, max(date)::VARCHAR AS last_date,
        (SELECT coalesce(string_agg(DISTINCT one, ',' ORDER BY one), '')
         FROM (SELECT unnest(string_split(${source}, ',')) AS one FROM ${table}
               WHERE date = (SELECT max(date) FROM ${table}))) AS sources
        FROM ${table} HAVING count(*) > 0`
    })
  if (reaches.length === 0) return []
  const columns = await published.queryOnce(reaches.join(' UNION ALL '))
  // A result without rows has no columns.
  const [tables = [], firsts = [], lasts = [], sources = []] = columns.map(({ values }) => Array.from(values, String))
  return tables.map((table, i) => ({
    table,
    first_date: firsts[i]!,
    last_date: lasts[i]!,
    sources: sources[i]!.split(',').filter((one) => one !== ''),
  }))
}

function describeSources(dataDir: string) {
  const attempts = readAttempts(dataDir)
  const suffix = snapshotName('')
  const names = new Set(
    Object.keys(attempts).map((name) => (name.endsWith(suffix) ? name.slice(0, -suffix.length) : name)),
  )
  return [...names].sort().map((source) => {
    const [history, snapshot] = [attempts[source], attempts[snapshotName(source)]]
    const newest = [history, snapshot].filter((one) => one !== undefined).reduce((a, b) => (a.at > b.at ? a : b))
    const { at, outcome, message } = history ?? newest
    return {
      source,
      outcome,
      asked_at: formatTime(at),
      answered_at: formatLastSuccess(history),
      snapshot_at: formatLastSuccess(snapshot),
      message,
    }
  })
}

const formatLastSuccess = (attempt: Attempt | undefined): string | null =>
  attempt?.lastSuccess === undefined ? null : formatTime(attempt.lastSuccess)

const formatTime = (instant: number): string => new Date(instant).toISOString()

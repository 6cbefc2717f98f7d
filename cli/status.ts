import path from 'node:path'
import { parseAge } from '#api/settings.ts'
import { formatMinute } from '#base/days.ts'
import { formatBytes, formatCount, formatDuration } from '#base/quantities.ts'
import type { OperationalState, ServiceState } from '#contract/operational-state.ts'
import { describePricing } from '#contract/pricing.ts'
import { describeCoinProof, describeProved } from '#contract/proofs.ts'
import { tables as marketTables } from '#ingest/market/observations.ts'
import { storedSources } from '#ingest/market/store.ts'
import { findMisspelt, type Settings } from '#root/config.ts'
import { findDamagedTables } from '#sql/file-digest.ts'
import {
  currentGenerationId,
  type Generation,
  listGenerationIds,
  listNewerGenerations,
  openToday,
  publishedFolder,
  readableGeneration,
} from '#sql/generation.ts'
import { readCoinProof } from '#state/coin-proof.ts'
import { countProvedBlocks, describeHealth } from '#state/health.ts'
import { freeBytes, publishedBytes, readOperations } from '#state/operational-state.ts'
import { type Run, readRunJournal } from '#state/run-journal.ts'
import { formatBtc } from './numbers.ts'
import { priceDoubts } from './price-doubts.ts'

/** For monitoring, with --max-age. */
const exitCodes: Readonly<Record<ServiceState, number>> = { ok: 0, degraded: 0, stale: 1, failed: 2, data_not_ready: 3 }

/** Hashes all published tables. */
export async function describeStatus(
  { DATA_DIR: dataDir, MAX_AGE }: Settings,
  asJson: boolean,
  environment: NodeJS.ProcessEnv,
) {
  const opened = readableGeneration(dataDir)
  const damaged = opened ? await findDamagedTables(opened) : []
  if (openToday(publishedFolder(dataDir)) === 'damaged') damaged.push('today')
  const isDamaged = opened ? damaged.includes('catalogue') : currentGenerationId(dataDir) !== undefined
  const served = isDamaged ? 'damaged' : opened?.generation
  const { state } = readOperations(dataDir, {
    served,
    damaged,
    maxAgeMs: parseAge(MAX_AGE),
    knownProblems: findMisspelt(environment),
  })
  const text = asJson ? formatJson(dataDir, state, served) : formatText(dataDir, state, served)
  return { text, exitCode: exitCodes[state.status] }
}

type Served = Generation | 'damaged' | undefined

function formatJson(dataDir: string, state: OperationalState, served: Served): string {
  const generation = served === 'damaged' ? undefined : served
  const health = describeHealth(
    state,
    generation,
    generation ? countProvedBlocks(dataDir, generation) : null,
    generation ? readCoinProof(dataDir, generation) : null,
  )
  return `${JSON.stringify({ ...health, disk_free_bytes: freeBytes(dataDir) ?? null }, undefined, 2)}\n`
}

function formatText(dataDir: string, state: OperationalState, served: Served): string {
  const runs = describeRuns(dataDir)
  const problems = state.problems.flatMap(({ code, message, cure }) => [
    `problem     ${message} (${code})`,
    `cure        ${cure}`,
  ])
  if (typeof served !== 'object') {
    return [`${dataDir}:`, `state       ${state.status}`, ...problems, ...runs, ''].join('\n')
  }
  const { tip, audit, prices, tables } = served
  const age = (Date.now() - Date.parse(served.created_at)) / 1000
  const free = freeBytes(dataDir)
  const proof = readCoinProof(dataDir, served)
  const lines = [
    `state       ${state.status}`,
    ...problems,
    `network     ${served.simulated ? 'simulated (chain and prices)' : `${served.network}, read ${served.source === 'rpc' ? 'over RPC' : 'from the files of the node'}`}`,
    `generation  ${served.id}, published ${formatDuration(age)} ago`,
    ...listNewerGenerations(dataDir).map(
      ({ id }) => `newer       ${id} was left; "coinstrata rollback ${id}" goes on to it`,
    ),
    `days        ${served.first_date} to ${served.last_date}`,
    `tip         block ${formatCount(tip.height)} (${tip.hash}), ${tip.time}`,
    `supply      ${formatBtc(tip.supply_sats)} in ${formatCount(tip.utxo_count)} unspent outputs`,
    `prices      ${describePrices(dataDir, prices)}`,
    ...(prices ? [`pricing     ${describePricing(prices.pricing)}`] : []),
    ...(prices ? priceDoubts(prices) : []).map((doubt) => `prices      ${doubt}`),
    `audit       ${formatCount(audit.days)} days, ${formatCount(audit.blocks)} blocks; ${audit.node ? 'equal to the node at the tip' : 'not compared with a node'}`,
    `proved      ${describeProved(countProvedBlocks(dataDir, served))}`,
    `proved      by coin: ${proof ? describeCoinProof(proof) : 'never; "coinstrata audit --coins" does it'}`,
    ...served.notes.map((note) => `note        ${note}`),
    `tables      ${Object.keys(tables).join(', ')}: ${formatBytes(publishedBytes(served))} in ${path.join(publishedFolder(dataDir), 'current')}`,
    `kept        ${formatCounted(listGenerationIds(dataDir).length, 'generation')}${free === undefined ? '' : `; ${formatBytes(free)} left on the disk`}`,
    ...runs,
  ]
  return `${lines.join('\n')}\n`
}

const formatCounted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function describePrices(dataDir: string, published: Generation['prices']): string {
  if (published) return `${published.source}, ${published.first_date} to ${published.last_date}`
  return storedSources(dataDir, marketTables.prices.kind).length > 0
    ? 'imported, waiting for the next "coinstrata update" or "coinstrata compute"'
    : 'none: "coinstrata fetch" gets them without a key, the next update uses them'
}

const runsShown = 3

function describeRuns(dataDir: string, now = Date.now()): string[] {
  const found = readRunJournal(dataDir, (journal) => ({ runs: journal.newest(runsShown), due: [...journal.due()] }))
  if (!found) return []
  return [
    ...found.runs.map((run) => `run         ${describeRun(run, now)}`),
    ...found.due.map(([job, at]) => `next        ${job.padEnd(9)}  ${describeDue(at, now)}`),
  ]
}

function describeRun({ job, startedAt, endedAt, outcome, message }: Run, now: number): string {
  const length = (endedAt ?? now) - startedAt
  const took = outcome === 'running' || endedAt !== null ? ` ${formatDuration(length / 1000)}` : ''
  return `${job.padEnd(9)}  ${formatMinute(startedAt)}  ${outcome}${took}${message === null ? '' : `: ${message}`}`
}

const describeDue = (at: number, now: number): string =>
  at > now ? formatMinute(at) : `was due ${formatMinute(at)}: "coinstrata start" makes it up`

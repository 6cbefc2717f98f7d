import type { RequestListener } from 'node:http'
import { AggregatorRegistry, Gauge, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client'
import { serviceStates } from '#contract/operational-state.ts'
import { freeBytes } from '#state/operational-state.ts'
import { readAttempts } from '#state/source-attempts.ts'
import type { Operations } from './operations.ts'

export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[]

/** Joins the metrics of processes: sums requests, but not facts about the data. */
export const joinMetrics = (figures: ProcessMetrics[]): Registry => AggregatorRegistry.aggregate(figures)

export const serveMetrics =
  (read: () => Promise<Pick<Registry, 'metrics' | 'contentType'>>): RequestListener =>
  (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    read()
      .then(async (registry) => ({ text: await registry.metrics(), type: registry.contentType }))
      .then(
        ({ text, type }) => response.writeHead(200, { 'Content-Type': type }).end(text),
        () => response.writeHead(500).end(),
      )
  }

/**
 * Gauges of the operational state; returns their updater. Times are seconds since 1970; unknown
 * values are left out.
 */
export function addStateGauges(registry: Registry, operations: Operations, version: string): () => Promise<void> {
  // Processes of one data folder report the same values.
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    aggregator: 'max' | 'sum' = 'max',
  ) => new Gauge({ name: `coinstrata_${name}`, help, labelNames: [...labelNames], aggregator, registers: [registry] })
  const single = (name: string, help: string, aggregator?: 'sum') => {
    const made = gauge(name, help, [], aggregator)
    return (value: number | null | undefined): void => {
      if (value === null || value === undefined) made.remove()
      else made.set(value)
    }
  }
  gauge('build_info', 'The version that runs', ['version']).set({ version }, 1)
  const tipHeight = single('tip_height', 'Height of the newest block that is published')
  const tipTime = single('tip_time_seconds', 'Time of that block')
  const publishedTime = single('published_time_seconds', 'When the generation that is served was published')
  const blocks = single('blocks', 'Blocks of the chain that is served')
  const provedBlocks = single('proved_blocks', 'How many of them are proved')
  const lastSuccess = single(
    'last_success_time_seconds',
    'End of the last run that updated the data or found it up to date',
  )
  const nextUpdate = single('next_update_time_seconds', 'When the next update is due')
  const lagBlocks = single(
    'follow_lag_blocks',
    'Blocks of the node that the open day does not contain yet, with FOLLOW=on',
  )
  const lagSeconds = single('follow_lag_seconds', 'Time since the open day was last known to contain all of them')
  const diskFree = single('disk_free_bytes', 'Free space on the disk of the data folder')
  const chartsWaiting = single('charts_waiting', 'Charts waiting to be drawn', 'sum')
  const problem = gauge('problem', 'Problems, by code, with what to do about them', ['code', 'cure'])
  // Prometheus adds a label `job`, so these are called `command`.
  const runTime = gauge('run_start_time_seconds', 'Start of the last run of a command', ['command'])
  const runDuration = gauge('run_duration_seconds', 'How long it took', ['command'])
  const runFailed = gauge('run_failed', '1 if it failed, with the code of the error', ['command', 'code'])
  const sourceTime = gauge('market_source_success_time_seconds', 'When a source last answered', ['source'])
  const stateIs = gauge('state', '1 for the state of the service that holds', ['state'])
  return async () => {
    const { state, runs, served, proved, following } = await operations.read()
    for (const name of serviceStates) stateIs.set({ state: name }, name === state.status ? 1 : 0)
    tipHeight(served?.tip.height)
    tipTime(toSeconds(served?.tip.time))
    publishedTime(toSeconds(served?.created_at))
    blocks(served && served.tip.height + 1)
    provedBlocks(proved?.blocks)
    lastSuccess(toSeconds(state.last_success))
    nextUpdate(toSeconds(state.next_update))
    const { nodeHeight, followedHeight, behindSince, unreachableSince } = following ?? {}
    const publishedHeight = followedHeight ?? served?.tip.height
    lagBlocks(nodeHeight && publishedHeight !== undefined ? Math.max(0, nodeHeight - publishedHeight) : undefined)
    const now = Date.now()
    lagSeconds(following && (now - Math.min(behindSince ?? now, unreachableSince ?? now)) / 1000)
    diskFree(freeBytes(operations.dataDir))
    chartsWaiting(operations.chartsWaiting())
    for (const metric of [problem, runTime, runDuration, runFailed, sourceTime]) metric.reset()
    for (const { code, cure } of state.problems) problem.set({ code, cure }, 1)
    const ended = runs.filter(({ outcome }) => outcome !== 'running')
    for (const [command, [last]] of Map.groupBy(ended, (run) => run.job)) {
      if (!last) continue
      runTime.set({ command }, last.startedAt / 1000)
      if (last.endedAt !== null) runDuration.set({ command }, (last.endedAt - last.startedAt) / 1000)
      runFailed.set({ command, code: last.code ?? '' }, last.outcome === 'failed' ? 1 : 0)
    }
    for (const [source, { lastSuccess: at }] of Object.entries(readAttemptsOrNone(operations.dataDir))) {
      if (at !== undefined) sourceTime.set({ source }, at / 1000)
    }
  }
}

/** Empty while the file is damaged or being restored, which /health reports. */
function readAttemptsOrNone(dataDir: string): ReturnType<typeof readAttempts> {
  try {
    return readAttempts(dataDir)
  } catch {
    return {}
  }
}

const toSeconds = (time: string | null | undefined): number | undefined =>
  time === null || time === undefined ? undefined : Date.parse(time) / 1000

import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { createTrialLink, trialKey } from '#accounts/commands.ts'
import { readServiceAddress } from '#api/http/service-address.ts'
import type { ServerOptions } from '#api/services.ts'
import { isTransient } from '#base/error-codes.ts'
import type { Logger } from '#base/log.ts'
import { formatDuration } from '#base/quantities.ts'
import { folderError } from '#compute/data-folder.ts'
import type { Problem } from '#contract/operational-state.ts'
import { findMisspelt, type Settings } from '#root/config.ts'
import { readableGeneration } from '#sql/generation.ts'
import { openChartPlace } from './chart-place.ts'
import { ChildCommands, cliProgram, stoppedExitCode, toEnvironment } from './child-commands.ts'
import { createOutput, type Output } from './output.ts'
import { type ProcessContext, stopSignal } from './process-context.ts'
import { type PullLoop, startPullLoop } from './pull-loop.ts'
import { logFailure } from './recorded-run.ts'
import { backoffPause, type Schedule, startSchedule } from './schedule.ts'
import { ScheduleJournal } from './schedule-journal.ts'
import { serveWithTools } from './serve-with-tools.ts'
import { describeService, type Trial } from './welcome.ts'
import { answerPrimary } from './worker.ts'

export type Upkeep = 'only serve' | 'keep up to date' | 'publish first'

/** Serves until stopped. Returns the exit code: that of the first update if it fails. */
export async function serve(settings: Settings, upkeep: Upkeep, context: ProcessContext): Promise<number> {
  const output = createOutput(settings, context)
  try {
    return await serveUntilStopped(settings, upkeep, output, findMisspelt(context.environment))
  } catch (cause) {
    const error = folderError(cause, settings.DATA_DIR)
    if (output.isJson) logFailure(output.log, error)
    throw error
  }
}

async function serveUntilStopped(
  settings: Settings,
  upkeep: Upkeep,
  output: Output,
  knownProblems: readonly Problem[],
): Promise<number> {
  const { log, isJson, stdout } = output
  const secret = settings.TOOL_SERVER_SECRET ?? randomBytes(32).toString('hex')
  let keeping: Schedule | PullLoop | undefined
  let schedule: Schedule | undefined
  const firstRuns = new ScheduleJournal(settings.DATA_DIR, log)
  const recentRuns = () => (keeping ?? firstRuns).recentRuns()
  // The primary process serves all workers' metrics.
  const METRICS_PORT = cluster.isWorker ? undefined : settings.METRICS_PORT
  const chartPlace = settings.RENDERS_URL === undefined ? undefined : await openChartPlace(settings.RENDERS_URL)
  let isDamaged = false
  const onDamage = (): void => {
    isDamaged = true
    schedule?.update()
  }
  const onRescanAllowed = (): void => schedule?.update()
  const saveMetric: ServerOptions['saveMetric'] = async (...given) =>
    (await import('./own-metrics.ts')).saveOwnMetric(settings.DATA_DIR, ...given)
  const server = await serveWithTools(
    { ...settings, METRICS_PORT, log, recentRuns, knownProblems, onDamage, onRescanAllowed, saveMetric, chartPlace },
    secret,
  )
  const { basePath, publicUrl } = readServiceAddress(settings)
  const url = server.url + basePath
  if (upkeep === 'publish first') {
    const update = runFirstUpdate(settings, firstRuns, log)
    log.info({ url }, `nothing is published yet: ${url}/ tells so until the first update has ended`)
    const exitCode = await update
    if (exitCode !== 0) {
      await server.close()
      return exitCode
    }
  }
  if (cluster.isWorker) {
    await answerPrimary(url, server)
    return 0
  }
  if (upkeep !== 'only serve') {
    keeping = schedule = startSchedule(settings, log, { updated: upkeep === 'publish first' })
    if (isDamaged) schedule.update()
  } else if (settings.PULL_URL !== undefined) keeping = await startPullLoop(settings, output)
  const trial = upkeep === 'only serve' ? undefined : await createTrial(settings, publicUrl ?? url)
  if (isJson) {
    log.info({ url, metrics_url: server.metricsUrl }, `serving on ${url}`)
    if (trial) {
      const opened = 'key' in trial ? 'this link and this key open' : 'this link and the key of an earlier start open'
      log.info(trial, `the data is simulated: ${opened} all of it`)
    }
  } else stdout.write(describeService(url, settings, server.metricsUrl, trial))
  await stopSignal()
  await keeping?.stop()
  await server.close()
  return 0
}

/** Simulated data can be tried in full; real data needs an operator's key. */
async function createTrial(settings: Settings, publicUrl: string): Promise<Trial | undefined> {
  const { ACCESS, DATA_DIR: dataDir } = settings
  if (ACCESS !== 'tiered' || !readableGeneration(dataDir)?.generation.simulated) return undefined
  const key = await trialKey(settings)
  return { link: publicUrl + (await createTrialLink(settings)), ...key }
}

/** Pauses between attempts to publish first; short, because nothing is served before. */
const firstBackoffMs = [5, 10, 20, 30, 60, 120, 300].map((seconds) => 1_000 * seconds)

/**
 * Runs the first update in a child process while this one already serves. Retries transient
 * failures, such as a node that has not started. Returns its exit code.
 */
async function runFirstUpdate(settings: Settings, journal: ScheduleJournal, log: Logger): Promise<number> {
  const children = new ChildCommands(cliProgram, toEnvironment(settings), journal, log)
  const stop = (): void => children.stop()
  const signals = ['SIGINT', 'SIGTERM', 'exit'] as const
  for (const signal of signals) process.once(signal, stop)
  try {
    for (let failures = 0; ; failures++) {
      const { exitCode, code } = await children.run(['update'])
      if (!isTransient(code) || children.stopped) return exitCode
      const pauseMs = backoffPause(firstBackoffMs, failures)
      journal.setDue('update', Date.now() + pauseMs)
      log.warn(
        { code, pauseMs },
        `nothing can be published yet (${code}): trying again in ${formatDuration(pauseMs / 1000)}`,
      )
      await children.pause(pauseMs)
      if (children.stopped) return stoppedExitCode
    }
  } finally {
    for (const signal of signals) process.off(signal, stop)
  }
}

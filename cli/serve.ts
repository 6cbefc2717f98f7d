import { spawn } from 'node:child_process'
import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import os from 'node:os'
import { createTrialLink, trialKey } from '#accounts/commands.ts'
import { readServiceAddress } from '#api/http/service-address.ts'
import { folderError } from '#compute/data-folder.ts'
import type { Settings } from '#root/config.ts'
import { currentGeneration } from '#sql/generation.ts'
import { openChartPlace } from './chart-place.ts'
import { cliProgram, toEnvironment } from './child-commands.ts'
import { createOutput, type Output } from './output.ts'
import { type ProcessContext, stopSignal } from './process-context.ts'
import { type PullLoop, startPullLoop } from './pull-loop.ts'
import { logFailure } from './recorded-run.ts'
import { type Schedule, startSchedule } from './schedule.ts'
import { serveWithTools } from './serve-with-tools.ts'
import { describeService, type Trial } from './welcome.ts'
import { answerPrimary } from './worker.ts'

export type Upkeep = 'only serve' | 'keep up to date' | 'publish first'

/**
 * Serves the published data until the process is stopped. Returns the exit code: that of the first update if it fails.
 */
export async function serve(settings: Settings, upkeep: Upkeep, context: ProcessContext): Promise<number> {
  const output = createOutput(settings, context)
  try {
    return await serveUntilStopped(settings, upkeep, output)
  } catch (cause) {
    const error = folderError(cause, settings.DATA_DIR)
    if (output.isJson) logFailure(output.log, error)
    throw error
  }
}

async function serveUntilStopped(settings: Settings, upkeep: Upkeep, output: Output): Promise<number> {
  const { log, isJson, stdout } = output
  const secret = settings.TOOL_SERVER_SECRET ?? randomBytes(32).toString('hex')
  let keeping: Schedule | PullLoop | undefined
  const recentRuns = () => keeping?.recentRuns() ?? []
  // The primary process serves the metrics of all workers.
  const METRICS_PORT = cluster.isWorker ? undefined : settings.METRICS_PORT
  const chartPlace = settings.RENDERS_URL === undefined ? undefined : await openChartPlace(settings.RENDERS_URL)
  const server = await serveWithTools({ ...settings, METRICS_PORT, log, recentRuns, chartPlace }, secret, {
    publicUrl: readServiceAddress(settings).publicUrl,
    allowedHosts: settings.MCP_ALLOWED_HOSTS,
    allowedOrigins: settings.MCP_ALLOWED_ORIGINS,
  })
  const { basePath, publicUrl } = readServiceAddress(settings)
  const url = server.url + basePath
  if (upkeep === 'publish first') {
    const update = runFirstUpdate(settings)
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
  if (upkeep !== 'only serve') keeping = startSchedule(settings, log, { updated: upkeep === 'publish first' })
  else if (settings.PULL_URL !== undefined) keeping = await startPullLoop(settings, output)
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

/** Simulated data can be tried in full; real data needs a key from the operator. */
async function createTrial(settings: Settings, publicUrl: string): Promise<Trial | undefined> {
  const { ACCESS, DATA_DIR: dataDir } = settings
  if (ACCESS !== 'tiered' || !currentGeneration(dataDir)?.generation.simulated) return undefined
  const key = await trialKey(settings)
  return { link: publicUrl + (await createTrialLink(settings)), ...key }
}

/**
 * Runs the first update in a child process, which prints its own progress, while this process already serves. Returns
 * its exit code.
 */
async function runFirstUpdate(settings: Settings): Promise<number> {
  const child = spawn(process.execPath, [cliProgram, 'update'], { stdio: 'inherit', env: toEnvironment(settings) })
  const end = (): boolean => child.kill()
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, end)
  process.once('exit', end)
  await once(child, 'exit')
  for (const signal of signals) process.off(signal, end)
  process.off('exit', end)
  const { exitCode, signalCode } = child
  return exitCode ?? 128 + (signalCode === null ? 0 : os.constants.signals[signalCode])
}

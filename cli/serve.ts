import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { createTrialLink, trialKey } from '#accounts/commands.ts'
import { readServiceAddress } from '#api/http/service-address.ts'
import { folderError } from '#compute/data-folder.ts'
import type { Settings } from '#root/config.ts'
import { currentGeneration } from '#sql/generation.ts'
import { openChartPlace } from './chart-place.ts'
import { makeFirstUpdate } from './first-update.ts'
import { type Output, outputOf } from './output.ts'
import { type Pulling, startPulling } from './pulling.ts'
import { logFailure } from './recorded-run.ts'
import { type Schedule, startSchedule } from './schedule.ts'
import { serveWithTools } from './serve-with-tools.ts'
import type { Surroundings } from './surroundings.ts'
import { type Trial, welcome } from './welcome.ts'
import { answerPrimary } from './worker.ts'

/** What is done beside serving. */
export type Upkeep = 'only serve' | 'keep up to date' | 'publish first'

/**
 * Serves what is published, and keeps it up to date unless it is only to serve, until the process is told to end. Returns
 * the exit code: that of the first update where it fails.
 */
export async function serve(settings: Settings, upkeep: Upkeep, surroundings: Surroundings): Promise<number> {
  const output = outputOf(settings, surroundings)
  try {
    return await serveUntilTold(settings, upkeep, output)
  } catch (cause) {
    const error = folderError(cause, settings.DATA_DIR)
    if (output.isJson) logFailure(output.log, error)
    throw error
  }
}

async function serveUntilTold(settings: Settings, upkeep: Upkeep, output: Output): Promise<number> {
  const { log, isJson, stdout } = output
  const secret = settings.TOOL_SERVER_SECRET ?? randomBytes(32).toString('hex')
  let keeping: Schedule | Pulling | undefined
  const recentRuns = () => keeping?.recentRuns() ?? []
  // Of workers the primary process tells the figures.
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
    const update = makeFirstUpdate(settings)
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
  else if (settings.PULL_URL !== undefined) keeping = await startPulling(settings, output)
  const trial = upkeep === 'only serve' ? undefined : await trialOf(settings, publicUrl ?? url)
  if (isJson) {
    log.info({ url, metrics_url: server.metricsUrl }, `serving on ${url}`)
    if (trial) {
      const opened = 'key' in trial ? 'this link and this key open' : 'this link and the key of an earlier start open'
      log.info(trial, `the data is simulated: ${opened} all of it`)
    }
  } else stdout.write(welcome(url, settings, server.metricsUrl, trial))
  await new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  await keeping?.stop()
  await server.close()
  return 0
}

/** Data that are made up may be tried in full; real ones open to keys that an operator makes. */
async function trialOf(settings: Settings, publicUrl: string): Promise<Trial | undefined> {
  const { ACCESS, DATA_DIR: dataDir } = settings
  if (ACCESS !== 'tiered' || !currentGeneration(dataDir)?.generation.simulated) return undefined
  const key = await trialKey(settings)
  return { link: publicUrl + (await createTrialLink(settings)), ...key }
}

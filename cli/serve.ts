import { randomBytes } from 'node:crypto'
import { createTrialKey, createTrialLink } from '#api/accounts/commands.ts'
import { placeOf } from '#api/place.ts'
import { folderError } from '#compute/data-folder.ts'
import type { Settings } from '#root/config.ts'
import { listensEverywhere } from '#root/socket-address.ts'
import { currentGeneration } from '#sql/generation.ts'
import { makeFirstUpdate } from './first-update.ts'
import { type Output, outputOf } from './output.ts'
import { type Pulling, startPulling } from './pulling.ts'
import { logFailure } from './recorded-run.ts'
import { type Schedule, startSchedule } from './schedule.ts'
import { serveWithTools } from './serve-with-tools.ts'
import type { Surroundings } from './surroundings.ts'

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
  const server = await serveWithTools({ ...settings, log, recentRuns }, secret, {
    publicUrl: placeOf(settings).publicUrl,
    allowedHosts: settings.MCP_ALLOWED_HOSTS,
    allowedOrigins: settings.MCP_ALLOWED_ORIGINS,
  })
  const { basePath, publicUrl } = placeOf(settings)
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
  if (upkeep !== 'only serve') keeping = startSchedule(settings, log, { updated: upkeep === 'publish first' })
  else if (settings.PULL_URL !== undefined) keeping = await startPulling(settings, output)
  const trial = upkeep === 'only serve' ? undefined : await trialOf(settings, publicUrl ?? url)
  if (isJson) {
    log.info({ url, metrics_url: server.metricsUrl }, `serving on ${url}`)
    if (trial) log.info(trial, 'the data is simulated: this link and this key open all of it')
  } else stdout.write(welcome(url, settings, server.metricsUrl, trial))
  await new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  await keeping?.stop()
  await server.close()
  return 0
}

interface Trial {
  /** Signs a browser in, once. */
  readonly link: string
  readonly key: string
}

/** Data that are made up may be tried in full; real ones open to keys that an operator makes. */
async function trialOf(settings: Settings, publicUrl: string): Promise<Trial | undefined> {
  const { ACCESS, DATA_DIR: dataDir } = settings
  if (ACCESS !== 'tiered' || !currentGeneration(dataDir)?.generation.simulated) return undefined
  const key = await createTrialKey(dataDir)
  return { link: publicUrl + (await createTrialLink(dataDir)), key }
}

/** What to try first. */
function welcome(
  url: string,
  { HOST }: Pick<Settings, 'HOST'>,
  metricsUrl: string | undefined,
  trial: Trial | undefined,
): string {
  const lines = [
    `serving on ${url}${listensEverywhere(HOST) ? ' (and on every other address of this machine)' : ''}`,
    `  ${url}/                              web pages`,
    `  ${url}/docs                          every endpoint: a page for browsers, OpenAPI for programs`,
    `  ${url}/v1/prices?limit=7             the last week of prices`,
    `  ${url}/v1/holder/valuation?limit=1   yesterday's valuation`,
    `  ${url}/v1/metrics                    the definition of every metric`,
    `  ${url}/mcp                           tools for AI assistants (Model Context Protocol)`,
    `  ${url}/health                        what is published, and how old it is`,
  ]
  if (metricsUrl) lines.push(`  ${metricsUrl}  figures for Prometheus`)
  if (trial) {
    lines.push(
      '',
      'The data is simulated. This link opens everything in a browser, once, within a day:',
      `  ${trial.link}`,
      '',
      'Without a key, the last 60 days of basic metrics are open. This key opens everything:',
      `  curl -H 'Authorization: Bearer ${trial.key}' '${url}/v1/holder/profit?limit=5'`,
    )
  }
  return `${lines.join('\n')}\n\n`
}

import { randomBytes } from 'node:crypto'
import { createTrialKey, createTrialLink } from '#api/accounts/commands.ts'
import { placeOf } from '#api/place.ts'
import type { Settings } from '#root/config.ts'
import { createLogger } from '#root/log.ts'
import { currentGeneration } from '#sql/generation.ts'
import { startSchedule } from './schedule.ts'
import { serveWithTools } from './serve-with-tools.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * Serves what is published and keeps it up to date, until the process is told to end.
 * @param updated an update has just been made
 */
export async function serve(settings: Settings, updated: boolean, { stdout, stderr }: Surroundings): Promise<void> {
  const log = createLogger(settings.LOG_LEVEL, stderr)
  const secret = settings.TOOL_SERVER_SECRET ?? randomBytes(32).toString('hex')
  const server = await serveWithTools({ ...settings, log }, secret, {
    publicUrl: placeOf(settings).publicUrl,
    allowedHosts: settings.MCP_ALLOWED_HOSTS,
    allowedOrigins: settings.MCP_ALLOWED_ORIGINS,
  })
  const schedule = startSchedule(settings, log, { updated })
  stdout.write(await welcome(settings, server.url, server.metricsUrl))
  await new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  await schedule.stop()
  await server.close()
}

/** What to try first. Data that are made up may be tried in full; real ones open to keys that an operator makes. */
async function welcome(settings: Settings, serverUrl: string, metricsUrl: string | undefined): Promise<string> {
  const { basePath, publicUrl } = placeOf(settings)
  const url = serverUrl + basePath
  const lines = [
    `serving on ${url}`,
    `  ${url}/                              pages to look at all of it`,
    `  ${url}/docs                          every endpoint; in a browser a page, else OpenAPI`,
    `  ${url}/v1/prices?limit=7             the last week of prices`,
    `  ${url}/v1/holder/valuation?limit=1   yesterday's valuation`,
    `  ${url}/v1/metrics                    the definition of every metric`,
    `  ${url}/mcp                           tools for AI assistants (Model Context Protocol)`,
    `  ${url}/health                        what is published, and how old it is`,
  ]
  if (metricsUrl) lines.push(`  ${metricsUrl}  figures for Prometheus`)
  if (settings.ACCESS === 'tiered' && currentGeneration(settings.DATA_DIR)?.generation.simulated) {
    const key = await createTrialKey(settings.DATA_DIR)
    lines.push(
      '',
      'The data are made up. This link opens everything to a browser, once, and within a day:',
      `  ${publicUrl ?? url}${await createTrialLink(settings.DATA_DIR)}`,
      '',
      'Without a key the last 60 days of basic metrics are open. A key for everything:',
      `  curl -H 'Authorization: Bearer ${key}' '${url}/v1/holder/profit?limit=5'`,
    )
  }
  return `${lines.join('\n')}\n\n`
}

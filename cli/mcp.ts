import { createLogger } from '#base/log.ts'
import { startToolServer } from '#mcp/transport/serve-http.ts'
import { parseBaseUrl, runStdio } from '#mcp/transport/stdio.ts'
import type { Settings } from '#root/config.ts'
import { type ProcessContext, stopSignal } from './process-context.ts'

export async function runMcp(settings: Settings, http: boolean, { stdout, stderr }: ProcessContext): Promise<void> {
  const log = createLogger(settings.LOG_LEVEL, stderr)
  if (!http) {
    runStdio({ baseUrl: settings.COINSTRATA_URL, apiKey: settings.COINSTRATA_API_KEY, log })
    return
  }
  const baseUrl = parseBaseUrl(settings.COINSTRATA_URL, 'COINSTRATA_URL')
  const server = await startToolServer({
    host: settings.MCP_HOST,
    port: settings.MCP_PORT,
    trustProxy: settings.TRUST_PROXY,
    baseUrl: () => baseUrl,
    secret: settings.TOOL_SERVER_SECRET,
    publicUrl: settings.PUBLIC_URL ?? baseUrl,
    allowedHosts: settings.MCP_ALLOWED_HOSTS,
    allowedOrigins: settings.MCP_ALLOWED_ORIGINS,
    requestsPerMinute: settings.REQUESTS_PER_MINUTE,
    log,
  })
  stdout.write(`serving tools for assistants on ${server.url}, with data from ${baseUrl}\n`)
  await stopSignal()
  await server.close()
}

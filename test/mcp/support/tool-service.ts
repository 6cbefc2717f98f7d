import { pino } from 'pino'
import type { ServerOptions } from '#api/services.ts'
import { apiSettings } from '#api/settings.ts'
import {
  type MountOptions,
  type RunningToolServer,
  startToolServer,
  type ToolServerSettings,
} from '#mcp/transport/serve-http.ts'
import { serveWithTools } from '#root/cli/serve-with-tools.ts'
import { sharedCharts } from '#test/api/support/test-server.ts'

export interface ToolService {
  /** Address of the REST API. */
  readonly url: string
  readonly toolUrl: string
  readonly log: () => string
  readonly close: () => Promise<void>
}

export const secret = 'a-secret-of-which-only-tests-make-use-0123456789'

/**
 * Serves the API and the tools of a data folder. `settings` are environment variables, `inside`
 * options that have none.
 */
export async function serveTools(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
  mount: Partial<MountOptions> = {},
  inside: Partial<ServerOptions> = {},
): Promise<ToolService> {
  const lines: string[] = []
  const log = pino({ level: 'warn', base: null }, { write: (line: string) => void lines.push(line) })
  const options = {
    ...apiSettings.parse({ PORT: '0', ...settings }),
    createCharts: sharedCharts,
    ...inside,
    DATA_DIR: dataDir,
    MEMORY_LIMIT: '500MB',
    log,
  }
  const { url, close } = await serveWithTools(options, secret, mount)
  return { url, toolUrl: `${url}/mcp`, log: () => lines.join(''), close }
}

/** Serves the tools on their own port for the API at `baseUrl`. */
export const serveToolsApart = (
  baseUrl: string,
  settings: Partial<ToolServerSettings> = {},
): Promise<RunningToolServer> =>
  startToolServer({
    host: '127.0.0.1',
    port: 0,
    trustProxy: '',
    baseUrl: () => baseUrl,
    secret: undefined,
    publicUrl: undefined,
    allowedHosts: [],
    allowedOrigins: [],
    requestsPerMinute: 1_000,
    log: pino({ level: 'silent' }),
    ...settings,
  })

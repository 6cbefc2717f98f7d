import { readServiceAddress } from '#api/http/service-address.ts'
import { type RunningServer, startServer } from '#api/server.ts'
import type { ServerOptions } from '#api/services.ts'
import { type MountOptions, mountTools } from '#mcp/transport/serve-http.ts'

/** Serves the API, and at `/mcp` the tools that call it with the shared `secret`. */
export async function serveWithTools(
  options: Omit<ServerOptions, 'toolServerSecret' | 'extend'>,
  secret: string,
  tools: Partial<MountOptions> = {},
): Promise<RunningServer> {
  const { log, HOST: host, REQUESTS_PER_MINUTE: requestsPerMinute } = options
  const { basePath, publicUrl } = readServiceAddress(options)
  // Known once the server listens.
  let url = ''
  const server = await startServer({
    ...options,
    toolServerSecret: secret,
    extend: (app, callerOf) =>
      mountTools(app, {
        host,
        basePath,
        publicUrl,
        allowedHosts: options.MCP_ALLOWED_HOSTS ?? [],
        allowedOrigins: options.MCP_ALLOWED_ORIGINS ?? [],
        baseUrl: () => url,
        secret,
        requestsPerMinute,
        identifyCaller: callerOf,
        hasAccounts: true,
        log,
        ...tools,
      }),
  })
  url = server.url
  return server
}

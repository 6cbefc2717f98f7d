import { readServiceAddress } from '#api/http/service-address.ts'
import { type RunningServer, startServer } from '#api/server.ts'
import type { ServerOptions } from '#api/services.ts'
import { type MountOptions, mountTools } from '#mcp/transport/serve-http.ts'

/** Serves the API, and at `/mcp` the tools, which call it. `secret` is shared by the two. */
export async function serveWithTools(
  options: Omit<ServerOptions, 'toolServerSecret' | 'extend'>,
  secret: string,
  tools: Pick<MountOptions, 'publicUrl' | 'allowedHosts' | 'allowedOrigins'> & Partial<MountOptions>,
): Promise<RunningServer> {
  const { log, HOST: host, REQUESTS_PER_MINUTE: requestsPerMinute } = options
  const { basePath } = readServiceAddress(options)
  // Known once the server listens.
  let url = ''
  const server = await startServer({
    ...options,
    toolServerSecret: secret,
    extend: (app, callerOf) =>
      mountTools(app, {
        host,
        basePath,
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

import type { Express } from 'express'
import { addressOfSocket } from '#base/socket-address.ts'
import { type HttpOptions, serveHttp } from './serve-http.ts'
import { createShared, createToolServer } from './server.ts'

export interface MountOptions extends HttpOptions {
  /** Address of the REST API, asked for at each request, without a slash at the end. */
  readonly baseUrl: () => string
  /** Path below which the API is served where `publicUrl` does not tell, without a slash at the end. */
  readonly basePath?: string
  /** Shared with the API, which then counts callers by their own addresses. */
  readonly secret: string | undefined
}

/** Serves the tools at `/mcp`. */
export function mountTools(app: Express, options: MountOptions): void {
  const { baseUrl, secret, publicUrl, basePath = '', log } = options
  const shared = createShared(log)
  serveHttp(app, options, (request) =>
    createToolServer({
      baseUrl: baseUrl(),
      publicUrl: publicUrl ?? `${addressOfSocket(request.socket)}${basePath}`,
      shared,
      authorization: request.headers.authorization,
      apiKey: request.get('X-API-Key'),
      forwarded: secret === undefined ? undefined : { address: request.ip ?? 'unknown', secret },
    }),
  )
}

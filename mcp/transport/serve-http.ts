import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/express'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
} from '@modelcontextprotocol/server'
import express, { type Express, type Request, type RequestHandler } from 'express'
import { createShutdown } from '#base/graceful-shutdown.ts'
import { listen } from '#base/listen.ts'
import type { Logger } from '#base/log.ts'
import { isLoopback, serverUrl, socketUrl } from '#base/socket-address.ts'
import { readForwarded } from '#base/x-forwarded-for.ts'
import { accountToolPath, toolPath } from '#contract/oauth.ts'
import { bothTypes, readStreamAsJson, tidyMessages } from './lenient-messages.ts'
import { type IdentifyCaller, identifyByKey, limitMessages, refuseCallers } from './limit-messages.ts'
import { createShared, createToolServer } from './server.ts'

export interface HttpOptions {
  /** On loopback, only known Host headers are served. */
  readonly host: string
  /** For links; default: the listening address. */
  readonly publicUrl: string | undefined
  /** Names in Host besides loopback and `publicUrl`. */
  readonly allowedHosts: readonly string[]
  /** Hosts of web pages allowed besides loopback and `publicUrl`. */
  readonly allowedOrigins: readonly string[]
  /** The API's limit; determines the message limit. */
  readonly requestsPerMinute: number
  readonly identifyCaller: IdentifyCaller
  /** Also serves the path for accounts. */
  readonly hasAccounts?: boolean
  readonly log: Logger
}

const maxBodyBytes = 262_144

/** Streamable HTTP without sessions: each request gets a new server. */
export function serveHttp(app: Express, options: HttpOptions, createServer: (request: Request) => McpServer): void {
  const { host, publicUrl, requestsPerMinute, identifyCaller, log } = options
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  const origins = [...localhostAllowedOrigins(), ...publicHosts, ...options.allowedOrigins]
  const hosts = [...localhostAllowedHostnames(), ...publicHosts, ...options.allowedHosts]
  const onerror = (error: Error): void => log.debug({ err: error }, 'tool request refused')

  if (isLoopback(host) || options.allowedHosts.length > 0) app.use(toolPath, hostHeaderValidation(hosts))
  app.use(toolPath, originValidation(origins), allowCheckedOrigin)
  app.use(toolPath, ...limitMessages(requestsPerMinute, maxBodyBytes, identifyCaller, log))
  app.use(toolPath, refuseCallers(identifyCaller, log))
  app.all(options.hasAccounts ? [toolPath, accountToolPath] : toolPath, async (request, response) => {
    const handler = createMcpHandler(() => createServer(request), { onerror })
    const readsStreams = request.headers.accept?.includes('text/event-stream') ?? false
    if (request.method === 'POST') request.headers.accept = bothTypes
    const fetch: typeof handler.fetch = async (...asked) => {
      const answer = await handler.fetch(...asked)
      return readsStreams ? answer : readStreamAsJson(answer)
    }
    await toNodeHandler({ fetch }, { onerror })(request, response, tidyMessages(request.body))
  })
}

const clientHeaders =
  'Authorization, X-API-Key, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID'

const allowCheckedOrigin: RequestHandler = (request, response, next) => {
  const { origin } = request.headers
  if (origin !== undefined) {
    response.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'Retry-After, WWW-Authenticate',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    })
    response.vary('Origin')
  }
  if (request.method !== 'OPTIONS') return next()
  response.set({
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': clientHeaders,
    'Access-Control-Max-Age': '86400',
  })
  response.status(204).end()
}

export interface MountOptions extends HttpOptions {
  /** Without a trailing slash; called for each request. */
  readonly baseUrl: () => string
  /** If `publicUrl` is not set; without a trailing slash. */
  readonly basePath?: string
  /** Makes the API trust forwarded addresses. */
  readonly secret: string | undefined
}

export function mountTools(app: Express, options: MountOptions): void {
  const { baseUrl, secret, publicUrl, basePath = '', log } = options
  const shared = createShared(log)
  serveHttp(app, options, (request) =>
    createToolServer({
      baseUrl: baseUrl(),
      publicUrl: publicUrl ?? `${socketUrl(request.socket)}${basePath}`,
      shared,
      authorization: request.headers.authorization,
      apiKey: request.get('X-API-Key'),
      forwarded: secret === undefined ? undefined : { address: request.ip ?? 'unknown', secret },
    }),
  )
}

export interface ToolServerSettings extends Omit<MountOptions, 'identifyCaller'> {
  /** 0 means any free port. */
  readonly port: number
  /** Number of proxies, or their addresses; empty for none. */
  readonly trustProxy: string | number
  /** For clients that neither read nor send. */
  readonly idleTimeoutMs?: number
}

export interface RunningToolServer {
  readonly url: string
  readonly close: () => Promise<void>
}

export async function startToolServer(settings: ToolServerSettings): Promise<RunningToolServer> {
  const { host, port, trustProxy, idleTimeoutMs } = settings
  const app = express()
  app.disable('x-powered-by')
  app.set('trust proxy', trustProxy === '' ? false : trustProxy)
  app.use(readForwarded(trustProxy))
  mountTools(app, { ...settings, identifyCaller: identifyByKey })
  const server = await listen(app, { HOST: host }, port, 'MCP_PORT', idleTimeoutMs)
  return { url: serverUrl(server) + toolPath, close: createShutdown(server) }
}

import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/express'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
} from '@modelcontextprotocol/server'
import type { Express, Request, RequestHandler } from 'express'
import type { Logger } from '#base/log.ts'
import { accountToolPath, toolPath } from '#contract/oauth.ts'
import { type IdentifyCaller, limitMessages, refuseCallers } from './limit-messages.ts'

export interface HttpOptions {
  /** Address on which the server listens; on loopback only known Host headers are served. */
  readonly host: string
  /** Address of the API as callers reach it, for links; that on which it listens without it. */
  readonly publicUrl: string | undefined
  /** Host names by which callers may reach the server, besides those of loopback and of `publicUrl`. */
  readonly allowedHosts: readonly string[]
  /** Host names of web pages that may call the server, besides those of loopback and of `publicUrl`. */
  readonly allowedOrigins: readonly string[]
  /** What a caller may ask of an endpoint of the API, from which the bound of its messages follows. */
  readonly requestsPerMinute: number
  readonly identifyCaller: IdentifyCaller
  /** Whether the path for accounts is served, too: where somebody knows which keys there are. */
  readonly hasAccounts?: boolean
  readonly log: Logger
}

const maxBodyBytes = 262_144

/**
 * Serves the protocol at `/mcp`, and for accounts at `/mcp/account`, over Streamable HTTP without sessions: each request stands for itself and gets a
 * server of its own.
 */
export function serveHttp(app: Express, options: HttpOptions, createServer: (request: Request) => McpServer): void {
  const { host, publicUrl, requestsPerMinute, identifyCaller: callerOf, log } = options
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  const origins = [...localhostAllowedOrigins(), ...publicHosts, ...options.allowedOrigins]
  const hosts = [...localhostAllowedHostnames(), ...publicHosts, ...options.allowedHosts]
  const onerror = (error: Error): void => log.debug({ err: error }, 'tool request refused')

  if (isLoopback(host) || options.allowedHosts.length > 0) app.use(toolPath, hostHeaderValidation(hosts))
  app.use(toolPath, originValidation(origins), allowCheckedOrigin)
  app.use(toolPath, ...limitMessages(requestsPerMinute, maxBodyBytes, callerOf))
  app.use(toolPath, refuseCallers(callerOf))
  app.all(options.hasAccounts ? [toolPath, accountToolPath] : toolPath, async (request, response) => {
    const handler = createMcpHandler(() => createServer(request), { onerror })
    await toNodeHandler(handler, { onerror })(request, response, request.body)
  })
}

const clientHeaders =
  'Authorization, X-API-Key, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID'

/** Pages of origins that have passed the check may read answers. */
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

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/express'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, localhostAllowedHostnames, localhostAllowedOrigins } from '@modelcontextprotocol/server'
import type { Express, Request, RequestHandler } from 'express'
import type { Logger } from '#root/log.ts'
import { createShared, createToolServer } from './server.ts'

export interface MountOptions {
  /** Address on which the server listens; on loopback only known Host headers are served. */
  readonly host: string
  /** Address of the REST API, asked for at each request, without a slash at the end. */
  readonly baseUrl: () => string
  /** Shared with the API, which then counts callers by their own addresses. */
  readonly secret: string | undefined
  /** Address of the API as callers reach it, for links; that of each request without it. */
  readonly publicUrl: string | undefined
  /** Host names by which callers may reach the server, besides those of loopback and of `publicUrl`. */
  readonly allowedHosts: readonly string[]
  /** Host names of web pages that may call the server, besides those of loopback and of `publicUrl`. */
  readonly allowedOrigins: readonly string[]
  readonly log: Logger
}

export const toolPath = '/mcp'
const largestBody = 262_144

/** Serves the tools at `/mcp`, over Streamable HTTP without sessions: each request stands for itself. */
export function mountTools(app: Express, options: MountOptions): void {
  const { host, baseUrl, secret, publicUrl, log } = options
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  const origins = [...localhostAllowedOrigins(), ...publicHosts, ...options.allowedOrigins]
  const hosts = [...localhostAllowedHostnames(), ...publicHosts, ...options.allowedHosts]
  const onerror = (error: Error): void => log.debug({ err: error }, 'tool request refused')
  const shared = createShared(log)

  if (isLoopback(host) || options.allowedHosts.length > 0) app.use(toolPath, hostHeaderValidation(hosts))
  app.use(toolPath, originValidation(origins), allowCheckedOrigin)
  app.all(toolPath, async (request, response) => {
    const handler = createMcpHandler(
      () =>
        createToolServer({
          baseUrl: baseUrl(),
          publicUrl: publicUrl ?? `${request.protocol}://${request.host}`,
          shared,
          authorization: request.headers.authorization,
          forwarded: secret === undefined ? undefined : { address: addressOf(request), secret },
        }),
      { maxRequestBodySize: largestBody, maxSubscriptions: 0, onerror },
    )
    await toNodeHandler(handler, { maxRequestBodySize: largestBody, onerror })(request, response)
  })
}

const addressOf = (request: Request): string => request.ip ?? 'unknown'

const headersOfClients =
  'Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID'

/** Pages of origins that have passed the check may read answers. */
const allowCheckedOrigin: RequestHandler = (request, response, next) => {
  const { origin } = request.headers
  if (origin !== undefined) {
    response.set({ 'Access-Control-Allow-Origin': origin, 'Cross-Origin-Resource-Policy': 'cross-origin' })
    response.vary('Origin')
  }
  if (request.method !== 'OPTIONS') return next()
  response.set({
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': headersOfClients,
    'Access-Control-Max-Age': '86400',
  })
  response.status(204).end()
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

import type { ServerResponse } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import { ApiError } from '#contract/api-error.ts'
import { toolPath } from '#contract/oauth.ts'

const exposedHeaders = [
  'API-Version',
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Coinstrata-Meta',
  'X-Generation',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Render-Id',
  'X-Chart-Remarks',
  'X-Request-Id',
].join(', ')

/** Browsers send no cookies with such requests. */
export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', exposedHeaders)
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
}

export const allowOrigins: RequestHandler = (_, response, next) => {
  allowAnyOrigin(response)
  next()
}

export const preflight: RequestHandler = (_, response) => sendPreflight(response, '*')

function sendPreflight(response: Response, origin: string): void {
  response.set({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'GET, HEAD, POST',
    'Access-Control-Allow-Headers':
      'Authorization, X-API-Key, Content-Type, Accept, If-None-Match, Last-Event-ID, Range, If-Range',
    'Access-Control-Max-Age': '86400',
  })
  response.status(204).end()
}

export interface OriginRules {
  /** Refuses requests from pages of other sites, except navigation. */
  readonly check: RequestHandler
  /** Lets pages of other origins read the answer. */
  readonly allow: (request: Request, response: Response) => void
  readonly preflight: RequestHandler
}

const anyOrigin: OriginRules = {
  check: (_request, _response, next) => next(),
  allow: (_, response) => allowAnyOrigin(response),
  preflight,
}

/**
 * With open access there are no keys, so any page that a user of the network visits could read
 * everything through that user's browser. Then only pages of this service and of `allowedOrigins`
 * (host names) may call. Tools have a check of their own.
 */
export function originRules(
  isOpen: boolean,
  publicUrl: string | undefined,
  allowedOrigins: readonly string[],
): OriginRules {
  if (!isOpen) return anyOrigin
  // Browsers send no Origin for pictures.
  const allowedOrigin = ({ headers: { origin, referer = '' } }: Request): string | undefined => {
    const source = URL.parse(origin ?? referer)
    return source && allowedOrigins.includes(source.hostname) ? source.origin : undefined
  }
  const allow = (request: Request, response: Response): void => {
    const origin = allowedOrigin(request)
    if (origin === undefined) return
    allowAnyOrigin(response)
    response.set('Access-Control-Allow-Origin', origin)
  }
  return {
    check: (request, _, next) => {
      const { method, originalUrl: url, headers } = request
      const isNavigation = headers['sec-fetch-mode'] === 'navigate' && (method === 'GET' || method === 'HEAD')
      const isTool = url === toolPath || url.startsWith(`${toolPath}/`) || url.startsWith(`${toolPath}?`)
      if (isTool || isNavigation || allowedOrigin(request) !== undefined || isOwnSite(request, publicUrl)) return next()
      const message = 'pages of other sites cannot read a service with open access'
      throw new ApiError('forbidden', `${message}: set MCP_ALLOWED_ORIGINS to the host of the page if it may`)
    },
    allow,
    preflight: (request, response) => {
      const origin = allowedOrigin(request)
      if (origin === undefined) return void response.status(204).end()
      sendPreflight(response, origin)
    },
  }
}

/**
 * Browsers name the source in Sec-Fetch-Site, or at least in Origin for changes and requests to
 * other origins; over plain HTTP they send no Sec-Fetch-Site. Programs send neither. `publicUrl`
 * is this site too: proxies may rewrite Host.
 */
export function isOwnSite({ headers, host }: Request, publicUrl: string | undefined): boolean {
  const { origin } = headers
  if (origin !== undefined && origin === URL.parse(publicUrl ?? '')?.origin) return true
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return origin === undefined || URL.parse(origin)?.host === host
}

import { existsSync, readFileSync } from 'node:fs'
import express, { type Express, type Request, type RequestHandler } from 'express'
import { accountActions } from '#contract/accounts/actions.ts'
import { endpoints } from '#contract/endpoints.ts'
import { pages } from '#contract/pages.ts'
import { paths } from '#contract/paths.ts'
import type { Logger } from '#root/log.ts'
import { AccountDesk, type AccountServices, type Guard } from '../accounts/desk.ts'
import { addKeys } from '../accounts/key-routes.ts'
import { addSecurity } from '../accounts/security.ts'
import { addShared } from '../accounts/shared-routes.ts'
import { addSignIn, addWelcome } from '../accounts/sign-in.ts'
import { ApiError } from '../api-error.ts'
import { addChartRoutes, type ChartServices } from '../charts/routes.ts'
import type { Listeners } from '../events/listeners.ts'
import { serveEvents } from '../events/route.ts'
import { openApiDocument } from '../openapi.ts'
import type { Generations } from '../published/generations.ts'
import { routes } from '../routes.ts'
import { addPages } from '../web/pages.ts'
import { addWebhooks, type WebhookSending } from '../webhooks/routes.ts'
import { AnswerStore } from './answer-store.ts'
import type { Identify } from './caller.ts'
import { CompressedBodies } from './compressed.ts'
import { securityHeaders } from './content-policy.ts'
import { addDocs } from './docs.ts'
import { errorHandler } from './errors.ts'
import { health, live, ready } from './health.ts'
import { type Monitor, observe } from './observe.ts'
import type { Operations } from './operations.ts'
import { serveData } from './serve-data.ts'
import { serveTable } from './serve-table.ts'
import { status } from './status.ts'

export interface AppParts extends AccountServices, ChartServices {
  readonly generations: Generations
  readonly operations: Operations
  readonly identify: Identify
  /** By the network address alone. */
  readonly identifyAddress: Identify
  /** Counts each request, and refuses those above the limits. */
  readonly limits: RequestHandler
  readonly listeners: Listeners
  readonly sending: WebhookSending | undefined
  readonly monitor: Monitor
  readonly log: Logger
  readonly version: string
  readonly requestsPerMinute: number
  readonly trustProxy: string | number
  readonly extend: ((app: Express, identify: Identify) => void) | undefined
}

const longestUrl = 8_192
/** Readers of Parquet ask for many small parts of a file. */
const partsOfTables = 10
const changelogFile = new URL('../../CHANGELOG.md', import.meta.url)

/** The whole HTTP interface. */
export function createApp(parts: AppParts): Express {
  const {
    generations,
    operations,
    identify,
    limits,
    work,
    monitor,
    log,
    version,
    calls,
    requestsPerMinute,
    trustProxy,
    basePath,
  } = parts
  const app = express()
  app.set('trust proxy', trustProxy === '' ? false : trustProxy)
  app.set('etag', false)
  app.set('query parser', 'simple')
  app.disable('x-powered-by')

  app.use((_, response, next) => {
    response.setHeader('API-Version', version)
    next()
  })
  app.use(observe(log, monitor, calls))
  app.use(securityHeaders)
  app.use(refuseLongUrls)
  app.get(paths.health, allowOrigins, health(operations))
  app.get(paths.live, live)
  app.get(paths.ready, ready(operations))

  /** Who comes to sign in counts apart from what was asked from there before, so that it can when the quota is used up. */
  const comer: Identify = (request) => {
    const caller = parts.identifyAddress(request)
    return { ...caller, name: `sign-in from ${caller.name}` }
  }
  const identifierBy = (countedBy: 'caller' | 'address' | Identify): Identify => {
    if (typeof countedBy === 'function') return countedBy
    return countedBy === 'address' ? comer : identify
  }
  /** Every request to an endpoint is told whose it is and counted, before it is refused or answered. */
  const guard: Guard = (endpoint, limitShare = 1, countedBy = 'caller') => [
    (request, _, next) => {
      const caller = identifierBy(countedBy)(request)
      calls.set(request, { caller, endpoint, requestsPerMinute: sharedLimit(requestsPerMinute, limitShare) })
      next()
    },
    limits,
    (request, _, next) => {
      const { refusal } = calls.of(request).caller
      if (refusal) throw refusal
      next()
    },
  ]

  const store = new AnswerStore(generations, work, version)
  for (const route of Object.values(routes)) {
    const { path, limitShare } = route.endpoint
    app
      .route(expressPath(path))
      .get(allowOrigins, ...guard(path, limitShare), serveData(route, store, calls, work))
      .options(preflight)
  }
  const desk = new AccountDesk(app, parts, guard)
  addSignIn(desk)
  addWelcome(app, desk, guard, basePath)
  addSecurity(desk)
  addKeys(desk)
  addShared(desk)
  addWebhooks(desk, parts.sending)
  addChartRoutes(app, parts, (endpoint, identifyBy) => [allowOrigins, ...guard(endpoint, 1, identifyBy)])
  app.options(paths.chart, preflight)
  app
    .route(paths.events)
    .get(allowOrigins, ...guard(paths.events), serveEvents(parts.listeners, calls))
    .options(preflight)
  app
    .route(expressPath(paths.table))
    .get(allowOrigins, ...guard(paths.table, partsOfTables), serveTable(generations, calls))
    .options(preflight)
  const compressed = new CompressedBodies()
  addDocs(
    app,
    openApiDocument({ version, publicUrl: parts.publicUrl, basePath }),
    [allowOrigins, ...guard(paths.docs)],
    basePath,
  )
  app.get(paths.status, allowOrigins, ...guard(paths.status), status(generations, operations, calls))
  app.get(paths.changelog, allowOrigins, ...guard(paths.changelog), (request, response) => {
    if (!existsSync(changelogFile)) throw new ApiError('not_found', 'this installation has no changelog')
    response.type('text/markdown')
    return compressed.send(request, response, 'changelog', readFileSync(changelogFile))
  })

  addPages(app, basePath)
  parts.extend?.(app, identify)

  for (const [path, methods] of methodsByPath()) {
    app.all(expressPath(path), ...guard(path), (request: Request) => {
      const allowed = methods.join(', ')
      throw new ApiError('method_not_allowed', `${request.method} is not served here; use ${allowed}`, {
        allowed: methods,
      })
    })
  }
  app.use(allowOrigins, guard('unknown path'), (request: Request) => {
    throw new ApiError('not_found', `there is nothing at ${request.path}; /docs lists everything that is served`)
  })
  app.use(errorHandler(log))
  return app
}

/** How many requests a minute an endpoint takes that has a share of the usual ones. */
export const sharedLimit = (requestsPerMinute: number, share: number): number =>
  Math.max(1, Math.floor(requestsPerMinute * share))

/** The methods that each template is served by. */
function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>(
    Object.values(endpoints).map(({ path }) => [path, ['GET', 'HEAD', 'OPTIONS']]),
  )
  for (const path of [...Object.values(paths), ...Object.values(pages)]) methods.set(path, ['GET', 'HEAD'])
  methods.set(paths.table, ['GET', 'HEAD', 'OPTIONS'])
  methods.set(paths.events, ['GET', 'HEAD', 'OPTIONS'])
  methods.set(paths.chart, ['GET', 'HEAD', 'POST', 'OPTIONS'])
  for (const { path, method } of Object.values(accountActions)) {
    const served = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]
    methods.set(path, [...(methods.get(path) ?? []), ...served])
  }
  return methods
}

const expressPath = (template: string): string => template.replaceAll(/\{(\w+)\}/g, ':$1')

const refuseLongUrls: RequestHandler = (request, _, next) => {
  if (request.originalUrl.length <= longestUrl) return next()
  throw new ApiError('uri_too_long', `the address is longer than ${longestUrl} characters: ask for less at a time`)
}

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
  'X-Request-Id',
].join(', ')

/** Pages of any origin may read data; cookies are not sent with such requests. */
const allowOrigins: RequestHandler = (_, response, next) => {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', exposedHeaders)
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
  next()
}

const preflight: RequestHandler = (_, response) => {
  response.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, HEAD, POST',
    'Access-Control-Allow-Headers':
      'Authorization, X-API-Key, Content-Type, Accept, If-None-Match, Last-Event-ID, Range, If-Range',
    'Access-Control-Max-Age': '86400',
  })
  response.status(204).end()
}

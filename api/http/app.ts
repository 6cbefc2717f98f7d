import { existsSync, readFileSync } from 'node:fs'
import express, { type Express, type Request, type RequestHandler } from 'express'
import { addSecurity } from '#accounts/security.ts'
import { addSignIn, addWelcome } from '#accounts/sign-in.ts'
import { andThen } from '#base/debounce.ts'
import type { Logger } from '#base/log.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { ApiError } from '#contract/api-error.ts'
import { endpoints } from '#contract/endpoints.ts'
import { pages } from '#contract/pages.ts'
import { paths } from '#contract/paths.ts'
import { type RequestLimits, sharedLimit } from '#limits/limiter.ts'
import type { Work } from '#limits/work.ts'
import type { Generations } from '#query/generations.ts'
import { AccountDesk, type AccountServices, type Guard } from '../account/account-service.ts'
import { addConnections } from '../account/connection-routes.ts'
import { addKeys } from '../account/key-routes.ts'
import type { OAuthServices } from '../account/oauth-services.ts'
import { addOAuth } from '../account/protocol-routes.ts'
import { addShared } from '../account/shared-routes.ts'
import { addWebhooks, type WebhookSending } from '../account/webhook-routes.ts'
import { addChartRoutes, type ChartServices } from '../charts/routes.ts'
import type { Listeners } from '../events/listeners.ts'
import { serveEvents } from '../events/route.ts'
import { openApiDocument } from '../openapi/document.ts'
import { routes } from '../routes.ts'
import { addPages } from '../web/pages.ts'
import { AnswerStore } from './answer-store.ts'
import type { Identify, IdentifyAddress } from './caller.ts'
import type { Calls } from './calls.ts'
import { CompressedBodies } from './compressed.ts'
import { securityHeaders } from './content-policy.ts'
import { addDocs } from './docs.ts'
import { errorHandler } from './errors.ts'
import { health, live, ready } from './health.ts'
import { type Monitor, observe } from './observe.ts'
import { allowOrigins, preflight } from './open-origins.ts'
import type { Operations } from './operations.ts'
import { serveData } from './serve-data.ts'
import { serveKept } from './serve-kept.ts'
import { serveTable } from './serve-table.ts'
import { status } from './status.ts'
import { widget } from './widget.ts'

export interface AppParts extends AccountServices, ChartServices {
  readonly generations: Generations
  readonly operations: Operations
  readonly identify: Identify
  /** By the network address alone. */
  readonly identifyAddress: IdentifyAddress
  readonly limits: RequestLimits
  readonly listeners: Listeners
  readonly sending: WebhookSending | undefined
  readonly monitor: Monitor
  readonly log: Logger
  readonly version: string
  readonly requestsPerMinute: number
  readonly trustProxy: string | number
  readonly oauth: OAuthServices
  /** Everything is allowed to everyone, so that nobody needs a token. */
  readonly isOpen: boolean
  readonly extend: ((app: Express) => void) | undefined
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

  const store = new AnswerStore(generations, work, version)
  app.use(observe(log, monitor, calls, { 'API-Version': version, ...securityHeaders }))
  app.use(arrive(calls, identify, work))
  app.use(serveKept(store, parts))
  app.use(refuseLongUrls)
  app.get(paths.health, allowOrigins, health(operations))
  app.get(paths.live, live)
  app.get(paths.ready, ready(operations))
  app.get(paths.widget, widget(generations, operations))

  /** Who comes to sign in counts apart from what was asked from there before, so that it can when the quota is used up. */
  const comer: IdentifyAddress = (request) => {
    const caller = parts.identifyAddress(request)
    return { ...caller, name: `sign-in from ${caller.name}` }
  }
  const identifierBy = (countedBy: 'caller' | 'address' | Identify): Identify => {
    if (typeof countedBy === 'function') return countedBy
    return countedBy === 'address' ? comer : (request) => calls.arrivedFrom(request) ?? identify(request)
  }
  /** Every request to an endpoint is told whose it is and counted, before it is refused or answered. */
  const guard: Guard = (endpoint, limitShare = 1, countedBy = 'caller') => [
    (request, _, next) =>
      andThen(identifierBy(countedBy)(request), (caller) => {
        calls.set(request, { caller, endpoint, requestsPerMinute: sharedLimit(requestsPerMinute, limitShare) })
        next()
      }),
    (request, response, next) => {
      const call = calls.of(request)
      limits.count(response, call)
      if (call.caller.refusal) throw call.caller.refusal
      next()
    },
  ]

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
  addConnections(desk, parts.oauth)
  if (!parts.isOpen) addOAuth(app, { ...parts, ...parts.oauth, guard, byAddress: comer })
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
    () => openApiDocument({ version, publicUrl: parts.publicUrl, basePath }),
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
  parts.extend?.(app)

  for (const [path, methods] of methodsByPath()) {
    // Not `app.all`, which makes a layer of the router for each of 35 methods.
    app.route(expressPath(path)).all(...guard(path), (request: Request) => {
      const allowed = methods.join(', ')
      throw new ApiError('method_not_allowed', `${request.method} is not served here; use ${allowed}`, {
        allowed: methods,
      })
    })
  }
  app.use(allowOrigins, guard('unknown path'), (request: Request) => {
    throw new ApiError('not_found', `nothing is served at ${request.path}; /docs lists every endpoint`)
  })
  app.use(errorHandler(log))
  return app
}

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

/** Notes who sends a request, which begins when it is this caller's turn. */
function arrive(calls: Calls, identify: Identify, { arrivals }: Work): RequestHandler {
  return (request, _, next) => {
    // Whether the process lives is told to anybody, whatever else it has to do.
    if (!request.originalUrl.startsWith('/v1/')) return next()
    return andThen(identify(request), (caller) => {
      calls.arrive(request, caller)
      arrivals.enter(caller.name, next)
    })
  }
}

const refuseLongUrls: RequestHandler = (request, _, next) => {
  if (request.originalUrl.length <= longestUrl) return next()
  throw new ApiError('uri_too_long', `the address is longer than ${longestUrl} characters: ask for less at a time`)
}

import { existsSync, readFileSync } from 'node:fs'
import express, { type Request, type RequestHandler } from 'express'
import { andThen } from '#base/maybe-promise.ts'
import { readForwarded } from '#base/x-forwarded-for.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { ApiError } from '#contract/api-error.ts'
import { pages } from '#contract/pages.ts'
import { paths } from '#contract/paths.ts'
import type { Admission } from '#limits/admission.ts'
import { addAccountRoutes } from './account/routes.ts'
import { addChartRoutes } from './charts/routes.ts'
import { serveEvents } from './events/listeners.ts'
import { AnswerCache } from './http/answer-cache.ts'
import type { Identify, IdentifyAddress } from './http/caller.ts'
import { setCaller } from './http/calls.ts'
import { CompressedBodies } from './http/compression.ts'
import { securityHeaders } from './http/content-policy.ts'
import { addDocs } from './http/docs.ts'
import { errorHandler } from './http/error-handler.ts'
import { type Listener, runFirst } from './http/first-handlers.ts'
import { createGuard, followLinks, refuseMethod } from './http/guard.ts'
import { checkHost } from './http/host-check.ts'
import { originRules } from './http/open-origins.ts'
import { health, live, ready } from './http/operations.ts'
import { monitorRequests } from './http/request-monitor.ts'
import { serveCached, serveData } from './http/serve-data.ts'
import { serveTable } from './http/serve-table.ts'
import { status } from './http/status.ts'
import { serveWallets } from './http/wallets.ts'
import { widget } from './http/widget.ts'
import { describeInThread } from './openapi/describe-in-thread.ts'
import { checkDataRequest, routes } from './routes.ts'
import type { AppParts } from './services.ts'
import { udfRoutes } from './udf-routes.ts'
import { addPages, readReferencePage } from './web/pages.ts'

const dataRoutes = [...Object.values(routes), ...udfRoutes]
const maxUrlLength = 8_192
/** Parquet readers request many small ranges of a file. */
const tableLimitShare = 10
const changelogFile = new URL('../CHANGELOG.md', import.meta.url)

export function createApp(parts: AppParts): Listener {
  const { generations, operations, identify, admission, monitor, log, version, trustProxy, basePath } = parts
  const app = express()
  app.set('trust proxy', trustProxy === '' ? false : trustProxy)
  app.set('etag', false)
  app.set('query parser', 'simple')
  app.disable('x-powered-by')

  const origins = originRules(parts.isOpen, parts.publicUrl, parts.allowedOrigins)
  const { preflight } = origins
  const allowOrigins: RequestHandler = (request, response, next) => {
    origins.allow(request, response)
    next()
  }
  const store = new AnswerCache(generations, admission, version)
  app.use(refuseLongUrls)
  app.get(paths.health, allowOrigins, health(operations))
  app.get(paths.live, live)
  app.get(paths.ready, ready(operations))
  app.get(paths.widget, widget(generations, operations))

  /**
   * Sign-in attempts count apart from other requests of the address, so that a used-up quota does
   * not prevent them.
   */
  const identifyVisitor: IdentifyAddress = (request) => {
    const caller = parts.identifyAddress(request)
    return { ...caller, name: `sign-in from ${caller.name}` }
  }
  const guard = createGuard(parts, identifyVisitor)

  app.get(expressPath(paths.picture), followLinks(parts, guard(paths.picture)))
  for (const route of dataRoutes) {
    const { path, limitShare } = route.endpoint
    app
      .route(expressPath(path))
      .get(allowOrigins, guard(path, limitShare), serveData(route, store, admission))
      .options(preflight)
  }
  addAccountRoutes(app, { ...parts, checkDataRequest, guard, identifyVisitor })
  addChartRoutes(app, parts, (endpoint, identifyBy) => [allowOrigins, guard(endpoint, 1, identifyBy)])
  app.options(paths.chart, preflight)
  app.route(paths.events).get(allowOrigins, guard(paths.events), serveEvents(parts.listeners)).options(preflight)
  app
    .route(expressPath(paths.table))
    .get(allowOrigins, guard(paths.table, tableLimitShare), serveTable(generations, admission))
    .options(preflight)
  const compressed = new CompressedBodies()
  addDocs(
    app,
    (view) => describeInThread({ version, publicUrl: parts.publicUrl, basePath, view }),
    [allowOrigins, guard(paths.docs)],
    basePath,
    readReferencePage(basePath),
  )
  app.get(paths.status, allowOrigins, guard(paths.status), status(generations, operations))
  app.get(paths.wallets, guard(paths.wallets), serveWallets({ ...parts, dataDir: generations.dataDir }))
  app.get(paths.changelog, allowOrigins, guard(paths.changelog), (request, response) => {
    if (!existsSync(changelogFile)) throw new ApiError('not_found', 'this installation has no changelog')
    response.type('text/markdown')
    return compressed.send(request, response, 'changelog', readFileSync(changelogFile))
  })

  const sendUnknownPage = addPages(app, basePath, parts.isOpen)
  parts.extend(app)

  for (const [path, methods] of methodsByPath()) {
    // `app.all` would make a router layer for each of 35 methods.
    app.route(expressPath(path)).all(guard(path), refuseMethod(methods))
  }
  app.use(allowOrigins, guard('unknown path'), sendUnknownPage, (request: Request) => {
    throw new ApiError('not_found', `nothing is served at ${request.path}; /docs lists every endpoint`)
  })
  const handleError = errorHandler(log)
  app.use(handleError)
  const first = [
    monitorRequests(log, monitor, { 'API-Version': version, ...securityHeaders(parts.hstsSubdomains) }),
    readForwarded(trustProxy),
    checkHost(parts.isOpen, parts.allowedHosts),
    origins.check,
    noteArrival(identify, admission),
    serveCached(store, admission, parts, origins),
  ]
  return runFirst(first, app, handleError)
}

/** HTTP methods by path template. */
function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>(
    dataRoutes.map(({ endpoint }) => [endpoint.path, ['GET', 'HEAD', 'OPTIONS']]),
  )
  for (const path of [...Object.values(paths), ...Object.values(pages)]) methods.set(path, ['GET', 'HEAD'])
  methods.set(paths.stopMail, ['GET', 'HEAD', 'POST'])
  for (const path of [paths.table, paths.events]) methods.set(path, ['GET', 'HEAD', 'OPTIONS'])
  methods.set(paths.chart, ['GET', 'HEAD', 'POST', 'OPTIONS'])
  for (const { path, method } of Object.values(accountActions)) {
    const served = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]
    methods.set(path, [...(methods.get(path) ?? []), ...served])
  }
  return methods
}

const expressPath = (template: string): string => template.replaceAll(/\{(\w+)\}/g, ':$1')

/** Identifies the caller and lets the request begin when it is that caller's turn. */
function noteArrival(identify: Identify, admission: Admission): RequestHandler {
  return (request, _, next) => {
    // Liveness is reported whatever else the process has to do.
    if (!request.originalUrl.startsWith('/v1/')) return next()
    return andThen(identify(request), (caller) => {
      setCaller(request, caller)
      admission.arrive(caller.name, next)
    })
  }
}

const refuseLongUrls: RequestHandler = (request, _, next) => {
  if (request.originalUrl.length <= maxUrlLength) return next()
  throw new ApiError('uri_too_long', `the address is longer than ${maxUrlLength} characters: ask for less at a time`)
}

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Express } from 'express'
import type { PasswordCost } from '#accounts/passwords.ts'
import { type AccountStores, accountServices } from '#accounts/services.ts'
import { anyTargets, publicTargets, type TargetPolicy } from '#accounts/webhooks/target.ts'
import { defaultPace, type Pace, WebhookDelivery } from '#accounts/webhooks/webhook-delivery.ts'
import { CoinstrataError } from '#base/errors.ts'
import type { Logger } from '#base/log.ts'
import { addressOfServer } from '#base/socket-address.ts'
import { stopperOf } from '#base/stopper.ts'
import { version } from '#base/version.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { Attempts } from '#limits/attempts.ts'
import { Counters } from '#limits/counters.ts'
import { RequestLimits, sharedLimit } from '#limits/limiter.ts'
import { RedisExchange } from '#limits/redis-exchange.ts'
import { Work } from '#limits/work.ts'
import { Changes } from '#query/changes.ts'
import { Database } from '#query/database.ts'
import { Generations } from '#query/generations.ts'
import { createRenderPool } from '#render/output/render-pool.ts'
import { publishedFolder } from '#sql/generation.ts'
import type { Run } from '#state/run-journal.ts'
import { identitiesOf } from './account/identities.ts'
import { openOAuth } from './account/oauth-services.ts'
import type { IdentifyTools } from './account/tool-caller.ts'
import type { WebhookSending } from './account/webhook-routes.ts'
import { createApp } from './app.ts'
import { RenderStore } from './charts/render-store.ts'
import type { ChartStorage } from './charts/shared-charts.ts'
import { Listeners } from './events/listeners.ts'
import { Calls } from './http/calls.ts'
import { listen } from './http/listening-server.ts'
import { Operations } from './http/operations.ts'
import { type ProcessMetrics, serveMetrics } from './http/prometheus.ts'
import { Monitor } from './http/request-monitor.ts'
import { readServiceAddress, serveBelow } from './http/service-address.ts'
import { sessionCookie } from './http/session-cookie.ts'
import { addStateGauges } from './http/state-gauges.ts'
import { answerUnreadableRequests } from './http/unreadable-requests.ts'
import { openAccounts, rendersFolder } from './service-storage.ts'
import { type ApiSettings, parseAge } from './settings.ts'

export interface ServerOptions extends ApiSettings {
  readonly DATA_DIR: string
  /** Memory limit of DuckDB, such as 1GB. */
  readonly MEMORY_LIMIT: string
  readonly log: Logger
  /** Address of the API as its users reach it, without a slash at the end. */
  readonly PUBLIC_URL?: string | undefined
  /** Overrides the time after which a client that does not read its answer is disconnected. */
  readonly unreadTimeoutMs?: number
  readonly passwordCost?: PasswordCost
  /** Overrides how long callers found in PostgreSQL are cached, in ms. */
  readonly callerCacheMs?: number
  readonly webhookPace?: Pace
  /** Hosts allowed to publish OAuth client documents; default: public addresses. */
  readonly clientTargets?: TargetPolicy
  /** Shared with tool servers, whose callers then count by their own addresses. */
  readonly toolServerSecret?: string | undefined
  /** Storage through which machines share charts. */
  readonly chartPlace?: ChartStorage | undefined
  /** Runs known to this process only, because the journal cannot be written. */
  readonly recentRuns?: (() => readonly Run[]) | undefined
  /** Adds further routes, such as the tools for assistants; `identify` identifies their callers. */
  readonly extend?: ((app: Express, identify: IdentifyTools) => void) | undefined
}

export interface RunningServer {
  readonly url: string
  readonly metricsUrl: string | undefined
  /** Prometheus metrics, for a process that joins those of several. */
  readonly figures: () => Promise<ProcessMetrics>
  /**
   * Stops accepting requests and lets those in progress finish for some seconds. Idle connections are closed at once,
   * or after `idleMs`.
   */
  readonly close: (idleMs?: number) => Promise<void>
}

const renderTimeoutMs = 20_000
/** The largest charts take some hundred MB each. */
const maxRenderThreads = 4
const createCharts = () =>
  createRenderPool(Math.min(maxRenderThreads, Math.max(1, os.availableParallelism() - 1)), renderTimeoutMs)

/**
 * Serves the published data of a data folder until it is closed; nothing need be published yet. Throws
 * `invalid_configuration` for open access on a network address, a port that is in use, and contradictory addresses.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { DATA_DIR: dataDir, HOST, PORT, ACCESS, METRICS_PORT, log } = options
  const isOpen = ACCESS === 'open'
  const place = readServiceAddress(options)
  const { basePath, publicUrl } = place
  if (isOpen && !isLoopback(HOST) && !options.OPEN_TO_NETWORK) {
    throw new CoinstrataError('invalid_configuration', `ACCESS=open would let everyone use the API at ${HOST}`, {
      cure: 'listen on 127.0.0.1, set ACCESS=tiered, or set OPEN_TO_NETWORK=true if that is what you want',
    })
  }
  const exchange = options.REDIS_URL === undefined ? undefined : await RedisExchange.open(options.REDIS_URL)
  const temporaryFolder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-api-'))
  const database = await Database.open(publishedFolder(dataDir), temporaryFolder, options.MEMORY_LIMIT)
  const services = accountServices(
    await openAccounts(options, temporaryFolder, log, options.callerCacheMs),
    log,
    options.passwordCost,
  )
  const counters = new Counters(dataDir, log, exchange)
  const calls = new Calls()
  const work = new Work(options, counters)
  const renders = new RenderStore(rendersFolder(dataDir, temporaryFolder), work, createCharts, log, options.chartPlace)
  const generations = new Generations(dataDir, database)
  const operations = new Operations(generations, {
    maxAge: parseAge(options.MAX_AGE),
    recentRuns: options.recentRuns ?? (() => []),
    problems: () => [...counters.problems(), ...services.problems()],
    chartsWaiting: () => renders.waiting,
  })
  const quotas = {
    demo: options.DEMO_DAILY_REQUESTS,
    free: options.FREE_DAILY_REQUESTS,
    pro: options.PRO_DAILY_REQUESTS,
    enterprise: options.ENTERPRISE_DAILY_REQUESTS,
  }
  const cookie = sessionCookie(basePath)
  const oauth = openOAuth(place, services.clients, options.clientTargets ?? publicTargets)
  const { identify, identifyAddress, identifyTools } = identitiesOf(services, {
    isOpen,
    cookie,
    addresses: oauth.addresses,
    toolServerSecret: options.toolServerSecret,
  })
  const changes = new Changes(generations, basePath, log)
  const listeners = new Listeners(changes, identify, options.EVENT_LISTENERS)
  const monitor = new Monitor(work, () => listeners.count)
  const refreshGauges = addStateGauges(monitor.registry, operations, version)
  const refreshed = async (): Promise<Monitor['registry']> => {
    await refreshGauges()
    return monitor.registry
  }
  const sending = isOpen ? undefined : sendingOf(options, services, changes)
  const app = createApp({
    ...services,
    counters,
    calls,
    monitor,
    log,
    version,
    generations,
    operations,
    identify,
    listeners,
    sending,
    identifyAddress,
    attempts: new Attempts(counters, sharedLimit(options.REQUESTS_PER_MINUTE, accountActions.signIn.limitShare)),
    cookie,
    quotas,
    signUp: options.SIGN_UP,
    basePath,
    limits: new RequestLimits(counters, quotas),
    work,
    requestsPerMinute: options.REQUESTS_PER_MINUTE,
    trustProxy: options.TRUST_PROXY,
    renders,
    demo: options.CHART_DEMO === 'on',
    publicUrl,
    oauth,
    isOpen,
    extend: options.extend && ((app) => options.extend?.(app, identifyTools)),
  })
  const release = async (): Promise<void> => {
    await renders.close()
    await database.close()
    await counters.close()
    await services.close()
    rmSync(temporaryFolder, { recursive: true, force: true })
  }
  const stoppers: ((idleFor?: number) => Promise<void>)[] = []
  const stop = async (idleFor = 0): Promise<void> => {
    listeners.close()
    await Promise.all(stoppers.map((stop) => stop(idleFor)))
    await sending?.delivery.close()
    changes.close()
    await release()
  }
  try {
    const server = await listen(serveBelow(basePath, app), options, PORT, 'PORT', options.unreadTimeoutMs)
    stoppers.push(stopperOf(server))
    answerUnreadableRequests(server)
    const metrics =
      METRICS_PORT === undefined
        ? undefined
        : await listen(serveMetrics(refreshed), options, METRICS_PORT, 'METRICS_PORT')
    if (metrics) stoppers.push(stopperOf(metrics))
    sending?.delivery.start()
    return {
      url: addressOfServer(server),
      metricsUrl: metrics && `${addressOfServer(metrics)}/metrics`,
      figures: async () => (await refreshed()).getMetricsAsJSON(),
      close: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function sendingOf(
  { WEBHOOKS, webhookPace = defaultPace, log }: ServerOptions,
  { webhooks }: Pick<AccountStores, 'webhooks'>,
  changes: Changes,
): WebhookSending | undefined {
  if (WEBHOOKS === 'off') return undefined
  const policy = WEBHOOKS === 'any' ? anyTargets : publicTargets
  return {
    policy,
    delivery: new WebhookDelivery({
      webhooks,
      readEvents: () => changes.readState(),
      policy,
      pace: webhookPace,
      version,
      log,
    }),
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

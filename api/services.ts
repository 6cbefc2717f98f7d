import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Express } from 'express'
import { PostgresAccounts } from '#accounts/database/postgres.ts'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import { type AccountsDatabase, isUnavailable } from '#accounts/database/statements.ts'
import type { PasswordCost } from '#accounts/passwords.ts'
import { openSecretsKey, type SecretsKey } from '#accounts/secrets-key.ts'
import { type AccountStores, createAccountStores, type StoreSettings } from '#accounts/services.ts'
import { type DeliveryTimes, defaultTimes } from '#accounts/webhooks/delivery-loop.ts'
import { anyTargets, publicTargets } from '#accounts/webhooks/target.ts'
import { WebhookDelivery } from '#accounts/webhooks/webhook-delivery.ts'
import { AlertService } from '#alerts/alert-service.ts'
import { Alerts } from '#alerts/alerts.ts'
import { readWatchedSeries } from '#alerts/watched-series.ts'
import type { Logger } from '#base/log.ts'
import { createMailer, type Mailer } from '#base/mailer.ts'
import { version } from '#base/version.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { type Problem, toProblem } from '#contract/operational-state.ts'
import { Admission } from '#limits/admission.ts'
import { createAttempts } from '#limits/attempts.ts'
import { Counters } from '#limits/counters.ts'
import { createRequestLimits, sharedLimit } from '#limits/limiter.ts'
import { openRedisCounts } from '#limits/redis-counts.ts'
import { Changes } from '#query/changes.ts'
import { Database } from '#query/database.ts'
import { Generations } from '#query/generations.ts'
import { threadCount } from '#query/threads.ts'
import { View } from '#query/view.ts'
import { createRenderPool, type RenderPool } from '#render/output/render-pool.ts'
import { firstPublishedFolder } from '#sql/first-published.ts'
import { publishedFolder } from '#sql/generation.ts'
import { isUnwritable } from '#state/open-database.ts'
import type { Run } from '#state/run-journal.ts'
import type { RouteParts } from './account/account-routes.ts'
import { createIdentities } from './account/identities.ts'
import type { IdentifyTools } from './account/tool-caller.ts'
import { RenderStore } from './charts/render-store.ts'
import type { ChartStorage } from './charts/shared-charts.ts'
import { Listeners } from './events/listeners.ts'
import { Operations } from './http/operations.ts'
import { Monitor } from './http/request-monitor.ts'
import type { ServiceAddress } from './http/service-address.ts'
import { returnMemoryWhenQuiet } from './return-memory.ts'
import { type ApiSettings, parseAge } from './settings.ts'

export interface ServerOptions extends ApiSettings {
  readonly DATA_DIR: string
  /** Memory limit of DuckDB, such as 1GB. */
  readonly MEMORY_LIMIT: string
  readonly log: Logger
  /** As users reach it, without a trailing slash. */
  readonly PUBLIC_URL?: string | undefined
  readonly MCP_ALLOWED_HOSTS?: readonly string[]
  readonly MCP_ALLOWED_ORIGINS?: readonly string[]
  /** Pause between verifications (default: a day). */
  readonly verifyIntervalMs?: number
  /** Called when published tables are damaged. */
  readonly onDamage?: (() => void) | undefined
  /** Called when the operator allows a second scan of all blocks. */
  readonly onRescanAllowed?: (() => void) | undefined
  readonly saveMetric?: RouteParts['saveMetric']
  /** Overrides the time after which a client that neither reads nor sends is disconnected. */
  readonly idleTimeoutMs?: number
  readonly passwordCost?: PasswordCost
  /** Overrides the threads that draw charts. */
  readonly createCharts?: () => RenderPool
  /** Overrides how long callers found in PostgreSQL are cached. */
  readonly callerCacheMs?: number
  readonly webhookTimes?: DeliveryTimes
  /** Shared with tool servers, whose callers then count by their own addresses. */
  readonly toolServerSecret?: string | undefined
  /** Machines share charts through it. */
  readonly chartPlace?: ChartStorage | undefined
  /** Runs that the journal lacks because it cannot be written. */
  readonly recentRuns?: (() => readonly Run[]) | undefined
  /** Problems that the serving program knows. */
  readonly knownProblems?: readonly Problem[] | undefined
  /** Adds routes, such as the tools for assistants; `identify` identifies their callers. */
  readonly extend?: ((app: Express, identify: IdentifyTools) => void) | undefined
}

const renderTimeoutMs = 20_000
/** The largest charts take some hundred MB each. */
const maxRenderThreads = 4
const createCharts = () =>
  createRenderPool(Math.min(maxRenderThreads, Math.max(1, os.availableParallelism() - 1)), renderTimeoutMs)

export type AppParts = Awaited<ReturnType<typeof openServices>>['app']

/** Opens everything that answers requests. */
export async function openServices(options: ServerOptions, address: ServiceAddress) {
  const { DATA_DIR: dataDir, SECRETS_KEY: key, log } = options
  const mailer = createMailer(options, log)
  const exchange = options.REDIS_URL === undefined ? undefined : await openRedisCounts(options.REDIS_URL)
  const temporaryFolder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-api-'))
  const database = await Database.open(
    [publishedFolder(dataDir), firstPublishedFolder(dataDir)],
    temporaryFolder,
    options.MEMORY_LIMIT,
  )
  const accountsDatabase = await openAccounts(options, temporaryFolder, log, options.callerCacheMs)
  const secretsKey = openSecretsKey(dataDir, key)
  const accounts = createAccountStores(accountsDatabase, secretsKey, log, options.passwordCost)
  await accounts.factors.prepareKey().catch((err: unknown) => log.error({ err }, 'second factors are unavailable'))
  const counters = new Counters(dataDir, log, exchange)
  const admission = new Admission(options, counters, threadCount)
  const renders = new RenderStore(
    rendersFolder(dataDir, temporaryFolder),
    admission,
    options.createCharts ?? createCharts,
    log,
    options.chartPlace,
  )
  const generations = new Generations(dataDir, database, {
    verifyIntervalMs: options.verifyIntervalMs,
    onDamage: ({ generation: { id }, damaged }) => {
      log.error({ generation: id, tables: damaged }, `tables ${damaged.join(', ')} are damaged and not served any more`)
      renders.clear()
      options.onDamage?.()
    },
  })
  const stopReturning = returnMemoryWhenQuiet(temporaryFolder, log)
  // Verified before the first request if time allows.
  generations.current().catch(() => undefined)
  const changes = new Changes(generations, address.basePath, log)
  const isOpen = options.ACCESS === 'open'
  const identities = createIdentities(isOpen, options.toolServerSecret, address, accounts)
  const listeners = new Listeners(changes, identities.identify, options.EVENT_LISTENERS)
  const createOperations = (): Operations =>
    new Operations(generations, {
      maxAge: parseAge(options.MAX_AGE),
      recentRuns: options.recentRuns ?? (() => []),
      problems: () => [
        ...(options.knownProblems ?? []),
        ...counters.problems(),
        ...accounts.problems(),
        ...(mailer?.isFailing() ? [toProblem('mail_failing', 'degraded', 'the last mail could not be sent')] : []),
      ],
      chartsWaiting: () => renders.waiting,
    })
  const operations = createOperations()
  const deliveries = createDeliveries(options, address, {
    webhooks: accounts.webhooks,
    alerts: new Alerts(accountsDatabase, isOpen),
    generations,
    changes,
    // Alerts cache reads briefly; API answers do not use that cache.
    operations: createOperations(),
    mailer,
    secretsKey,
  })
  const app = {
    ...accounts,
    ...address,
    ...identities,
    ...deliveries,
    ...createLimits(options, counters),
    counters,
    admission,
    renders,
    generations,
    onRescanAllowed: options.onRescanAllowed ?? (() => undefined),
    saveMetric: options.saveMetric,
    listeners,
    alertChannels: deliveries.alertService.channels,
    log,
    version,
    monitor: new Monitor(admission, () => listeners.count),
    operations,
    signUp: options.SIGN_UP,
    mailer,
    trustProxy: options.TRUST_PROXY,
    walletsAccount: options.WALLETS_ACCOUNT,
    hstsSubdomains: options.HSTS_SUBDOMAINS,
    allowedHosts: [...(options.MCP_ALLOWED_HOSTS ?? []), new URL(address.publicUrl ?? 'http://localhost').hostname],
    allowedOrigins: options.MCP_ALLOWED_ORIGINS ?? [],
    demo: options.CHART_DEMO === 'on',
    extend: (app: Express) => options.extend?.(app, identities.identifyTools),
  }
  const close = async (): Promise<void> => {
    stopReturning()
    await Promise.all([deliveries.sending?.close(), deliveries.alertService.close()])
    changes.close()
    await generations.close()
    await renders.close()
    await database.close()
    await counters.close()
    await accounts.close()
    rmSync(temporaryFolder, { recursive: true, force: true })
  }
  return { app, disconnectListeners: () => listeners.close(), close }
}

function createLimits(options: ServerOptions, counters: Counters) {
  const { REQUESTS_PER_MINUTE: requestsPerMinute } = options
  const quotas = {
    demo: options.DEMO_DAILY_REQUESTS,
    free: options.FREE_DAILY_REQUESTS,
    pro: options.PRO_DAILY_REQUESTS,
    enterprise: options.ENTERPRISE_DAILY_REQUESTS,
  }
  const attempts = createAttempts(counters, sharedLimit(requestsPerMinute, accountActions.signIn.limitShare))
  return { requestsPerMinute, quotas, attempts, limits: createRequestLimits(counters, quotas) }
}

interface Deliverable extends Pick<AccountStores, 'webhooks'> {
  readonly alerts: Alerts
  readonly generations: Generations
  readonly changes: Changes
  readonly operations: Operations
  readonly mailer: Mailer | undefined
  readonly secretsKey: SecretsKey
}

/** Without `sending` if webhooks are off or there are no accounts. */
function createDeliveries(
  { ACCESS, WEBHOOKS, ALERTS_TO: mailTo, webhookTimes: times = defaultTimes, log }: ServerOptions,
  { publicUrl }: ServiceAddress,
  { webhooks, alerts, generations, changes, operations, mailer, secretsKey }: Deliverable,
) {
  const isOpen = ACCESS === 'open'
  const policy = { public: publicTargets, any: anyTargets, off: undefined }[WEBHOOKS]
  const alertService = new AlertService({
    alerts,
    isOpen,
    mailer,
    mailTo,
    policy,
    publicUrl,
    secretsKey,
    times,
    version,
    log,
    readVersion: async () => {
      const { generation, today } = (await changes.readState()).state
      return generation === '' ? undefined : `${generation} ${today}`
    },
    readStaleness: async () => {
      const { problems } = (await operations.read()).state
      return problems.find(({ state }) => state === 'stale')?.message
    },
    readSeries: (tier, watched, work) =>
      generations.read((published) => readWatchedSeries(new View(published, tier, work), watched)),
  })
  const readEvents = () => changes.readState()
  const sending =
    isOpen || !policy ? undefined : new WebhookDelivery({ webhooks, readEvents, policy, times, version, log })
  return { alertService, sending }
}

/**
 * Opens the accounts. If the data folder cannot be written, keys stay valid but nothing can be
 * changed; PostgreSQL may become available later.
 */
async function openAccounts(
  { DATA_DIR: dataDir, DATABASE_URL: url }: StoreSettings,
  temporaryFolder: string,
  log: Logger,
  cacheMs?: number,
): Promise<AccountsDatabase> {
  if (url !== undefined) return openShared(url, log, cacheMs)
  try {
    return SqliteAccounts.open(dataDir)
  } catch (err) {
    if (!isUnwritable(err)) throw err
    log.error({ err }, 'nothing can be written to the data folder: accounts and keys cannot be changed')
    return SqliteAccounts.openReadOnly(dataDir, temporaryFolder)
  }
}

async function openShared(url: string, log: Logger, cacheMs: number | undefined): Promise<AccountsDatabase> {
  const database = await PostgresAccounts.open(url, cacheMs)
  try {
    await database.ready()
  } catch (err) {
    if (!isUnavailable(err)) {
      await database.close()
      throw err
    }
    log.error({ err }, 'PostgreSQL does not answer: until it does, nobody can sign in or use a key')
  }
  return database
}

/** In the data folder, or a temporary one if that cannot be written. */
function rendersFolder(dataDir: string, temporaryFolder: string): string {
  const folder = path.join(dataDir, 'state', 'renders')
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    // Charts show data of any tier, so other users of the machine must not read them.
    chmodSync(folder, 0o700)
    return folder
  } catch (error) {
    if (!isUnwritable(error)) throw error
    return path.join(temporaryFolder, 'renders')
  }
}

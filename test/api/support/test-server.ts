import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { createAccount, createKey } from '#accounts/commands.ts'
import { openAccountStores } from '#accounts/services.ts'
import { type RunningServer, startServer } from '#api/server.ts'
import type { ServerOptions } from '#api/services.ts'
import { apiSettings } from '#api/settings.ts'
import type { AccountTier, Tier } from '#contract/tiers.ts'
import { createRenderPool, type RenderPool } from '#render/output/render-pool.ts'

export interface TestServer {
  readonly url: string
  readonly metricsUrl: string | undefined
  /** Everything that was logged, as text. */
  readonly log: () => string
  readonly close: () => Promise<void>
}

/** So that no test waits for passwords. */
export const cheapPasswords = { memory: 8, passes: 1, minTimeMs: 0 }

let charts: RenderPool | undefined

/** The thread that draws the charts of all servers of a worker: starting one takes a second. */
export function sharedCharts(): RenderPool {
  charts ??= createRenderPool(1, 20_000)
  return { ...charts, close: () => Promise.resolve() }
}

/**
 * Serves a data folder on a free port; `settings` as in the environment, `inside` what is not set
 * there.
 */
export async function serve(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
  inside: Partial<ServerOptions> = { passwordCost: cheapPasswords },
): Promise<TestServer> {
  const lines: string[] = []
  const log = pino(
    { level: settings.LOG_LEVEL ?? 'warn', base: null },
    { write: (line: string) => void lines.push(line) },
  )
  const parsed = apiSettings.parse({ PORT: '0', ...settings })
  let server: RunningServer | undefined = await startServer({
    ...parsed,
    createCharts: sharedCharts,
    ...inside,
    DATA_DIR: dataDir,
    MEMORY_LIMIT: '500MB',
    log,
  })
  const { url, metricsUrl } = server
  // Test files stay in memory until their worker ends, and would keep what their servers have read.
  const close = async (): Promise<void> => {
    const closing = server
    server = undefined
    await closing?.close()
  }
  return { url, metricsUrl, log: () => lines.join(''), close }
}

/** Settings under which no test is refused for asking often. */
export const withoutLimits = {
  REQUESTS_PER_MINUTE: '1000000',
  CELLS_PER_MINUTE: '1000000000000',
  RENDER_SECONDS_PER_MINUTE: '1000000',
  DEMO_DAILY_REQUESTS: '1000000',
  PRO_DAILY_REQUESTS: '1000000',
  ENTERPRISE_DAILY_REQUESTS: '1000000',
}

/** An account of that tier and a key of it. */
export async function keyOf(dataDir: string, tier: AccountTier, email = `${tier}@example.org`): Promise<string> {
  await createAccount({ DATA_DIR: dataDir }, email, tier)
  const text = await createKey({ DATA_DIR: dataDir }, email, 'test')
  return text.slice(0, text.indexOf('\n'))
}

/** Password of the accounts that tests sign in to. */
export const password = 'correct horse battery'

/**
 * The cookie of a browser that has just signed in to an account of that tier, which is made where
 * there is none.
 */
export async function signIn(
  server: Pick<TestServer, 'url'>,
  dataDir: string,
  email: string,
  tier: AccountTier = 'free',
): Promise<string> {
  const services = await openAccountStores({ DATA_DIR: dataDir }, undefined, cheapPasswords)
  await services.accounts.create(email, tier, password)
  await services.close()
  const response = await fetch(`${server.url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const [cookie = ''] = response.headers.getSetCookie()
  return cookie.slice(0, cookie.indexOf(';'))
}

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })

/** Request headers by tier; free has none, since its accounts have no access by key. */
export async function headersByTier(dataDir: string): Promise<ReadonlyMap<Tier, Record<string, string>>> {
  // To compress answers on one side and unpack them on the other takes longer than to make them.
  const plain = { 'accept-encoding': 'identity' }
  return new Map<Tier, Record<string, string>>([
    ['demo', plain],
    ['pro', { ...plain, ...bearer(await keyOf(dataDir, 'pro')) }],
    ['enterprise', { ...plain, ...bearer(await keyOf(dataDir, 'enterprise')) }],
  ])
}

export function temporaryDataDir(): { readonly dataDir: string; readonly remove: () => void } {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-api-test-'))
  // A server may still write a file, such as a kept chart, while it is closed.
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20 }) }
}

import { test } from 'vitest'
import type { ServerOptions } from '#api/services.ts'
import { makeServedChain } from '#test/api/support/served-chain.ts'
import { cheapPasswords, serve, withoutLimits } from '#test/api/support/test-server.ts'
import { launchBrowser } from './browser.ts'
import { buildPages } from './built-pages.ts'

/**
 * What the browser tests of a worker share until the worker ends: `chromium`, and `openService`,
 * which serves the served chain to everybody, to tests that only read.
 */
export const browserTest = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads names of fixtures from the pattern
  .extend('chromium', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await launchBrowser()
    onCleanup(() => browser.close())
    return browser
  })
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads names of fixtures from the pattern
  .extend('openService', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const service = await servePages({ ACCESS: 'open' })
    onCleanup(service.close)
    return service
  })

/**
 * Builds the pages and serves them with a copy of the served chain. `settings` are environment
 * variables, `inside` other server options.
 */
export async function servePages(settings: Readonly<Record<string, string>>, inside: Partial<ServerOptions> = {}) {
  await buildPages()
  const chain = await makeServedChain()
  const server = await serve(
    chain.dataDir,
    { ...withoutLimits, ...settings },
    { passwordCost: cheapPasswords, ...inside },
  )
  const close = async (): Promise<void> => {
    await server.close()
    chain.remove()
  }
  return { chain, server, close }
}

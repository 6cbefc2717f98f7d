import { afterAll, beforeAll } from 'vitest'
import type { Tier } from '#contract/tiers.ts'
import { Documented } from './documented.ts'
import { makeServedChain, type ServedChain } from './served-chain.ts'
import { headersByTier, serve, type TestServer, withoutLimits } from './test-server.ts'

/**
 * What the tests of a file ask: the served chain, a server of it without limits, what `/docs` says,
 * and keys by tier.
 */
export let chain: ServedChain
export let server: TestServer
export let documented: Documented
export let keys: ReadonlyMap<Tier, Record<string, string>>

/** Serves the chain for all tests of the file; `settings` as in the environment. */
export function serveChain(settings: Readonly<Record<string, string>> = {}): void {
  beforeAll(async () => {
    chain = await makeServedChain()
    keys = await headersByTier(chain.dataDir)
    server = await serve(chain.dataDir, { ...withoutLimits, ...settings })
    documented = await Documented.read(server.url)
  })
  afterAll(async () => {
    await server?.close()
    chain?.remove()
  })
}

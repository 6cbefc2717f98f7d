import { afterAll, beforeAll } from 'vitest'
import type { ServerOptions } from '#api/services.ts'
import { cheapPasswords, serve, type TestServer, temporaryDataDir, withoutLimits } from './test-server.ts'

/** What the tests of a file ask: a server without limits of a data folder of their own. */
export let dataDir: string
export let server: TestServer

/**
 * Serves an empty folder, or what `publish` puts there, for all tests of the file; `settings` as in
 * the environment, `inside` what is not set there.
 */
export function serveOwnFolder(
  settings: Readonly<Record<string, string>> = {},
  publish: (dataDir: string) => Promise<void> = async () => {},
  inside: Partial<ServerOptions> = {},
): void {
  const folder = temporaryDataDir()
  dataDir = folder.dataDir
  beforeAll(async () => {
    await publish(folder.dataDir)
    server = await serve(folder.dataDir, { ...withoutLimits, ...settings }, { passwordCost: cheapPasswords, ...inside })
  })
  afterAll(async () => {
    await server?.close()
    folder.remove()
  })
}

import { afterAll, beforeAll } from 'vitest'
import { serve, type TestServer, temporaryDataDir, withoutLimits } from './test-server.ts'

/** What the tests of a file ask: a server without limits of a data folder of their own. */
export let dataDir: string
export let server: TestServer

/**
 * Serves an empty folder, or what `publish` puts there, for all tests of the file; `settings` as in
 * the environment.
 */
export function serveOwnFolder(
  settings: Readonly<Record<string, string>> = {},
  publish: (dataDir: string) => Promise<void> = async () => {},
): void {
  const folder = temporaryDataDir()
  dataDir = folder.dataDir
  beforeAll(async () => {
    await publish(folder.dataDir)
    server = await serve(folder.dataDir, { ...withoutLimits, ...settings })
  })
  afterAll(async () => {
    await server?.close()
    folder.remove()
  })
}

import { afterAll, beforeAll } from 'vitest'
import { keyOf, temporaryDataDir, withoutLimits } from '#test/api/support/test-server.ts'
import { publishDemoChain } from '#test/support/demo-chain.ts'
import { serveTools, type ToolService } from './tool-service.ts'

/** The tools over the demo chain, without limits, and a key that may read all data. */
export let dataDir: string
export let service: ToolService
export let key: string

/** Publishes the demo chain and serves it with the tools for all tests of the file. */
export function serveDemo(): void {
  const folder = temporaryDataDir()
  dataDir = folder.dataDir
  beforeAll(async () => {
    await publishDemoChain(dataDir)
    service = await serveTools(dataDir, withoutLimits)
    key = await keyOf(dataDir, 'enterprise')
  })
  afterAll(async () => {
    await service?.close()
    folder.remove()
  })
}

/**
 * Fetches as the program does, as a process of its own that a test can kill: the options of the
 * fetch come as JSON.
 */
import path from 'node:path'
import { z } from 'zod'
import { fetchSources } from '#ingest/market/fetch.ts'
import { withSession } from '#sql/session.ts'

const { dataDir, ...options } = z
  .object({
    dataDir: z.string(),
    env: z.record(z.string(), z.string()),
    sources: z.array(z.string()),
    now: z.number(),
    storeIntervalMs: z.number(),
  })
  .parse(JSON.parse(process.argv[2] ?? ''))
await withSession({ temporaryFolder: path.join(dataDir, 'tmp'), threads: 1 }, (connection) =>
  fetchSources({ connection, dataDir, ...options }),
)

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import express from 'express'
import { pino } from 'pino'
import { startServer } from '#api/server.ts'
import { apiSettings } from '#api/settings.ts'
import { listen } from '#test/support/listen.ts'

/**
 * The child process of several benches. Prints its address.
 * - `api <dataDir>`: published data with limits too high to matter
 * - `budgeted <dataDir>`: the same with the default work budgets
 * - `open <dataDir>`: no limits
 * - `memory <file>`: an Express route that sends a file from memory, with an ETag
 */
const [kind, target = ''] = process.argv.slice(2)
if (kind === 'api' || kind === 'open' || kind === 'budgeted') {
  const many = '1000000000'
  const settings = apiSettings.parse({
    PORT: '0',
    ACCESS: kind === 'open' ? 'open' : 'tiered',
    REQUESTS_PER_MINUTE: '1000000',
    ENTERPRISE_DAILY_REQUESTS: many,
    ...(kind !== 'budgeted' && { CELLS_PER_MINUTE: many, RENDER_SECONDS_PER_MINUTE: '1000000' }),
  })
  const log = pino({ level: 'info', base: null })
  const { url } = await startServer({ ...settings, DATA_DIR: target, MEMORY_LIMIT: '1GB', log })
  console.log(url)
} else {
  const bytes = readFileSync(target)
  const app = express()
  app.get('/{*any}', (_, response) => {
    response.type('json').send(bytes)
  })
  console.log(await listen(createServer(app)))
}

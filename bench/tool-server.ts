import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { startServer } from '#api/server.ts'
import { apiSettings } from '#api/settings.ts'
import { mountTools } from '#mcp/transport/mount.ts'

/**
 * What `bench/tools.ts` measures, in a process of its own: the API of a data folder with the tools mounted in it, as
 * the program serves them, under the settings of the environment. Tells its address, and on any message its memory.
 */
const [dataDir = ''] = process.argv.slice(2)
const log = pino({ level: 'warn', base: null }, process.stderr)
const settings = apiSettings.parse({ ...process.env, PORT: '0' })
const secret = randomBytes(32).toString('hex')
let url = ''
const server = await startServer({
  ...settings,
  DATA_DIR: dataDir,
  MEMORY_LIMIT: '1GB',
  log,
  toolServerSecret: secret,
  extend: (app, callerOf) =>
    mountTools(app, {
      host: settings.HOST,
      baseUrl: () => url,
      secret,
      publicUrl: undefined,
      allowedHosts: [],
      allowedOrigins: [],
      requestsPerMinute: settings.REQUESTS_PER_MINUTE,
      callerOf,
      log,
    }),
})
url = server.url
process.on('message', () => process.send?.({ memory: process.memoryUsage() }))
process.once('disconnect', () => void server.close())
process.send?.({ url })

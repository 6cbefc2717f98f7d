import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { apiSettings } from '#api/settings.ts'
import { serveWithTools } from '#root/cli/serve-with-tools.ts'

/** The child process of `bench/tools.ts`. Sends its address, and its memory use on any message. */
const [dataDir = ''] = process.argv.slice(2)
const log = pino({ level: 'warn', base: null }, process.stderr)
const settings = apiSettings.parse({ ...process.env, PORT: '0' })
const server = await serveWithTools(
  { ...settings, DATA_DIR: dataDir, MEMORY_LIMIT: '1GB', log },
  randomBytes(32).toString('hex'),
  { publicUrl: undefined, allowedHosts: [], allowedOrigins: [] },
)
process.on('message', () => process.send?.({ memory: process.memoryUsage() }))
process.once('disconnect', () => void server.close())
process.send?.({ url: server.url })

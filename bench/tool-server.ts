import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { apiSettings } from '#api/settings.ts'
import { serveWithTools } from '#root/cli/serve-with-tools.ts'

/**
 * What `bench/tools.ts` measures, in a process of its own: the API of a data folder with the tools mounted in it, as
 * the program serves them, under the settings of the environment. Tells its address, and on any message its memory.
 */
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

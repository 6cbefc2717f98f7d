import { createLogger } from '#base/log.ts'
import { runStdio } from '#mcp/transport/stdio.ts'

const { COINSTRATA_URL: baseUrl = '', COINSTRATA_API_KEY: apiKey } = process.env
runStdio({ baseUrl, apiKey, log: createLogger('warn', process.stderr) })

import { runStdio } from '#mcp/transport/stdio.ts'
import { createLogger } from '#root/log.ts'

const { COINSTRATA_URL: baseUrl = '', COINSTRATA_API_KEY: apiKey } = process.env
runStdio({ baseUrl, apiKey, log: createLogger('warn', process.stderr) })

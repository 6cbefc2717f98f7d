import { type StdioServerHandle, StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { CoinstrataError } from '#base/errors.ts'
import type { Log } from '#base/log.ts'
import { tidyLines } from './lenient-messages.ts'
import { createShared, createToolServer } from './server.ts'

interface StdioOptions {
  readonly baseUrl: string
  /** Default: demo data. */
  readonly apiKey: string | undefined
  readonly log: Log
}

/** Runs until the input ends. */
export function runStdio({ baseUrl, apiKey, log }: StdioOptions): StdioServerHandle {
  const url = parseBaseUrl(baseUrl, 'COINSTRATA_URL')
  const key = apiKey?.trim()
  if (key !== undefined && !/^[\x21-\x7e]*$/.test(key)) {
    const message = 'COINSTRATA_API_KEY has spaces or other characters that no key contains'
    throw new CoinstrataError('invalid_configuration', message, {
      cure: 'copy the key again, or unset the variable to get demo data',
    })
  }
  const shared = createShared(log)
  const authorization = key ? `Bearer ${key}` : undefined
  return serveStdio(
    () => createToolServer({ baseUrl: url, publicUrl: url, shared, authorization, forwarded: undefined }),
    {
      transport: new StdioServerTransport(process.stdin.pipe(tidyLines((line) => process.stdout.write(line)))),
      onerror: (error) => log.debug({ err: error }, 'message refused'),
    },
  )
}

/** Without a trailing slash. */
export function parseBaseUrl(text: string, setting: string): string {
  const url = URL.parse(text)
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!isHttp || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new CoinstrataError('invalid_configuration', `${setting} is not an address of an API: '${text}'`, {
      cure: `set ${setting} to an address such as http://127.0.0.1:3000, without /v1, key or query`,
    })
  }
  return url.href.replace(/\/+$/, '')
}

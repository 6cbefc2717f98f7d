import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
import { CoinstrataError } from '#base/errors.ts'
import type { Log } from '#base/log.ts'
import { parseBaseUrl } from './base-url.ts'
import { createShared, createToolServer } from './server.ts'

export interface StdioOptions {
  /** Address of the REST API. */
  readonly baseUrl: string
  /** Default: demo data. */
  readonly apiKey: string | undefined
  readonly log: Log
}

/** Serves the tools on stdio until the input ends. Throws `invalid_configuration` for an invalid address or key. */
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
    { onerror: (error) => log.debug({ err: error }, 'message refused') },
  )
}

import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
import { CoinstrataError } from '#base/errors.ts'
import type { Log } from '#base/log.ts'
import { parseBaseUrl } from './base-url.ts'
import { createShared, createToolServer } from './server.ts'

export interface StdioOptions {
  /** Address of the REST API. */
  readonly baseUrl: string
  /** Without it there are demo data. */
  readonly apiKey: string | undefined
  readonly log: Log
}

/**
 * Serves the tools over standard input and output, until the input ends. Throws `invalid_configuration` for an address
 * or a key that cannot be one.
 */
export function runStdio({ baseUrl, apiKey, log }: StdioOptions): StdioServerHandle {
  const url = parseBaseUrl(baseUrl, 'COINSTRATA_URL')
  const key = apiKey?.trim()
  if (key !== undefined && !/^[\x21-\x7e]*$/.test(key)) {
    throw new CoinstrataError(
      'invalid_configuration',
      'COINSTRATA_API_KEY holds spaces or characters that no key has',
      {
        cure: 'copy the key again, or leave the variable out for demo data',
      },
    )
  }
  const shared = createShared(log)
  const authorization = key ? `Bearer ${key}` : undefined
  return serveStdio(
    () => createToolServer({ baseUrl: url, publicUrl: url, shared, authorization, forwarded: undefined }),
    { onerror: (error) => log.debug({ err: error }, 'message refused') },
  )
}

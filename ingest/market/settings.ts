import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import {
  baseUrlVariable,
  createHttpClient,
  type HttpClient,
  type HttpSettings,
  keyVariable,
  rateVariable,
} from './http.ts'
import type { MarketSource } from './source.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const rate = z.coerce.number().positive()
const httpUrl = z.url({ protocol: /^https?$/ })

/**
 * A source's address, key and pace, from `SOURCES_<ID>_BASE_URL`, `SOURCES_<ID>_API_KEY` and
 * `SOURCES_<ID>_REQUESTS_PER_MINUTE` where they are set. Throws `invalid_configuration` for something that is no
 * http(s) address or no positive number.
 */
export function settingsOf(source: MarketSource, env: Environment) {
  const read = <T>(name: string, schema: z.ZodType<T>, usual: T, wanted: string): T => {
    const text = env[name]
    if (!text) return usual
    const parsed = schema.safeParse(text)
    if (parsed.success) return parsed.data
    throw new CoinstrataError('invalid_configuration', `${name} is "${text}", not ${wanted}`, {
      cure: `correct ${name}, or unset it for the default ${usual}`,
    })
  }
  return {
    baseUrl: read(baseUrlVariable(source.id), httpUrl, source.baseUrl, 'an http or https address'),
    requestsPerMinute: read(rateVariable(source.id), rate, source.requestsPerMinute, 'a positive number'),
    apiKey: env[keyVariable(source.id)] || undefined,
  }
}

/** The client of a source; undefined while the key that it wants is not set. */
export function clientOf(
  source: MarketSource,
  env: Environment,
  patience: Pick<HttpSettings, 'retryDelay' | 'retries'> = {},
): HttpClient | undefined {
  const { baseUrl, requestsPerMinute, apiKey } = settingsOf(source, env)
  if (source.key && !apiKey) return undefined
  return createHttpClient({
    source: source.id,
    baseUrl,
    requestsPerMinute,
    ...(source.key && apiKey && { headers: { [source.key.header]: apiKey }, wantedKey: source.key.obtain }),
    ...(source.refusal && { refusal: source.refusal }),
    ...(source.limitsBy403 && { limitsBy403: true }),
    ...patience,
  })
}

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

/** Reads address, key and pace from `SOURCES_<ID>_…`. Throws `invalid_configuration`. */
export function readSourceSettings(source: MarketSource, env: Environment) {
  const read = <T>(name: string, schema: z.ZodType<T>, fallback: T, wanted: string): T => {
    const text = env[name]
    if (!text) return fallback
    const parsed = schema.safeParse(text)
    if (parsed.success) return parsed.data
    throw new CoinstrataError('invalid_configuration', `${name} is "${text}", not ${wanted}`, {
      cure: `correct ${name}, or unset it for the default ${fallback}`,
    })
  }
  return {
    baseUrl: read(baseUrlVariable(source.id), httpUrl, source.baseUrl, 'an http or https address'),
    requestsPerMinute: read(rateVariable(source.id), rate, source.requestsPerMinute, 'a positive number'),
    apiKey: env[keyVariable(source.id)] || undefined,
  }
}

/** Undefined if a required key is missing. */
export function createSourceClient(
  source: MarketSource,
  env: Environment,
  patience: Pick<HttpSettings, 'retryDelayMs' | 'retries'> = {},
): HttpClient | undefined {
  const { baseUrl, requestsPerMinute, apiKey } = readSourceSettings(source, env)
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

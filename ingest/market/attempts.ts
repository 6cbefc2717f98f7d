import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { replaceFile } from '#sql/files.ts'

export const outcomes = ['ok', 'failed', 'blocked', 'paused', 'not_configured'] as const

const attempt = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  outcome: z.enum(outcomes),
  message: z.string().optional(),
  /** The instant before which the source wants no more requests. */
  notBefore: z.number().optional(),
  lastSuccess: z.number().optional(),
})
/** The last time a source was asked, and how that went. */
export type Attempt = z.infer<typeof attempt>

const file = (dataDir: string): string => path.join(dataDir, 'state', 'market-sources.json')

/** The last attempt of each source, by its id. */
export function readAttempts(dataDir: string): Record<string, Attempt> {
  if (!existsSync(file(dataDir))) return {}
  return z.record(z.string(), attempt).parse(JSON.parse(readFileSync(file(dataDir), 'utf8')))
}

/** Notes how an attempt went; a failure keeps the time of the last success. */
export function recordAttempt(dataDir: string, source: string, latest: Omit<Attempt, 'lastSuccess'>): void {
  const attempts = readAttempts(dataDir)
  const lastSuccess = latest.outcome === 'ok' ? latest.at : attempts[source]?.lastSuccess
  attempts[source] = lastSuccess === undefined ? latest : { ...latest, lastSuccess }
  mkdirSync(path.dirname(file(dataDir)), { recursive: true })
  replaceFile(file(dataDir), `${JSON.stringify(attempts, undefined, 2)}\n`)
}

const fetchedFile = (dataDir: string): string => path.join(dataDir, 'state', 'market-series.json')
const fetchedSchema = z.record(z.string(), z.record(z.string(), z.number()))

/** When each series of a source was last fetched whole, in milliseconds since 1970. */
export const readFetched = (dataDir: string, source: string): Record<string, number> =>
  readAllFetched(dataDir)[source] ?? {}

const readAllFetched = (dataDir: string): z.infer<typeof fetchedSchema> =>
  existsSync(fetchedFile(dataDir)) ? fetchedSchema.parse(JSON.parse(readFileSync(fetchedFile(dataDir), 'utf8'))) : {}

/** Notes that a series of a source was fetched whole. */
export function recordFetched(dataDir: string, source: string, series: string, at: number): void {
  const fetched = readAllFetched(dataDir)
  fetched[source] = { ...fetched[source], [series]: at }
  mkdirSync(path.dirname(fetchedFile(dataDir)), { recursive: true })
  replaceFile(fetchedFile(dataDir), `${JSON.stringify(fetched, undefined, 2)}\n`)
}

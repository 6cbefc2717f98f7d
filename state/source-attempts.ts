import path from 'node:path'
import { z } from 'zod'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'

export const outcomes = ['ok', 'failed', 'blocked', 'paused', 'not_configured'] as const

const attempt = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  outcome: z.enum(outcomes),
  message: z.string().optional(),
  /** The source asked for no requests before this time. */
  notBefore: z.number().optional(),
  lastSuccess: z.number().optional(),
  /** Clock of the source minus that of this machine, in ms. */
  clockAheadMs: z.number().optional(),
})
/** The last request to a source and its outcome. */
export type Attempt = z.infer<typeof attempt>

export const attemptsFile = (dataDir: string): string => path.join(dataDir, 'state', 'market-sources.json')

const attemptsSchema = z.record(z.string(), attempt)

/**
 * The last attempt of each source, by its id; empty if the file is damaged, which the next fetch
 * replaces.
 */
export const readAttempts = (dataDir: string): Record<string, Attempt> =>
  readIntactJson(attemptsFile(dataDir), attemptsSchema) ?? {}

/** Records an attempt; a failure keeps the time of the last success. */
export function recordAttempt(dataDir: string, source: string, latest: Omit<Attempt, 'lastSuccess'>): void {
  const attempts = readAttempts(dataDir)
  const lastSuccess = latest.outcome === 'ok' ? latest.at : attempts[source]?.lastSuccess
  attempts[source] = lastSuccess === undefined ? latest : { ...latest, lastSuccess }
  writeIntactJson(attemptsFile(dataDir), attempts)
}

/**
 * Name for a source's snapshots, separate from its history, which is fetched from where it ends.
 */
export const snapshotName = (source: string): string => `${source}-snapshots`

/**
 * Time of the newest snapshot of any source, in milliseconds since 1970; undefined before the
 * first.
 */
export function lastSnapshot(dataDir: string): number | undefined {
  const suffix = snapshotName('')
  const times = Object.entries(readAttempts(dataDir)).flatMap(([name, { lastSuccess }]) =>
    name.endsWith(suffix) && lastSuccess !== undefined ? [lastSuccess] : [],
  )
  return times.length === 0 ? undefined : Math.max(...times)
}

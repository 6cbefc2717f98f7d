import path from 'node:path'
import { z } from 'zod'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'

export const outcomes = ['ok', 'failed', 'blocked', 'paused', 'not_configured'] as const

const attempt = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  outcome: z.enum(outcomes),
  message: z.string().optional(),
  /** The source asked for no requests before. */
  notBefore: z.number().optional(),
  lastSuccess: z.number().optional(),
  /** The source's clock minus this machine's, in ms. */
  clockAheadMs: z.number().optional(),
})
export type Attempt = z.infer<typeof attempt>

export const attemptsFile = (dataDir: string): string => path.join(dataDir, 'state', 'market-sources.json')

const attemptsSchema = z.record(z.string(), attempt)

/** Last attempts by source id; empty if the file is damaged (until the next fetch). */
export const readAttempts = (dataDir: string): Record<string, Attempt> =>
  readIntactJson(attemptsFile(dataDir), attemptsSchema) ?? {}

/** A failure keeps the time of the last success. */
export function recordAttempt(dataDir: string, source: string, latest: Omit<Attempt, 'lastSuccess'>): void {
  const attempts = readAttempts(dataDir)
  const lastSuccess = latest.outcome === 'ok' ? latest.at : attempts[source]?.lastSuccess
  attempts[source] = lastSuccess === undefined ? latest : { ...latest, lastSuccess }
  writeIntactJson(attemptsFile(dataDir), attempts)
}

/** Separates a source's snapshots from its history, which is fetched from its end. */
export const snapshotName = (source: string): string => `${source}-snapshots`

/** Newest snapshot of any source, in ms since 1970; undefined before the first. */
export function lastSnapshot(dataDir: string): number | undefined {
  const suffix = snapshotName('')
  const times = Object.entries(readAttempts(dataDir)).flatMap(([name, { lastSuccess }]) =>
    name.endsWith(suffix) && lastSuccess !== undefined ? [lastSuccess] : [],
  )
  return times.length === 0 ? undefined : Math.max(...times)
}

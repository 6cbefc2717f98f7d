import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { replaceFile } from '#sql/files.ts'

const file = (dataDir: string): string => path.join(dataDir, 'state', 'market-series.json')
const fetchedSchema = z.record(z.string(), z.record(z.string(), z.number()))

/** When each series of a source was last fetched whole, in milliseconds since 1970. */
export const readFetched = (dataDir: string, source: string): Record<string, number> =>
  readAllFetched(dataDir)[source] ?? {}

const readAllFetched = (dataDir: string): z.infer<typeof fetchedSchema> =>
  existsSync(file(dataDir)) ? fetchedSchema.parse(JSON.parse(readFileSync(file(dataDir), 'utf8'))) : {}

/** Notes that a series of a source was fetched whole. */
export function recordFetched(dataDir: string, source: string, series: string, at: number): void {
  const fetched = readAllFetched(dataDir)
  fetched[source] = { ...fetched[source], [series]: at }
  mkdirSync(path.dirname(file(dataDir)), { recursive: true })
  replaceFile(file(dataDir), `${JSON.stringify(fetched, undefined, 2)}\n`)
}

import type { Logger } from '#base/log.ts'
import { withSession } from '#sql/session.ts'

const defaultIntervalMs = 15_000
/** Share of one processor. */
const quietShare = 0.1
/** Caches expire within a minute, and only then is their memory free. */
const timesWhenQuiet = 4

/**
 * Gives freed memory back to the system after a peak of requests; glibc keeps it as long as anything
 * beside it is in use. Ends with the returned function.
 */
export function returnMemoryWhenQuiet(
  temporaryFolder: string,
  log: Logger,
  intervalMs = defaultIntervalMs,
): () => void {
  let left = 0
  let before = process.cpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    const isQuiet = user + system < quietShare * intervalMs * 1_000
    if (isQuiet && left > 0)
      trim(temporaryFolder).catch((err: unknown) => log.warn({ err }, 'freed memory cannot be returned'))
    left = isQuiet ? left - 1 : timesWhenQuiet
  }, intervalMs).unref()
  return () => clearInterval(timer)
}

/** Node offers no `malloc_trim`; DuckDB calls it in its own thread when a limit is set. */
const trim = (temporaryFolder: string): Promise<unknown> =>
  withSession({ temporaryFolder, memory: '100MB', threads: 1 }, (connection) =>
    connection.run(`SET memory_limit = '100MB'`),
  )

import { Worker } from 'node:worker_threads'

/** Environment variable of child commands: the process id of their parent. */
export const watchedParent = 'COINSTRATA_PARENT'
/** Shorter than a restart of the service takes. */
const intervalMs = 250

/**
 * Kills this child command when its parent has ended: otherwise it would hold locks and write by old
 * settings beside the next `start`. A thread watches, because a computation keeps the main one busy
 * for many seconds.
 */
export function endWithParent(): void {
  const parent = Number(process.env[watchedParent])
  if (!parent) return
  const watch = `setInterval(() => {
    if (process.ppid !== ${parent}) process.kill(process.pid, 'SIGKILL')
  }, ${intervalMs})`
  new Worker(watch, { eval: true, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref()
}

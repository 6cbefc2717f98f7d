import { readlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const niceness = 5

/**
 * Gives this thread less processor time than the event loop. Only Linux has priorities of threads.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return
  const threadId = Number(path.basename(readlinkSync('/proc/thread-self')))
  os.setPriority(threadId, Math.min(os.constants.priority.PRIORITY_LOW, os.getPriority() + niceness))
}

import { createLogger, isJsonLog, type Logger } from '#base/log.ts'
import type { Settings } from '#root/config.ts'
import type { ProcessContext, TextStream } from './process-context.ts'

export interface Output extends Pick<ProcessContext, 'reportRun'> {
  readonly log: Logger
  readonly isJson: boolean
  /** Receives text for people; becomes log entries if `isJson`. */
  readonly stdout: TextStream
}

export function createOutput(
  { LOG_LEVEL, LOG_FORMAT }: Settings,
  { stdout, stderr, reportRun }: ProcessContext,
): Output {
  const log = createLogger(LOG_LEVEL, stderr, LOG_FORMAT)
  if (!isJsonLog(LOG_FORMAT, stderr)) return { log, isJson: false, stdout, reportRun }
  return { log, isJson: true, stdout: { write: (text) => log.info(text.trim()) }, reportRun }
}

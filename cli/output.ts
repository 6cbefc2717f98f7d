import { createLogger, isJsonLog, type Logger } from '#base/log.ts'
import { describeMisspelt, type Settings } from '#root/config.ts'
import type { ProcessContext, TextStream } from './process-context.ts'

export interface Output extends Pick<ProcessContext, 'reportRun'> {
  readonly log: Logger
  readonly isJson: boolean
  /** Text for people; log entries if `isJson`. */
  readonly stdout: TextStream
}

/** The first line follows the label, others are indented. */
export const besideLabel = (label: string, lines: readonly string[]): string =>
  lines.map((line, i) => `${i === 0 ? label : ' '.repeat(label.length)}${line}\n`).join('')

export function createOutput(
  { LOG_LEVEL, LOG_FORMAT }: Settings,
  { environment, stdout, stderr, reportRun }: ProcessContext,
): Output {
  const log = createLogger(LOG_LEVEL, stderr, LOG_FORMAT)
  // The parent process, if any, has warned.
  if (!reportRun) for (const message of describeMisspelt(environment)) log.warn(message)
  if (!isJsonLog(LOG_FORMAT, stderr)) return { log, isJson: false, stdout, reportRun }
  return { log, isJson: true, stdout: { write: (text) => log.info(text.trim()) }, reportRun }
}

import { createLogger, isJsonLog, type Logger } from '#base/log.ts'
import type { Settings } from '#root/config.ts'
import type { Surroundings, TextStream } from './surroundings.ts'

/** Where a command that may run unattended says what it does. */
export interface Output extends Pick<Surroundings, 'tell'> {
  readonly log: Logger
  /** Everything goes to the log, one JSON object a line: no text stands between. */
  readonly isJson: boolean
  /** Takes texts for people; with JSON lines each becomes an entry of the log. */
  readonly stdout: TextStream
}

export function outputOf({ LOG_LEVEL, LOG_FORMAT }: Settings, { stdout, stderr, tell }: Surroundings): Output {
  const log = createLogger(LOG_LEVEL, stderr, LOG_FORMAT)
  if (!isJsonLog(LOG_FORMAT, stderr)) return { log, isJson: false, stdout, tell }
  return { log, isJson: true, stdout: { write: (text) => log.info(text.trim()) }, tell }
}

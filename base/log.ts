import { type DestinationStream, type Logger, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'

export type { Logger }

/** Logger of the tools for assistants, which also run without pino. */
export interface Log {
  readonly debug: (about: object, message: string) => void
  readonly error: (about: object, message: string) => void
}

export const logFormats = ['auto', 'text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

type LogStream = DestinationStream & { readonly isTTY?: boolean }

/** `auto`: JSON lines unless the log goes to a terminal. */
export const isJsonLog = (format: LogFormat, { isTTY = false }: Pick<LogStream, 'isTTY'>): boolean =>
  format === 'json' || (format === 'auto' && !isTTY)

/** Logs to stderr; JSON lines carry their time in ms since 1970. */
export function createLogger(level: string, stderr: LogStream, format: LogFormat = 'auto'): Logger {
  if (isJsonLog(format, stderr)) return pino({ level, base: null }, stderr)
  const readable = prettyFactory({ colorize: stderr.isTTY === true, ignore: 'time', singleLine: true })
  return pino({ level, base: null }, { write: (line) => stderr.write(readable(line)) })
}

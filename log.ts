import { type DestinationStream, type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

export type { Logger }

/** Logs to stderr: readable on a terminal, JSON lines elsewhere. Standard output is left to what was asked for. */
export function createLogger(level: string, stderr: DestinationStream & { readonly isTTY?: boolean }): Logger {
  if (!stderr.isTTY) return pino({ level, base: null }, stderr)
  return pino({ level, base: null }, pretty({ destination: 2, sync: true, ignore: 'time', singleLine: true }))
}

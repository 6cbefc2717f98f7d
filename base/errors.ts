import type { ErrorCode } from './error-codes.ts'

/** Messages quote names and cells of files, and answers of servers. */
const maxMessageLength = 4_000

/** Without control characters, which terminals obey, except line breaks and tabs; cut if long. */
export function printable(text: string): string {
  const shown = text.replaceAll(/[^\P{Cc}\n\t]/gu, '\ufffd')
  return shown.length > maxMessageLength ? `${shown.slice(0, maxMessageLength)} …` : shown
}

/** An expected failure, shown without a stack trace; `cure` says what to do about it. */
export class CoinstrataError extends Error {
  readonly code: ErrorCode
  readonly cure: string | undefined

  constructor(code: ErrorCode, message: string, options: { cure?: string | undefined; cause?: unknown } = {}) {
    super(printable(message), { cause: options.cause })
    this.name = 'CoinstrataError'
    this.code = code
    this.cure = options.cure
  }
}

/** For errors of Node.js and the system, such as `ENOENT`. */
export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

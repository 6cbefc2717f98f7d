import type { ErrorCode } from './error-codes.ts'

/** An expected failure, shown without a stack trace; `cure` says what to do about it. */
export class CoinstrataError extends Error {
  readonly code: ErrorCode
  readonly cure: string | undefined

  constructor(code: ErrorCode, message: string, options: { cure?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'CoinstrataError'
    this.code = code
    this.cure = options.cure
  }
}

/** For errors of Node.js and the system, such as `ENOENT`. */
export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

import type { ErrorCode } from './error-codes.ts'

/**
 * An expected failure, shown without a stack trace: the message says what is wrong and where,
 * `cure` what to do about it.
 */
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

/** Matches errors of Node.js and of the operating system, such as `ENOENT`. */
export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

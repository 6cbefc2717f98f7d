import type { ErrorCode } from '#base/error-codes.ts'
import { CoinstrataError } from '#base/errors.ts'

/**
 * An expected failure in a worker thread, as data: an error that is copied between threads loses
 * its code and cure.
 */
export interface WorkerFailure {
  readonly kind: 'failed'
  readonly code: ErrorCode
  readonly message: string
  readonly cure: string | undefined
}

export async function catchFailure<T>(work: () => T | Promise<T>): Promise<T | WorkerFailure> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CoinstrataError)) throw error
    return { kind: 'failed', code: error.code, message: error.message, cure: error.cure }
  }
}

export const toError = ({ code, message, cure }: WorkerFailure): CoinstrataError =>
  new CoinstrataError(code, message, { cure })

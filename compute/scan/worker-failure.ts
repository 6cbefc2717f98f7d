import { CoinstrataError, type ErrorCode } from '#base/errors.ts'

/** An expected failure on its way out of a worker thread: as data, because a copied error loses its code and cure. */
export interface WorkerFailure {
  readonly kind: 'failed'
  readonly code: ErrorCode
  readonly message: string
  readonly cure: string | undefined
}

/** In the worker: runs `work` and returns what it yields, or how it failed. */
export async function orFailure<T>(work: () => T | Promise<T>): Promise<T | WorkerFailure> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CoinstrataError)) throw error
    return { kind: 'failed', code: error.code, message: error.message, cure: error.cure }
  }
}

/** Outside: the error that the worker met. */
export const errorOf = ({ code, message, cure }: WorkerFailure): CoinstrataError =>
  new CoinstrataError(code, message, { cure })

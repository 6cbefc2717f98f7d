import { move, Piscina, transferableSymbol, valueSymbol } from 'piscina'
import type { ErrorCode } from '#base/error-codes.ts'
import { CoinstrataError } from '#base/errors.ts'

/** An expected failure as data: errors copied between threads lose their code and cure. */
interface Failure {
  readonly failure: { readonly code: ErrorCode; readonly message: string; readonly cure: string | undefined }
}

const isFailure = (outcome: unknown): outcome is Failure =>
  typeof outcome === 'object' && outcome !== null && 'failure' in outcome

const listBuffers = (arrays: readonly ArrayBufferView[]): ArrayBuffer[] =>
  arrays.flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []))

/**
 * Runs `work` with a function that runs tasks by `answer` in threads, and moves given arrays of a
 * task there instead of copying them. Threads live until `work` ends.
 */
export async function withThreads<Task, Result, T>(
  module: URL,
  maxThreads: number,
  work: (run: (task: Task, arrays?: readonly ArrayBufferView[]) => Promise<Result>) => Promise<T>,
): Promise<T> {
  const pool = new Piscina<Task, Result | Failure>({
    filename: module.href,
    minThreads: 0,
    maxThreads,
    idleTimeout: 60_000,
  })
  try {
    return await work(async (task, arrays = []) => {
      const outcome = await pool.run(task, { transferList: listBuffers(arrays) })
      if (!isFailure(outcome)) return outcome
      const { code, message, cure } = outcome.failure
      throw new CoinstrataError(code, message, { cure })
    })
  } finally {
    await pool.destroy()
  }
}

/**
 * Answers a task in a thread.
 * @param arrays of the result, moved to the main thread instead of copied
 */
export async function answer<Result extends object>(
  work: () => Result | Promise<Result>,
  arrays: (result: Result) => readonly ArrayBufferView[] = () => [],
): Promise<unknown> {
  try {
    const result = await work()
    return move({ [transferableSymbol]: listBuffers(arrays(result)), [valueSymbol]: result })
  } catch (error) {
    if (!(error instanceof CoinstrataError)) throw error
    const { code, message, cure } = error
    return { failure: { code, message, cure } } satisfies Failure
  }
}

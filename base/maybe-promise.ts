/** Usually in memory already. */
export type MaybePromise<T> = T | Promise<T>

/**
 * Continues synchronously with a known value: a promise takes much of the time of an answer from
 * memory.
 */
export const andThen = <T, R>(value: MaybePromise<T>, work: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(work) : work(value)

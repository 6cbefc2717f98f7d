/** What is mostly known at once, from memory; a promise only where it must be asked for. */
export type MaybePromise<T> = T | Promise<T>

/** Goes on at once with what is known already: a promise would take a good part of the time of an answer from memory. */
export const andThen = <T, R>(value: MaybePromise<T>, work: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(work) : work(value)

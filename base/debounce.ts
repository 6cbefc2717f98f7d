/** What is mostly known at once, from memory; a promise only where it must be asked for. */
export type Soon<T> = T | Promise<T>

/** Goes on at once with what is known already: a promise would take a good part of the time of an answer from memory. */
export const andThen = <T, R>(value: Soon<T>, work: (value: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(work) : work(value)

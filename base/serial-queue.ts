export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>

/**
 * A queue of work: each begins when all that was given before has ended. Work that fails rejects the promise of who gave
 * it and holds up nobody else.
 */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}

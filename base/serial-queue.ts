export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>

/** Runs jobs one after another. A failed job rejects only its own promise. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}

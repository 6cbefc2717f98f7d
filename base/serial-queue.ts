export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Runs jobs one after the other. A failed job rejects its own promise and does not stop the queue.
 */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'

let last: Promise<void> = Promise.resolve()

/**
 * Resolves in a turn of the event loop that no other caller gets. Call it between pieces of some
 * milliseconds of large work, so that requests wait for one piece at most.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => nextTurn())
  return last
}

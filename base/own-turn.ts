import { setImmediate as nextTurn } from 'node:timers/promises'

/** Others wait for such a piece at most; starting shorter ones would cost as much as they do. */
const pieceMs = 3

let last: Promise<void> = Promise.resolve()

/**
 * Resolves in a turn of the event loop that no other caller gets. Call it between pieces of some
 * milliseconds of large work, so that requests wait for one piece at most.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => nextTurn())
  return last
}

/**
 * Returns a function to call between the parts of large work, however short they are: it waits for
 * an own turn once some milliseconds have passed.
 */
export function pacedTurns(): () => Promise<void> | undefined {
  let begin = performance.now()
  return () => {
    if (performance.now() - begin < pieceMs) return undefined
    return ownTurn().then(() => {
      begin = performance.now()
    })
  }
}

/** As `items.map`, with turns of others between the items. */
export async function mapInTurns<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item, i: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  const turn = pacedTurns()
  for (const item of items) {
    results.push(map(item, results.length))
    await turn()
  }
  return results
}

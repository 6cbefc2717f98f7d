const concurrency = 4

/**
 * Runs `work` four items at a time. After a failure it begins none, waits for running ones and
 * throws the error.
 */
export async function transfer<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const workInTurn = async (): Promise<void> => {
    try {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
    } catch (error) {
      waiting.length = 0
      throw error
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: concurrency }, workInTurn))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

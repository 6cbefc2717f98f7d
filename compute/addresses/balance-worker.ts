import { answer } from '../threads.ts'
import { addressFiles, damagedBalances } from './address-files.ts'
import { type ReplayInputs, replayPartition } from './address-replay.ts'
import { BalanceSums } from './balance-sums.ts'
import { readPackedEvents } from './packed-events.ts'
import type { SavedPartition } from './saved-addresses.ts'

/** Replay of one partition of all addresses. */
export interface BalanceTask extends ReplayInputs {
  readonly partition: number
  /** Files with all events of the new days. */
  readonly events: readonly string[]
  readonly saved: SavedPartition | undefined
  /** Folder of the files of `saved` and of the result. */
  readonly folder: string
}

export interface BalanceOutcome {
  readonly rows: Float64Array
  readonly saved: SavedPartition | undefined
}

/** Removes damaged files, and throws `data_not_ready` for them. */
export function replayFiles(task: BalanceTask): BalanceOutcome {
  const { sample, partition, saved, folder, after, days, price } = task
  const sums = new BalanceSums(sample, price.subarray(after + 1, days))
  const events = readPackedEvents(task.events, partition)
  const files = addressFiles(folder, folder, damagedBalances)
  return { saved: replayPartition(sums, partition, events, saved, files, task), rows: sums.rows }
}

export default function replayInWorker(task: BalanceTask): Promise<unknown> {
  return answer(
    () => replayFiles(task),
    ({ rows }) => [rows],
  )
}

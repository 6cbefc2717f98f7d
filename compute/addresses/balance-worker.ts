import { move, transferableSymbol, valueSymbol } from 'piscina'
import { catchFailure } from '../worker-failure.ts'
import { type BalanceTask, replayPartition } from './balance-task.ts'

export default async function replayInWorker(task: BalanceTask): Promise<unknown> {
  const outcome = await catchFailure(() => replayPartition(task))
  if ('kind' in outcome) return outcome
  return move({ [transferableSymbol]: outcome.columns.map(({ buffer }) => buffer), [valueSymbol]: outcome })
}

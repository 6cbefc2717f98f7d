import { addressFiles } from '#compute/addresses/address-files.ts'
import { type ReplayInputs, replayPartition } from '#compute/addresses/address-replay.ts'
import { BalanceSums } from '#compute/addresses/balance-sums.ts'
import type { Estimate } from '#compute/addresses/estimates.ts'
import { type MeasureInputs, measureBalances } from '#compute/addresses/measure-balances.ts'

/** The measures of addresses of one partition, from the first day of a chain on. */
export function measureEvents(
  words: Uint32Array,
  { sample, firstDay, price, cost }: Pick<ReplayInputs, 'sample' | 'firstDay' | 'price' | 'cost'>,
  known: Pick<MeasureInputs, 'supply' | 'structural'>,
): Map<string, Estimate[]> {
  const sums = new BalanceSums(sample, price)
  const inputs = { sample, firstDay, after: -1, days: price.length, price, cost, cut: undefined }
  replayPartition(sums, 0, words, undefined, addressFiles('', ''), inputs)
  sums.accumulate(undefined)
  return measureBalances(sums, { sample, firstDay, prices: price, ...known })
}

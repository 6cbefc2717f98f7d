import type { Values } from '#test/sql/formula/naive.ts'
import { blockFacts } from '#test/support/block-facts.ts'
import type { Replay } from '#test/support/replay.ts'
import type { chainSeries } from './chain-series.ts'
import { chainDays, dayRow } from './priced-chain.ts'
import { by, each, less, over, times } from './rows.ts'

const shares = { p10: 0.1, p25: 0.25, median: 0.5, p75: 0.75, p90: 0.9 }

/** The metrics of single transactions and outputs: exact ones, and those from histograms. */
export function expectedTransactions({ blocks }: Replay, chain: ReturnType<typeof chainSeries>, price: Values) {
  const ofDay = Array.from({ length: chainDays }, () => [] as ReturnType<typeof blockFacts>[])
  const maxIntervals: Values = new Array<number | null>(chainDays).fill(null)
  const empty = new Array<number>(chainDays).fill(0)
  const fees = Array.from({ length: chainDays }, () => [] as number[])
  for (const replayed of blocks) {
    const row = dayRow(replayed.day)
    if (row >= chainDays) break
    const facts = blockFacts(replayed.block, replayed.spent)
    ofDay[row]!.push(replayed.height === 0 ? { ...facts, created: [] } : facts)
    fees[row]!.push(...replayed.fees)
    if (replayed.transactions === 1) empty[row]! += 1
    const parent = blocks[replayed.height - 1]
    if (parent) maxIntervals[row] = Math.max(maxIntervals[row] ?? -Infinity, replayed.time - parent.time)
  }
  const sum = (name: string): Values =>
    ofDay.map((own) => own.reduce((total, { facts }) => total + (facts[name] ?? 0), 0))
  const payments = less(chain.transactions, chain.mined)
  const counted = Object.keys(ofDay[0]![0]!.facts).filter((name) => name.endsWith('_transactions'))
  const adjusted = times(sum('adjusted_sats'), 1e-8)
  const exact: Record<string, Values> = {
    ...Object.fromEntries(counted.map((name) => [name, sum(name)])),
    ...Object.fromEntries(counted.map((name) => [`${name}_percent`, times(over(sum(name), payments), 100)])),
    adjusted_sats: sum('adjusted_sats'),
    adjusted_volume: adjusted,
    adjusted_volume_usd: by(adjusted, price),
    dust_outputs: sum('dust_outputs'),
    dust_outputs_percent: times(over(sum('dust_outputs'), chain.outputs), 100),
    op_return_bytes: sum('op_return_bytes'),
    op_return_bytes_mean: over(sum('op_return_bytes'), chain.opReturn),
    large_op_return_outputs: sum('large_op_return_outputs'),
    omni_outputs: sum('omni_outputs'),
    block_interval_max: maxIntervals,
    empty_blocks: empty,
    empty_blocks_percent: each((none, all) => (100 * none) / all, empty, chain.mined),
  }
  const lists = {
    fee: { values: fees, unit: 1e-8 },
    fee_rate: { values: ofDay.map((own) => own.flatMap(({ rates }) => rates)), unit: 1e-3 },
    created_value: { values: ofDay.map((own) => own.flatMap(({ created }) => created)), unit: 1e-8 },
    spent_value: { values: ofDay.map((own) => own.flatMap(({ spentValues }) => spentValues)), unit: 1e-8 },
    transfer_value: { values: ofDay.map((own) => own.flatMap(({ transfers }) => transfers)), unit: 1e-8 },
  }
  const binned = Object.entries(lists).flatMap(([what, { values, unit }]) => {
    const sorted = values.map((list) => list.toSorted((a, b) => a - b))
    return Object.entries(shares).map(([name, share]) => {
      const ranked = sorted.map((list) => list[Math.ceil(share * list.length) - 1])
      return [`${what}_${name}`, ranked.map((value) => (value === undefined ? null : value * unit))] as const
    })
  })
  return { exact, binned: Object.fromEntries(binned.filter(([id]) => id !== 'fee_median')) }
}

import { satsPerCoin } from '#base/bitcoin.ts'
import type { MetricKind } from './metric-kinds.ts'
import { blocks } from './tables/chain.ts'

/**
 * How hours of a metric without a formula follow from `blocks`, as SQL: a `sum` over them, a
 * `level` of the table `days` minus later changes, the value of the `last` block, or a column of
 * `prices_hourly`.
 */
export interface HourlySource {
  readonly from: 'sum' | 'level' | 'last' | 'price'
  readonly sql: string
}

const sources: Readonly<Record<string, HourlySource>> = {
  blocks_mined: { from: 'sum', sql: 'count(*)' },
  empty_blocks: { from: 'sum', sql: 'count(*) FILTER (transactions = 1)' },
  tx_count_with_coinbase: { from: 'sum', sql: 'sum(transactions)' },
  spent_outputs: { from: 'sum', sql: 'sum(inputs)' },
  spent_volume: { from: 'sum', sql: `sum(spent_sats) / ${satsPerCoin}` },
  block_height: { from: 'level', sql: 'count(*)' },
  supply_sats: { from: 'level', sql: 'sum(issuance_sats - unspendable_sats)' },
  utxo_count: { from: 'level', sql: 'sum(outputs - unspendable_outputs - inputs)' },
  difficulty: { from: 'last', sql: 'difficulty' },
  price: { from: 'price', sql: 'close' },
  open: { from: 'price', sql: 'open' },
  high: { from: 'price', sql: 'high' },
  low: { from: 'price', sql: 'low' },
}

/** Undefined for metrics without hours. A flow named like a column of `blocks` is its sum. */
export function hourlySource({
  id,
  kind,
}: {
  readonly id: string
  readonly kind: MetricKind
}): HourlySource | undefined {
  if (kind === 'flow' && id in blocks.columns) return { from: 'sum', sql: `sum(${id} ORDER BY height)` }
  return sources[id]
}

import { count, inUnit, type Measured, type MetricRow, percent, ratio } from './definition.ts'
import type { OriginColumn } from './origin.ts'

/** Largest pools of recent years; `pool_days` has all others too. */
export const largestPools = {
  foundry_usa: 'Foundry USA',
  antpool: 'AntPool',
  viabtc: 'ViaBTC',
  f2pool: 'F2Pool',
  spiderpool: 'SpiderPool',
  mara_pool: 'MARA Pool',
  secpool: 'SECPOOL',
  luxor: 'Luxor',
  binance_pool: 'Binance Pool',
  sbi_crypto: 'SBI Crypto',
  braiins_pool: 'Braiins Pool',
  ocean: 'OCEAN',
} as const

const counted = (column: OriginColumn<'pool_aggregate'>) =>
  ({ from: { table: 'pool_aggregate', column }, kind: 'rate' }) as const satisfies Measured

const attribution =
  'Pools name themselves in the coinbase, by a payout address or a tag; pools that mine templates of another count apart.'

export const pools: readonly MetricRow[] = [
  count('pool_count', 'Mining pools', counted('pools'), {
    aggregate: 'counts',
    description: 'Number of known pools that mined a block of the day.',
    variant: attribution,
  }),
  percent('pool_top3_percent', 'Share of the three largest pools', counted('top_percent'), {
    aggregate: 'counts',
    description: 'Share of the three known pools with most blocks of the day in all its blocks.',
    variant: attribution,
  }),
  ratio('pool_herfindahl', 'Herfindahl index of pools', counted('herfindahl'), {
    aggregate: 'counts',
    description:
      'Sum of the squared shares of the known pools in the blocks of the day: 1 if one pool mines all of them.',
    variant: `Shares are of all blocks; blocks of unknown pools add nothing, as if each had a miner of its own. ${attribution}`,
    source: 'Albert Hirschman, 1945; Orris Herfindahl, 1950',
  }),
  percent('pool_unknown_percent', 'Share of unknown pools', counted('unknown_percent'), {
    aggregate: 'counts',
    description: 'Share of the blocks of the day whose pool is not known.',
    variant: attribution,
  }),
  ...Object.entries(largestPools).flatMap(([pool, name]): MetricRow[] => [
    count(
      `pool_blocks_${pool}`,
      `${name}: blocks`,
      { from: { table: 'pool_days', column: 'blocks', key: pool }, kind: 'flow', endpoint: 'series' },
      { description: `Blocks of the day that ${name} mined.`, variant: attribution },
    ),
    percent(
      `pool_share_percent_${pool}`,
      `${name}: share`,
      `100 * sum(pool_blocks_${pool}, 7) / sum(blocks_mined, 7)`,
      {
        endpoint: 'series',
        description: `Share of ${name} in the blocks of the last 7 days.`,
        variant: attribution,
      },
    ),
    inUnit('H/s', 'log')(
      `pool_hash_rate_${pool}`,
      `${name}: hash rate`,
      `pool_share_percent_${pool} / 100 * hash_rate_7d`,
      {
        endpoint: 'series',
        description: `Share of ${name} in the blocks of the last 7 days, times the hash rate of these days.`,
        variant: attribution,
      },
    ),
  ]),
]

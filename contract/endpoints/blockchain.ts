import { z } from 'zod'
import { balanceMeasureNames } from '../balance-measures.ts'
import { endpoint } from '../endpoint.ts'
import { cycleFamily, daily, datedListQuery, height, orderedQuery, pagedQuery } from '../parameters.ts'
import { otherColumns, rows } from '../rows.ts'
import { blocks } from '../tables/chain.ts'
import { dailyMetrics } from './daily-metrics.ts'

export const blockchainEndpoints = {
  blockchain: dailyMetrics(
    'blockchain',
    'Blockchain',
    'Block height, blocks mined, fees, issuance, difficulty, hash rate and more',
    rows.blockchain,
  ),
  blockchainMetric: endpoint({
    id: 'blockchain/{metric}',
    tag: 'Blockchain',
    summary: 'One field of /v1/blockchain, such as block_height or blocks_mined',
    pathParameters: z.object({ metric: z.string().meta({ example: 'block_height' }) }),
    query: daily,
    row: rows.blockchainMetric,
  }),
  addresses: dailyMetrics('addresses', 'Blockchain', 'Active addresses of each day, each counted once', rows.addresses),
  addressEstimates: endpoint({
    id: 'addresses/estimates',
    tag: 'Blockchain',
    summary: 'Number and holdings of addresses by what they hold, with the error of each estimate',
    description:
      'One measure, newest first: value with the bounds of its 95 % interval, which are the value itself if all addresses are counted (ADDRESSES=all). value is null while the error is too large to say anything; see docs/addresses.md.',
    query: pagedQuery({
      measure: z.enum(balanceMeasureNames).meta({ description: 'Measure of addresses', example: 'over_1' }),
    }),
    row: rows.addressEstimates,
  }),
  addressLabels: endpoint({
    id: 'addresses/labels',
    tag: 'Blockchain',
    summary: 'Balance, flows, age and cost of the addresses that the operator has labelled',
    description:
      'One label, or all: newest day first, labels of a day by name. Exact, whatever the sample of addresses. No rows unless the operator has lists of addresses and publishes them (PUBLISH_LABELS=on); see docs/addresses.md.',
    query: pagedQuery({
      label: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .meta({ description: 'Name of a label; default: all', example: 'Exchange' }),
    }),
    row: rows.addressLabels,
    key: ['date', 'label'],
  }),
  blocks: endpoint({
    id: 'blocks',
    tag: 'Blockchain',
    summary: 'Blocks: time, size, transactions, fees, pool and supply of each',
    description:
      'Newest first, up to the newest block of the generation, which may be of a day that is not closed. start_date and end_date bound the days that blocks count to, min_height and max_height the heights.',
    query: pagedQuery({ min_height: height, max_height: height }),
    row: rows.blocks,
    more: otherColumns(blocks, rows.blocks),
    orderedBy: 'height',
    key: ['date', 'height'],
    rowsPerDay: 150,
  }),
  pools: endpoint({
    id: 'pools',
    tag: 'Blockchain',
    summary: 'Mining pools: blocks, share, hash rate and income of each within some days',
    description:
      'Most blocks first. Without start_date: the 7 days up to end_date or the last closed day. date is the last of the days. Pools name themselves in the coinbase, by a payout address or a tag; shares are of all blocks, so what is missing to 100 is of unknown pools.',
    query: datedListQuery,
    row: rows.pools,
    key: ['date', 'pool'],
  }),
  cyclePerformance: endpoint({
    id: 'cycle-performance',
    tag: 'Cycles',
    summary: 'Price relative to that of a halving, a top or a low',
    description:
      'With type: rows by day_offset, ascending, and one column per cycle (cycle_1 is the first), each the price over the price of its reference day; limit counts rows, start_date and end_date bound the calendar days shown. Without type: rows by date, newest first, with the index of the running cycle of each kind.',
    history: { computedFromAll: 'the price of the reference day may be older' },
    query: pagedQuery({ type: cycleFamily.optional() }),
    row: rows.cyclePerformance,
    more: rows.otherCycleFields,
    key: ['date', 'day_offset'],
  }),
  cycleBoundaries: endpoint({
    id: 'cycle-boundaries',
    tag: 'Cycles',
    summary: 'Start, end and duration of each cycle',
    description:
      'Newest cycle first. start_date and end_date select the cycles that have days between them; without start_date, limit selects the newest.',
    history: { all: 'the boundaries of cycles are dates that everybody knows' },
    query: orderedQuery({ family: cycleFamily.default('halving') }),
    row: rows.cycleBoundaries,
    more: rows.provisionalCycle,
    orderedBy: 'start_date',
    key: ['cycle', 'family'],
  }),
} as const

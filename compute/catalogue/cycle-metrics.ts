import { count, inDays, logRatio, type Measured, type MetricRow, percent } from './definition.ts'
import type { OriginColumn } from './origin.ts'

const families = {
  halving: { since: 'the last halving', name: 'halving' },
  ath: { since: 'the top of the last cycle', name: 'cycle top' },
  low: { since: 'the low of the last cycle', name: 'cycle low' },
} as const

const rule =
  'A top is the highest close before a fall of closes by 75 % or more, its low the lowest close before the first close above that top. Both are known only in hindsight; an unconfirmed one is not shown.'

const inCycle = (column: OriginColumn<'cycle_performance'>, family: string): Measured => ({
  from: { table: 'cycle_performance', column, key: family },
  kind: 'level',
})

/**
 * Place of each day in its cycle, on a chain whose subsidy halves every `halvingInterval` blocks.
 */
export const cycleMetrics = (halvingInterval: number): readonly MetricRow[] => [
  ...Object.entries(families).flatMap(([family, { since, name }]): MetricRow[] => [
    logRatio(`cycle_perf_${family}`, `Price since the ${name}`, inCycle('performance', family), {
      description: `Price over the price on the day of ${since}.`,
      ...(family !== 'halving' && { variant: rule }),
    }),
    inDays(
      `days_since_${family === 'halving' ? family : `cycle_${family}`}`,
      `Days since the ${name}`,
      inCycle('day_offset', family),
      {
        whole: true,
        description: `Days since ${since}.${family === 'halving' ? ' In the first epoch, days since the first block.' : ''}`,
        ...(family !== 'halving' && { variant: `The rule is that of \`cycle_perf_${family}\`.` }),
      },
    ),
  ]),
  count('halving_epoch', 'Halving epoch', inCycle('cycle', 'halving'), {
    description:
      'Number of the halving epoch. The first epoch began with the first block; the day of a halving belongs to the new epoch.',
  }),
  count('blocks_to_halving', 'Blocks to the halving', `halving_epoch * ${halvingInterval} - block_height`, {
    whole: true,
    description: `Blocks from the last one of the day to the next halving, which comes every ${halvingInterval.toLocaleString('en')} blocks.`,
  }),
  percent(
    'halving_progress_percent',
    'Progress of the halving epoch',
    `100 * (1 - blocks_to_halving / ${halvingInterval})`,
    { description: 'Share of the blocks of the halving epoch that have been mined.' },
  ),
]

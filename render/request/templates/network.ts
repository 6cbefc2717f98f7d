import type { ChartTemplate } from '../template.ts'
import { blue, orange, red } from './colors.ts'
import { belowPrice, formula, gainsAndLosses, level, overPrice, smoothed, zone } from './parts.ts'

export const networkTemplates = {
  block_height: {
    title: 'Block height',
    subtitle: 'Number of the newest block; about 144 blocks a day, more while miners join.',
    metrics: [{ id: 'block_height', label: 'Height' }],
    halvings: true,
  },
  block_interval: {
    title: 'Time between blocks',
    subtitle: 'Mean of a day and of 30 days; below ten minutes, computing power grows faster than the difficulty.',
    metrics: [],
    formulas: [
      formula('block_interval / 60', 'Daily', 'minutes', { opacity: 0.55, lineWidth: 1 }),
      formula('sma(f1, 30)', '30-day mean', 'minutes', { lineWidth: 2 }),
    ],
    range: '1y',
    referenceLines: [level(10, 'Ten minutes')],
  },
  hash_rate: {
    title: 'Hash rate',
    subtitle: 'Computing power of miners, from blocks and difficulty; it falls after halvings and falling prices.',
    metrics: [
      { id: 'hash_rate_7d', label: '7-day mean', opacity: 0.5 },
      { id: 'hash_rate_30d', label: '30-day mean' },
    ],
    scale: 'log',
    overlay: 'price',
    halvings: true,
  },
  hash_ribbons: {
    title: 'Hash ribbons',
    subtitle: '30-day hash rate against 60-day; below zero, miners give up. A return above zero was often a good sign.',
    metrics: [{ id: 'price', label: 'Price', axisId: 'upper' }],
    formulas: [formula('100 * (hash_ribbon - 1)', '30 over 60 days', '%', { axisId: 'lower', ...gainsAndLosses })],
    axes: belowPrice(36, { title: 'Ribbon' }),
    halvings: true,
    range: '4y',
  },
  difficulty: {
    title: 'Mining difficulty',
    subtitle: 'How hard it is to find a block, adjusted every 2,016 blocks; it rises with computing power.',
    metrics: [{ id: 'difficulty', label: 'Difficulty' }],
    scale: 'log',
    overlay: 'price',
    halvings: true,
  },
  difficulty_ribbon: {
    title: 'Difficulty ribbon',
    subtitle: 'Means of the difficulty over 9 to 200 days; when they converge, weak miners leave.',
    metrics: [9, 14, 25, 40, 60, 90, 128, 200].map((days) => ({
      id: `difficulty_sma_${days}`,
      label: `${days} days`,
      lineWidth: 1.1,
    })),
    overlay: 'price',
    range: '4y',
    scale: 'log',
    lastValues: false,
  },
  puell_multiple: {
    title: 'Puell multiple',
    subtitle:
      'Value of a day’s new coins over its yearly mean; above 4, miners earn far more than usual, below 0.5 less.',
    ...overPrice({ puell_multiple: 'Puell multiple' }, { id: 'ratio', side: 'left', scale: 'log', ceiling: 12 }),
    halvings: true,
    referenceAreas: [zone(4, undefined, red, 'Far above the year'), zone(undefined, 0.5, blue, 'Miners under stress')],
  },
  miner_revenue: {
    title: 'Miner revenue: new coins and fees',
    subtitle: 'Weekly sums in dollars; with every halving, fees have to replace more of the new coins.',
    metrics: [
      { id: 'issuance_usd', label: 'New coins', style: 'bar', stacked: true, color: orange },
      { id: 'fees_usd', label: 'Fees', style: 'bar', stacked: true, color: blue },
    ],
    range: '4y',
    interval: 'week',
    halvings: true,
  },
  fees: {
    title: 'Transaction fees',
    subtitle: 'Fees paid to miners each day; high when many people want to send at once.',
    metrics: [{ id: 'fees', label: 'Fees', style: 'bar' }],
    overlay: 'price',
    range: '1y',
  },
  fee_share: {
    title: 'Share of fees in miner revenue',
    subtitle: '30-day mean; the higher it is, the less the chain’s security depends on new coins.',
    ...smoothed('fees_percent', 'Daily', 30, '%'),
    halvings: true,
  },
  hash_price: {
    title: 'Hash price',
    subtitle: 'Dollars per day for one petahash per second; it halves with the subsidy and falls as miners join.',
    metrics: [{ id: 'hash_price', label: 'Hash price' }],
    scale: 'log',
    halvings: true,
  },
  transactions: {
    title: 'Transactions a day',
    subtitle: 'Daily count and its 30-day mean; transactions are not people, since one service can send for many.',
    ...smoothed('tx_count', 'Daily', 30, 'count'),
    overlay: 'price',
  },
  output_types: {
    title: 'Outputs by script type',
    subtitle: 'Share of new outputs, 30-day mean; newer types save fees and reveal less about their owners.',
    metrics: [],
    formulas: [
      formula('sma(segwit_outputs_percent, 30)', 'Segwit 0', '%'),
      formula('sma(taproot_outputs_percent, 30)', 'Taproot', '%'),
      formula('sma(op_return_outputs_percent, 30)', 'Data', '%'),
    ],
    labels: 'direct',
  },
} as const satisfies Record<string, ChartTemplate>

import type { ChartTemplate } from '../template.ts'
import { blue, grey, orange, teal } from './colors.ts'
import {
  belowPrice,
  extremes,
  formula,
  fromThirdYear,
  gainsAndLosses,
  level,
  overPrice,
  smoothed,
  zone,
} from './parts.ts'

export const networkTemplates = {
  block_height: {
    title: 'Block height',
    subtitle: 'Number of the newest block; about 144 blocks a day, more while miners join.',
    metrics: [{ id: 'block_height', label: 'Height' }],
    halvings: true,
  },
  block_interval: {
    title: 'Time between blocks',
    subtitle: 'Means of a week and of 30 days; below ten minutes, computing power grows faster than the difficulty.',
    ...smoothed('(block_interval / 60)', 'minutes'),
    range: '1y',
    reference_lines: [level(10, 'Ten minutes')],
  },
  hash_rate: {
    title: 'Hash rate',
    subtitle: 'Computing power of miners, from blocks and difficulty; it falls after halvings and falling prices.',
    metrics: [
      { id: 'hash_rate_7d', label: '7-day mean', color: teal, line_width: 0.8 },
      { id: 'hash_rate_30d', label: '30-day mean' },
    ],
    scale: 'log',
    overlay: 'price',
    halvings: true,
  },
  hash_ribbons: {
    title: 'Hash ribbons',
    subtitle: '30-day hash rate against 60-day; below zero, miners give up. A return above zero was often a good sign.',
    metrics: [{ id: 'price', label: 'Price', y_axis_id: 'upper' }],
    formulas: [
      formula('100 * (hash_ribbon - 1)', '30 over 60 days', '%', { y_axis_id: 'lower', color: blue }),
      formula('0 * hash_ribbon', 'Equal', '%', { y_axis_id: 'lower', color: grey, show_in_legend: false }),
    ],
    crossings: [{ line: 'f1', crosses: 'f2', up: 'Recovery' }],
    reference_areas: [zone('if(f1 < 0, f1, 0)', 'f2', 'warm', undefined, { y_axis_id: 'lower', fill_opacity: 0.6 })],
    y_axes: belowPrice(48, { title: '30-day over 60-day hash rate' }),
    halvings: true,
    range: '4y',
  },
  difficulty: {
    title: 'Mining difficulty',
    subtitle: 'How hard it is to find a block, adjusted every 2,016 blocks; it rises with computing power.',
    ...overPrice({ difficulty: 'Difficulty' }),
    scale: 'log',
    halvings: true,
  },
  difficulty_ribbon: {
    title: 'Difficulty ribbon',
    subtitle: 'Means of the difficulty over 9 to 200 days; when they converge, weak miners leave.',
    metrics: [9, 14, 25, 40, 60, 90, 128, 200].map((days) => ({
      id: `difficulty_sma_${days}`,
      label: `${days} days`,
      y_axis_id: 'ribbon',
      line_width: 1.3,
    })),
    formulas: [
      formula('100 * (m1 / m8 - 1)', 'Spread', '%', { y_axis_id: 'lower', ...gainsAndLosses, show_in_legend: false }),
    ],
    y_axes: [
      { id: 'ribbon', side: 'right', scale: 'log', title: 'Difficulty', range: [34, 100] },
      { id: 'lower', side: 'right', title: 'Spread of 9 over 200 days', range: [0, 28] },
    ],
    range: '4y',
    labels: 'direct',
    last_values: false,
  },
  puell_multiple: {
    title: 'Puell multiple',
    subtitle:
      'Value of a day’s new coins over its yearly mean; above 4, miners earn far more than usual, below 0.5 less.',
    formulas: [formula('sma(puell_multiple, 7)', 'Puell multiple, 7-day mean', 'ratio', { y_axis_id: 'ratio' })],
    y_axes: [{ id: 'ratio', side: 'left', scale: 'log' }],
    overlay: 'price',
    ...fromThirdYear,
    halvings: true,
    reference_areas: extremes(4, 0.5, 'Far above the year', 'Miners under stress'),
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
    subtitle: 'Fees paid to miners each week; high when many people want to send at once.',
    ...overPrice({ fees: 'Fees' }, { style: 'bar' }),
    range: '4y',
    interval: 'week',
  },
  fee_share: {
    title: 'Share of fees in miner revenue',
    subtitle: 'The higher it is, the less the chain’s security depends on new coins.',
    ...smoothed('fees_percent', '%'),
    halvings: true,
  },
  hash_price: {
    title: 'Hash price',
    subtitle: 'Dollars per day for one petahash per second; it halves with the subsidy and falls as miners join.',
    metrics: [{ id: 'hash_price', label: 'Hash price' }],
    scale: 'log',
    halvings: true,
  },
} satisfies Record<string, ChartTemplate>

import type { ChartTemplate } from '../template.ts'
import { blue, orange } from './colors.ts'
import { formula, fromThirdYear, gainsAndLosses, level, overPrice, shareAxis, smoothed, zone } from './parts.ts'

const breakEven = [level(1, 'Break-even')]

const smoothedSopr = (id: string) =>
  ({
    ...smoothed(id, 'ratio'),
    overlay: 'price',
    range: '4y',
    reference_lines: breakEven,
  }) satisfies Partial<ChartTemplate>

export const profitTemplates = {
  unrealized_pl: {
    title: 'Unrealized profit and loss',
    subtitle: 'What holders would gain if all of them sold at today’s price; below zero they would lose.',
    ...overPrice({ unrealized_pl: 'Unrealized P/L' }, { style: 'area' }),
  },
  relative_unrealized: {
    title: 'Unrealized profit and loss as shares of market cap',
    subtitle:
      'Gains above zero, losses below; losses of more than half the market cap came at the end of bear markets.',
    metrics: [{ id: 'relative_unrealized_profit', label: 'Profit', style: 'area', color: blue, y_axis_id: 'part' }],
    formulas: [
      formula('-relative_unrealized_loss', 'Loss', 'ratio', { style: 'area', color: orange, y_axis_id: 'part' }),
    ],
    y_axes: [{ id: 'part', side: 'left', format: 'percent', domain_min: -1, domain_max: 1 }],
    ...fromThirdYear,
    overlay: 'price',
  },
  realized_pl: {
    title: 'Realized profit and loss',
    subtitle: 'Gains minus losses of the coins that moved each day; peaks mark euphoria, troughs mark panic.',
    ...overPrice({ realized_pl: 'Realized P/L' }, gainsAndLosses),
    range: '1y',
  },
  realized_profit_and_loss: {
    title: 'Realized profit against realized loss',
    subtitle: 'Weekly gains above zero and losses below; equal bars mean that the market is undecided.',
    metrics: [{ id: 'realized_profit', label: 'Profit', style: 'bar', color: blue, stacked: true }],
    formulas: [formula('-realized_loss', 'Loss', 'USD', { style: 'bar', color: orange, stacked: true })],
    overlay: 'price',
    range: '4y',
    interval: 'week',
  },
  realized_pl_by_cohort: {
    title: 'Realized profit and loss by cohort',
    subtitle: 'Weekly gains above zero and losses below, of long-term and short-term holders; sellers at tops are old.',
    metrics: [
      { id: 'lth_realized_profit', label: 'Long-term profit', style: 'bar', color: blue },
      { id: 'sth_realized_profit', label: 'Short-term profit', style: 'bar', color: '#8ebbf0' },
    ],
    formulas: [
      formula('-lth_realized_loss', 'Long-term loss', 'USD', { style: 'bar', color: orange }),
      formula('-sth_realized_loss', 'Short-term loss', 'USD', { style: 'bar', color: '#f0b377' }),
    ],
    stacked: true,
    overlay: 'price',
    range: '4y',
    interval: 'week',
  },
  realized_pl_ratio: {
    title: 'Realized profit over realized loss',
    subtitle: '30-day mean; below 1, losses outweigh gains, as they do late in bear markets.',
    ...overPrice({ realized_pl_ratio_30d: 'Profit over loss' }),
    scale: 'log',
    reference_lines: breakEven,
  },
  sell_side_risk: {
    title: 'Sell-side risk ratio',
    subtitle: 'Realized gains plus losses of a day divided by realized cap; low values come before large moves.',
    ...smoothed('sell_side_risk_ratio', 'ratio', [30, 365]),
    scale: 'log',
    overlay: 'price',
  },
  sopr: {
    title: 'Spent output profit ratio (SOPR)',
    subtitle:
      'Value of spent coins divided by what they cost; above 1 sellers gain. In bear markets 1 acts as a ceiling.',
    ...smoothedSopr('sopr'),
  },
  asopr: {
    title: 'Adjusted spent output profit ratio (aSOPR)',
    subtitle: 'SOPR without coins that moved again within an hour; above 1 sellers gain, below 1 they lose.',
    ...smoothedSopr('asopr'),
  },
  holder_sopr: {
    title: 'SOPR of long-term and short-term holders',
    subtitle: 'Means of 7 days (thin) and of 30; long-term holders gain many times more at tops.',
    formulas: Object.entries({ long: blue, short: orange }).flatMap(([y_axis_id, color]) => [
      formula(`sma(${y_axis_id[0]}th_sopr, 7)`, '7-day mean', 'ratio', {
        y_axis_id,
        color,
        line_width: 0.7,
        show_in_legend: false,
      }),
      formula(`sma(${y_axis_id[0]}th_sopr, 30)`, `${y_axis_id === 'long' ? 'Long' : 'Short'}-term`, 'ratio', {
        y_axis_id,
        color,
        line_width: 2.2,
      }),
    ]),
    y_axes: [
      { id: 'long', side: 'left', scale: 'log', title: 'Long-term', range: [50, 100] },
      { id: 'short', side: 'left', title: 'Short-term', range: [0, 44] },
    ],
    range: '4y',
    reference_lines: ['long', 'short'].map((y_axis_id) => ({ ...level(1, 'Break-even'), y_axis_id })),
  },
  sth_sopr: {
    title: 'SOPR of short-term holders',
    subtitle: '7-day mean; near 1, recent buyers sell at cost. In rises 1 is support, in falls resistance.',
    ...overPrice({ sth_sopr_7d_sma: 'Short-term SOPR' }, { yAxis: { id: 'ratio', side: 'left' } }),
    range: '4y',
    reference_lines: breakEven,
    reference_areas: [
      zone(1.05, undefined, 'overheated', 'Large gains'),
      zone(1, 1.05, 'warm', 'Gains'),
      zone(0.95, 1, 'cool', 'Losses'),
      zone(undefined, 0.95, 'undervalued', 'Large losses'),
    ],
  },
  holder_nupl: {
    title: 'NUPL of long-term and short-term holders',
    subtitle: 'Paper gain of each group as a share of the value of its coins; below zero, the group is at a loss.',
    ...overPrice({ lth_nupl: 'Long-term', sth_nupl: 'Short-term' }, { yAxis: { id: 'nupl', side: 'left' } }),
    ...fromThirdYear,
    reference_lines: [level(0, 'Neither gain nor loss')],
  },
  supply_in_profit: {
    title: 'Supply in profit',
    subtitle: 'Share of coins that cost less than today’s price; above 95 % in euphoria, near 50 % at bottoms.',
    ...overPrice({ supply_in_profit_percent: 'In profit' }, { style: 'area', yAxis: shareAxis('Share of supply') }),
    reference_lines: [level(50, 'Half of the supply')],
  },
  supply_profit_and_loss: {
    title: 'Supply in profit and in loss',
    subtitle: 'Coins that cost less and coins that cost more than today’s price; the lines have met at cycle lows.',
    metrics: [
      { id: 'supply_in_profit', label: 'In profit', style: 'line', color: blue },
      { id: 'supply_in_loss', label: 'In loss', style: 'line', color: orange },
    ],
    overlay: 'price',
    interval: 'week',
  },
  sth_supply_profit_and_loss: {
    title: 'Short-term supply in profit and in loss',
    subtitle: '7-day means of coins held for less than 155 days, by whether they cost less than the price of the day.',
    formulas: Object.entries({ profit: blue, loss: orange }).map(([side, color]) =>
      formula(`sma(sth_supply_in_${side}, 7)`, `In ${side}`, 'BTC', { style: 'area', color }),
    ),
    stacked: true,
    overlay: 'price',
    range: '4y',
  },
  seller_exhaustion: {
    title: 'Seller exhaustion',
    subtitle:
      'Share of supply in profit times 30-day volatility; low when most coins are at a loss and few people still sell.',
    ...overPrice({ seller_exhaustion: 'Seller exhaustion' }),
    scale: 'log',
  },
  spent_in_profit: {
    title: 'Share of coins spent in profit',
    subtitle: 'Share of the spent coins that had gained, 30-day mean; high in rising markets, low in falling ones.',
    formulas: [formula('sma(spent_volume_in_profit_percent, 30)', 'Spent in profit', '%')],
    overlay: 'price',
    range: '4y',
    reference_areas: [zone(undefined, 50, 'undervalued', 'Most spend at a loss')],
  },
} satisfies Record<string, ChartTemplate>

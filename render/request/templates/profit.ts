import type { ChartTemplate } from '../template.ts'
import { blue, orange, red } from './colors.ts'
import { formula, gainsAndLosses, level, overPrice, shareAxis, smoothed, zone } from './parts.ts'

const breakEven = [level(1, 'Break-even')]

const dailySopr = (id: string, label: string) =>
  ({
    ...smoothed(id, label, 7, 'ratio'),
    // Ratios of the first years were many times higher than any later ones.
    axes: [{ id: 'left', side: 'left', ceiling: 2 }],
    overlay: 'price',
    range: '4y',
    referenceLines: breakEven,
  }) as const

export const profitTemplates = {
  unrealized_pl: {
    title: 'Unrealized profit and loss',
    subtitle: 'What holders would gain if all of them sold at today’s price; below zero they would lose.',
    metrics: [{ id: 'unrealized_pl', label: 'Unrealized P/L', style: 'area' }],
    overlay: 'price',
  },
  relative_unrealized: {
    title: 'Unrealized profit and loss as shares of market cap',
    subtitle:
      'Gains above zero, losses below; losses of more than half the market cap came at the end of bear markets.',
    metrics: [{ id: 'relative_unrealized_profit', label: 'Profit', style: 'area', color: blue, axisId: 'part' }],
    formulas: [formula('-relative_unrealized_loss', 'Loss', 'ratio', { style: 'area', color: orange, axisId: 'part' })],
    axes: [{ id: 'part', side: 'left', format: 'percent', domainMinimum: -1, domainMaximum: 1 }],
    overlay: 'price',
  },
  realized_pl: {
    title: 'Realized profit and loss',
    subtitle: 'Gains minus losses of the coins that moved each day; peaks mark euphoria, troughs mark panic.',
    metrics: [{ id: 'realized_pl', label: 'Realized P/L', ...gainsAndLosses }],
    overlay: 'price',
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
  realized_pl_ratio: {
    title: 'Realized profit over realized loss',
    subtitle: '30-day mean; below 1, losses outweigh gains, as they do late in bear markets.',
    metrics: [{ id: 'realized_pl_ratio_30d', label: 'Profit over loss' }],
    scale: 'log',
    overlay: 'price',
    referenceLines: breakEven,
  },
  sell_side_risk: {
    title: 'Sell-side risk ratio',
    subtitle: 'Realized gains plus losses divided by realized cap, 30-day mean; low values come before large moves.',
    ...smoothed('sell_side_risk_ratio', 'Daily', 30, 'ratio'),
    scale: 'log',
    overlay: 'price',
  },
  sopr: {
    title: 'Spent output profit ratio (SOPR)',
    subtitle:
      'Value of spent coins divided by what they cost; above 1 sellers gain. In bear markets 1 acts as a ceiling.',
    ...dailySopr('sopr', 'SOPR'),
  },
  asopr: {
    title: 'Adjusted spent output profit ratio (aSOPR)',
    subtitle: 'SOPR without coins that moved again within an hour; above 1 sellers gain, below 1 they lose.',
    ...dailySopr('asopr', 'aSOPR'),
  },
  holder_sopr: {
    title: 'SOPR of long-term and short-term holders',
    subtitle: '7-day means; long-term holders gain many times more at tops, and recent buyers show the current mood.',
    metrics: [
      { id: 'lth_sopr_7d_sma', label: 'Long-term', color: blue, axisId: 'ratio' },
      { id: 'sth_sopr_7d_sma', label: 'Short-term', color: orange, axisId: 'ratio' },
    ],
    axes: [{ id: 'ratio', side: 'left', scale: 'log', ceiling: 50 }],
    overlay: 'price',
    range: '4y',
    referenceLines: breakEven,
  },
  holder_nupl: {
    title: 'NUPL of long-term and short-term holders',
    subtitle: 'Paper gain of each group as a share of the value of its coins; below zero, the group is at a loss.',
    ...overPrice({ lth_nupl: 'Long-term', sth_nupl: 'Short-term' }, { id: 'nupl', side: 'left', floor: -1 }),
    referenceLines: [level(0, 'Neither gain nor loss')],
  },
  supply_in_profit: {
    title: 'Supply in profit',
    subtitle: 'Share of coins that cost less than today’s price; above 95 % in euphoria, near 50 % at bottoms.',
    metrics: [{ id: 'supply_in_profit_percent', label: 'In profit', style: 'area', axisId: 'share' }],
    axes: [shareAxis('Share of supply')],
    overlay: 'price',
    referenceLines: [level(50, 'Half of the supply')],
  },
  supply_profit_and_loss: {
    title: 'Supply in profit and in loss',
    subtitle: 'Coins that cost less and coins that cost more than today’s price; the lines have met at cycle lows.',
    metrics: [
      { id: 'supply_in_profit', label: 'In profit', style: 'line', color: blue },
      { id: 'supply_in_loss', label: 'In loss', style: 'line', color: orange },
    ],
    overlay: 'price',
  },
  seller_exhaustion: {
    title: 'Seller exhaustion',
    subtitle:
      'Share of supply in profit times 30-day volatility; low when most coins are at a loss and few people still sell.',
    metrics: [{ id: 'seller_exhaustion', label: 'Seller exhaustion' }],
    scale: 'log',
    overlay: 'price',
  },
  spent_in_profit: {
    title: 'Share of coins spent in profit',
    subtitle: 'Share of the spent coins that had gained, 30-day mean; high in rising markets, low in falling ones.',
    metrics: [],
    formulas: [formula('sma(spent_volume_in_profit_percent, 30)', 'Spent in profit', '%')],
    overlay: 'price',
    range: '4y',
    referenceAreas: [zone(undefined, 50, red, 'Most spend at a loss')],
  },
} as const satisfies Record<string, ChartTemplate>

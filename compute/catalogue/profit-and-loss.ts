import type { MetricRow } from './definition.ts'

const realized = { realized_profit: 'profit', realized_loss: 'loss', realized_pl: 'profit less loss' }
const smoothed = {
  sopr: 'SOPR',
  asopr: 'Adjusted SOPR',
  lth_sopr: 'SOPR of long-term holders',
  sth_sopr: 'SOPR of short-term holders',
}

/** Gains and losses of all holders; see the cohort families for those of each cohort. */
export const profitAndLoss: readonly MetricRow[] = [
  {
    id: 'supply_at_cost',
    name: 'Supply at cost',
    unit: 'BTC',
    formula: 'circulating_supply - supply_in_profit - supply_in_loss',
    description:
      'Coins that cost exactly the price of the day; valued by closes, those that last moved today or on a day with the same close.',
  },
  {
    id: 'supply_in_profit_to_loss',
    name: 'Supply in profit to loss',
    unit: 'ratio',
    formula: 'supply_in_profit / supply_in_loss',
    description: 'Supply in profit over supply in loss.',
    scale: 'log',
  },
  {
    id: 'utxos_in_profit',
    name: 'UTXOs in profit',
    unit: 'count',
    from: { table: 'coin_ages', column: 'utxos_in_profit' },
    kind: 'level',
    description: 'Number of unspent outputs that were created at a lower price than that of the day.',
  },
  {
    id: 'utxos_in_loss',
    name: 'UTXOs in loss',
    unit: 'count',
    from: { table: 'coin_ages', column: 'utxos_in_loss' },
    kind: 'level',
    description: 'Number of unspent outputs that were created at a higher price than that of the day.',
  },
  {
    id: 'utxos_in_profit_percent',
    name: 'Share of UTXOs in profit',
    unit: 'percent',
    formula: '100 * utxos_in_profit / utxo_count',
    description: 'UTXOs in profit as a share of all unspent outputs.',
  },
  {
    id: 'spent_volume_in_profit_percent',
    name: 'Share of spent volume in profit',
    unit: 'percent',
    formula: '100 * spent_volume_in_profit / spent_volume',
    description: 'Share of the value spent during the day that was in coins worth more than they had cost.',
  },
  ...Object.entries(smoothed).flatMap(([id, name]) =>
    [7, 30].map(
      (days): MetricRow => ({
        id: `${id}_${days}d_sma`,
        name: `${name}, mean of ${days} days`,
        unit: 'ratio',
        formula: `sma(${id}, ${days})`,
        description: `Mean of the last ${days} days of the spent output profit ratio, which swings from day to day.`,
      }),
    ),
  ),
  {
    id: 'sopr_ratio',
    name: 'SOPR ratio',
    unit: 'ratio',
    formula: 'lth_sopr / sth_sopr',
    description:
      'SOPR of long-term holders over that of short-term holders. High values mean that old hands take far more profit than new ones.',
    source: 'CryptoQuant',
    scale: 'log',
  },
  {
    id: 'rpv_ratio',
    name: 'RPV ratio',
    unit: 'ratio',
    formula: 'realized_profit / realized_cap',
    description: 'Realized profit to value: profit taken during the day as a fraction of the realized cap.',
    source: 'Glassnode, 2020',
    style: 'bar',
  },
  {
    id: 'seller_exhaustion',
    name: 'Seller exhaustion constant',
    unit: 'ratio',
    formula: '(supply_in_profit / circulating_supply) * realized_vol_1m / 100',
    description:
      'Fraction of the supply in profit times the volatility of 30 days. It is low when losses are large and the market is calm.',
    variant: 'The volatility is realized_vol_1m as a fraction.',
    source: 'ARK Invest and David Puell, 2021',
  },
  ...Object.entries(realized).flatMap(([id, words]): MetricRow[] => [
    {
      id: `cumulative_${id}`,
      name: `Cumulative realized ${words}`,
      unit: 'USD',
      formula: `cumsum(${id})`,
      description: `All realized ${words} up to the day.`,
      style: 'area',
    },
    ...[7, 30].map(
      (days): MetricRow => ({
        id: `${id}_${days}d_sum`,
        name: `Realized ${words} within ${days} days`,
        unit: 'USD',
        formula: `sum(${id}, ${days})`,
        description: `Realized ${words} of the last ${days} days together.`,
        style: 'bar',
      }),
    ),
  ]),
  {
    id: 'realized_pl_ratio_30d',
    name: 'Realized profit to loss ratio over 30 days',
    unit: 'ratio',
    formula: 'realized_profit_30d_sum / realized_loss_30d_sum',
    description: 'Realized profit over realized loss of the last 30 days together.',
    scale: 'log',
  },
  {
    id: 'realized_pl_30d_to_market_cap',
    name: 'Realized profit and loss over 30 days to market cap',
    unit: 'ratio',
    formula: 'realized_pl_30d_sum / market_cap',
    description: 'Realized profit minus realized loss of the last 30 days as a fraction of the market cap.',
    style: 'bar',
  },
  {
    id: 'cumulative_realized_pl_to_realized_cap',
    name: 'Cumulative realized profit and loss to realized cap',
    unit: 'ratio',
    formula: 'cumulative_realized_pl / realized_cap',
    description:
      'All realized profit minus all realized loss, divided by the realized cap. The rest of the realized cap is what miners were paid for new coins, the thermo cap.',
  },
]

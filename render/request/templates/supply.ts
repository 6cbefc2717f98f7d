import { ageBands } from '../age-bands.ts'
import type { ChartTemplate } from '../template.ts'
import { blue, orange } from './colors.ts'
import { formula, gainsAndLosses, lines, overPrice, shares, stack } from './parts.ts'

const scriptTypes = {
  p2pk: 'P2PK',
  p2pkh: 'P2PKH',
  multisig: 'Multisig',
  p2sh: 'P2SH',
  p2wpkh: 'P2WPKH',
  p2wsh: 'P2WSH',
  p2tr: 'Taproot',
  other_scripts: 'Other',
}
const sizeBands = {
  under_1m_sats: '< 0.01 BTC',
  '1m_10m_sats': '0.01 – 0.1',
  '10m_100m_sats': '0.1 – 1',
  '1_10_btc': '1 – 10',
  '10_100_btc': '10 – 100',
  '100_1k_btc': '100 – 1,000',
  over_1k_btc: '> 1,000',
}

export const supplyTemplates = {
  holder_supply: {
    title: 'Supply of long-term and short-term holders',
    subtitle:
      'Coins held for more and for less than 155 days; long-term holders buy when prices fall and sell in rises.',
    ...overPrice({ lth_supply: 'Long-term', sth_supply: 'Short-term' }, { style: 'line' }),
  },
  lth_supply: {
    title: 'Supply of long-term holders and the price',
    subtitle:
      'Coins held for more than 155 days; they grow while prices are low and shrink as holders sell into rises.',
    ...overPrice({ lth_supply: 'Long-term supply' }, { style: 'line', line_width: 2 }),
    range: '4y',
  },
  holder_supply_change: {
    title: 'Supply of long-term holders, 30-day change',
    subtitle: 'Above zero, coins grow old; below, they are spent. The deepest troughs are near tops.',
    ...overPrice({ lth_supply_change_30d: 'Change' }, gainsAndLosses),
    range: '4y',
  },
  hodl_waves: {
    title: 'HODL waves: supply by age',
    subtitle:
      'Shares of coins by time since they last moved; young bands swell near tops, when old coins change hands.',
    ...shares('supply_percent', ageBands, 'Share of supply'),
    overlay: 'price',
    labels: 'direct',
  },
  supply_by_age: {
    title: 'Supply by age',
    subtitle: 'Coins by time since they last moved; many of those older than seven years are lost or forgotten.',
    metrics: stack('supply', ageBands),
    labels: 'direct',
  },
  supply_last_active: {
    title: 'Supply that has not moved for years',
    subtitle:
      'Share of coins older than one, two, three and five years; it rises while holders wait and falls when they sell.',
    metrics: lines(
      {
        supply_percent_over_1y: '1 year',
        supply_percent_over_2y: '2 years',
        supply_percent_over_3y: '3 years',
        supply_percent_over_5y: '5 years',
      },
      { style: 'line', y_axis_id: 'share' },
    ),
    y_axes: [{ id: 'share', side: 'left', format: 'percent', domain_min: 0 }],
    labels: 'direct',
  },
  cost_basis_distribution: {
    title: 'Cost basis distribution: supply by price of its last move',
    subtitle:
      'Bright where many coins have the same cost: support while the price is above, resistance while it is below.',
    heatmap: { metric: 'cost_basis_distribution', color_scale: 'viridis' },
    overlay: 'price',
    range: '4y',
  },
  urpd: {
    title: 'URPD: supply by the price of its last move',
    subtitle: 'Coins by what they cost; many at a price below today’s are support, many above it are resistance.',
    histogram: { metric: 'cost_basis_distribution', scale: 'linear', bins: 100 },
  },
  cost_basis_percentiles: {
    title: 'Cost basis percentiles',
    subtitle:
      'Each line is the price that this share of coins cost less than; below the 50 % line, half of them are at a loss.',
    metrics: [
      { id: 'price', line_width: 2.2 },
      ...[95, 75, 50, 25].map((percent) => ({ id: `cost_basis_p${percent}`, label: `${percent} %` })),
    ],
    range: '4y',
    labels: 'direct',
  },
  supply_density: {
    title: 'Supply within 5 and 15 % of the price',
    subtitle:
      'Coins that a small move turns from gain to loss; a lot of supply near the price comes before larger moves.',
    formulas: [15, 5].map((percent) =>
      formula(`sma(realized_supply_density_${percent}, 30)`, `Within ${percent} %`, 'ratio', { y_axis_id: 'part' }),
    ),
    y_axes: [{ id: 'part', side: 'left', format: 'percent', domain_min: 0, title: 'Share of supply, 30-day mean' }],
    overlay: 'price',
    range: '4y',
  },
  circulating_supply: {
    title: 'Circulating supply and its growth',
    subtitle:
      'Coins in circulation, and new coins per year as a share of them; the rate halves about every four years.',
    metrics: [{ id: 'circulating_supply', label: 'Supply', y_axis_id: 'supply', color: orange }],
    formulas: [
      formula('sma(inflation_rate_annualized, 30)', 'Growth a year', 'ratio', { y_axis_id: 'rate', color: blue }),
    ],
    y_axes: [
      { id: 'supply', side: 'left' },
      { id: 'rate', side: 'right', scale: 'log', title: 'Growth a year', format: 'percent' },
    ],
    start_date: '2010-01-01',
    halvings: true,
  },
  utxo_count: {
    title: 'Unspent outputs',
    subtitle: 'Number of unspent outputs; it grows with use and falls when services combine outputs.',
    ...overPrice({ utxo_count: 'Unspent outputs' }, { style: 'line' }),
  },
  supply_by_type: {
    title: 'Supply by script type',
    subtitle: 'Share of coins in outputs of each type: from keys and hashes to SegWit and Taproot.',
    ...shares('supply_percent', scriptTypes, 'Share of supply'),
    labels: 'direct',
  },
  supply_by_size: {
    title: 'Supply by size of output',
    subtitle: 'Share of coins in outputs by value; an owner may have many outputs, and many owners may share one.',
    ...shares('supply_percent', sizeBands, 'Share of supply'),
    overlay: 'price',
    labels: 'direct',
  },
  utxo_count_by_size: {
    title: 'Unspent outputs by size',
    subtitle: 'Number of unspent outputs by value; most hold less than 0.01 BTC.',
    metrics: stack('utxo_count', sizeBands),
    labels: 'direct',
  },
  exposed_supply: {
    title: 'Supply in outputs that show a public key',
    subtitle: 'P2PK, multisig and Taproot; keys that were shown by spending from the same address are not counted.',
    metrics: stack('supply', { p2pk: 'P2PK', multisig: 'Multisig', p2tr: 'Taproot' }),
    labels: 'direct',
  },
  mined_supply: {
    title: 'Mined coins that never moved, by age',
    subtitle: 'Coins still in the outputs of coinbases: most are of the first years, and many of these are lost.',
    metrics: lines(
      {
        supply_mined: 'All',
        supply_mined_over_1y: '1 year',
        supply_mined_over_5y: '5 years',
        supply_mined_over_10y: '10 years',
      },
      { style: 'line' },
    ),
    labels: 'direct',
  },
} satisfies Record<string, ChartTemplate>

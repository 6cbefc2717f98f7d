import type { ChartTemplate } from '../template.ts'
import { grey } from './colors.ts'
import { formula, gainsAndLosses, lines, overPrice, stack } from './parts.ts'

const exchanges = {
  binance: 'Binance',
  bybit: 'Bybit',
  okx: 'OKX',
  bitget: 'Bitget',
  gate: 'Gate',
  hyperliquid: 'Hyperliquid',
  deribit: 'Deribit',
}

/** Largest funds; smaller ones would be one pixel high. */
const funds = Object.fromEntries(['ibit', 'fbtc', 'gbtc', 'btc', 'arkb', 'bitb'].map((id) => [id, id.toUpperCase()]))

const entities = {
  1: 'Strategy',
  2: 'Twenty One',
  3: 'Metaplanet',
  4: 'MARA',
  6: 'Galaxy',
  8: 'SpaceX',
  9: 'Riot',
  10: 'Coinbase',
  12: 'CleanSpark',
  14: 'Tesla',
}

export const marketTemplates = {
  funding_rate: {
    title: 'Funding rate of perpetual futures',
    subtitle:
      'What long positions pay short ones every eight hours; high when longs crowd in, below zero when shorts do.',
    ...overPrice(
      { avg_funding_rate: 'Rate per 8 hours' },
      { ...gainsAndLosses, yAxis: { id: 'rate', side: 'left', format: 'percent' } },
    ),
    range: '1y',
  },
  funding_by_exchange: {
    title: 'Funding rate by exchange, annualized',
    subtitle: 'Means of a week; a row that differs from all others shows traders on one side of the market.',
    formulas: Object.entries(exchanges).map(([exchange, label]) =>
      formula(`100 * funding_annualized_${exchange}`, label, '%', { style: 'heatmap' }),
    ),
    range: '4y',
    interval: 'week',
  },
  open_interest: {
    title: 'Open interest of Bitcoin futures',
    subtitle:
      'Value of all open contracts; a lot of it makes price moves larger, because positions are closed by force.',
    ...overPrice({ total_oi_usd: 'Open interest' }),
  },
  open_interest_by_exchange: {
    title: 'Open interest by exchange',
    subtitle: 'Open contracts by exchange; a sudden step in all bands is a wave of forced closing.',
    metrics: stack('oi_usd', exchanges),
    interval: 'week',
    range: '4y',
    labels: 'direct',
  },
  open_interest_shares: {
    title: 'Shares of exchanges in open interest',
    subtitle: 'How the futures market is divided; shares change slowly, unless an exchange fails or a new one rises.',
    metrics: stack('oi_usd', exchanges),
    interval: 'week',
    stacked: 'percent',
    range: '4y',
    labels: 'direct',
  },
  leverage: {
    title: 'Open interest over market cap',
    subtitle: 'How much of the market is a bet with borrowed money; high values come before waves of forced closing.',
    ...overPrice({ oi_to_market_cap: 'Leverage' }, { yAxis: { id: 'part', side: 'left', format: 'percent' } }),
    interval: 'week',
    range: '4y',
  },
  etf_holdings: {
    title: 'Bitcoin held by exchange-traded funds',
    subtitle: 'Coins that all funds hold for their shareholders; the line rises while money comes in.',
    ...overPrice({ etf_total_btc_holdings: 'Holdings' }),
  },
  etf_holdings_by_fund: {
    title: 'Bitcoin held by fund',
    subtitle: 'Coins of six large funds; funds with low fees have grown at the expense of those with high fees.',
    metrics: stack('etf_btc_holdings', funds),
    labels: 'direct',
  },
  etf_flows: {
    title: 'Flows into and out of exchange-traded funds',
    subtitle: 'Coins that funds bought and sold each day; long runs in one direction have moved the price.',
    ...overPrice({ etf_net_flow_btc: 'Net flow' }, gainsAndLosses),
    range: '1y',
  },
  etf_flows_usd: {
    title: 'Flows of exchange-traded funds in dollars',
    subtitle:
      'Money that came in and left each week, and its sum since the first fund; a flat sum shows waiting buyers.',
    metrics: [
      { id: 'etf_net_flow_usd', label: 'Net flow', y_axis_id: 'flow', ...gainsAndLosses },
      { id: 'etf_cumulative_money_flow', label: 'Sum', y_axis_id: 'sum', style: 'line', color: grey, line_width: 2 },
    ],
    y_axes: [
      { id: 'flow', side: 'left', title: 'Net flow a week (USD)' },
      { id: 'sum', side: 'right', title: 'Sum (USD)' },
    ],
    start_date: '2024-01-11',
    interval: 'week',
  },
  etf_flows_by_fund: {
    title: 'Weekly flows by fund',
    subtitle: 'Inflows above zero, outflows below; when one fund moves against all others, holders switch providers.',
    metrics: stack('etf_net_flow_btc', funds, { style: 'bar' }),
    range: '1y',
    interval: 'week',
  },
  etf_cumulative_flow: {
    title: 'Flows into exchange-traded funds, summed',
    subtitle: 'All coins that came in since the first fund minus those that left; flat while buyers wait.',
    ...overPrice({ etf_cumulative_flow_btc: 'Cumulative flow' }),
  },
  etf_cost_basis: {
    title: 'Price and the cost basis of exchange-traded funds',
    subtitle: 'Average price at which money came into the funds; below it, their holders are at a loss on average.',
    metrics: ['price', ...lines({ etf_realized_price: 'All funds', etf_us_realized_price: 'US funds' })],
    y_axes: [{ id: 'right', side: 'right', scale: 'linear' }],
    start_date: '2024-01-11',
    labels: 'direct',
  },
  treasuries: {
    title: 'Bitcoin held by companies and states',
    subtitle: 'Coins of all entities that report their holdings; a few hold most of them.',
    ...overPrice({ dat_total_btc: 'Holdings' }),
  },
  treasuries_by_entity: {
    title: 'Bitcoin held by company',
    subtitle: 'Ten companies with large holdings; steps are purchases on the day they were reported.',
    metrics: stack('dat_btc_amount', entities),
    labels: 'direct',
  },
  treasuries_by_type: {
    title: 'Bitcoin held by type of entity',
    subtitle: 'Reported coins of listed and private companies, states, funds, protocols and custodians.',
    metrics: lines({
      dat_public_company_btc: 'Listed',
      dat_private_company_btc: 'Private',
      dat_government_btc: 'States',
      dat_fund_btc: 'Funds',
      dat_protocol_btc: 'Protocols',
      dat_custodian_btc: 'Custodians',
    }),
    stacked: true,
    labels: 'direct',
  },
  treasury_purchases: {
    title: 'Purchases of companies and states',
    subtitle: 'What they bought minus what they sold; above zero, they take coins off the market.',
    ...overPrice({ dat_net_change_btc: 'Net change' }, gainsAndLosses),
    interval: 'month',
  },
} satisfies Record<string, ChartTemplate>

import type { ChartTemplate } from '../template.ts'
import { breakdown, formula, gainsAndLosses, level, lines, overPrice } from './parts.ts'

const exchanges = {
  binance: 'Binance',
  bybit: 'Bybit',
  okx: 'OKX',
  bitget: 'Bitget',
  gate: 'Gate',
  hyperliquid: 'Hyperliquid',
  deribit: 'Deribit',
}

/** The largest funds; smaller ones would be one pixel high. */
const funds = Object.fromEntries(
  ['ibit', 'fbtc', 'gbtc', 'btc', 'arkb', 'bitb', 'hodl', 'brrr', 'ezbc', 'btco'].map((id) => [id, id.toUpperCase()]),
)

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
    metrics: [{ id: 'avg_funding_rate', label: 'Rate per 8 hours', ...gainsAndLosses, axisId: 'rate' }],
    axes: [{ id: 'rate', side: 'left', format: 'percent' }],
    overlay: 'price',
    range: '1y',
  },
  funding_by_exchange: {
    title: 'Funding rate by exchange, annualized',
    subtitle: '30-day mean; when one exchange stands apart, its traders are on one side of the market.',
    metrics: [],
    formulas: Object.entries(exchanges).map(([exchange, label]) =>
      formula(`100 * sma(funding_annualized_${exchange}, 30)`, label, '%'),
    ),
    range: '1y',
    interval: 'week',
    labels: 'direct',
    referenceLines: [level(0, 'Nobody pays')],
  },
  open_interest: {
    title: 'Open interest of Bitcoin futures',
    subtitle:
      'Value of all open contracts; a lot of it makes price moves larger, because positions are closed by force.',
    metrics: [{ id: 'total_oi_usd', label: 'Open interest' }],
    overlay: 'price',
  },
  open_interest_by_exchange: {
    title: 'Open interest by exchange',
    subtitle: 'Open contracts by exchange; a sudden step in all bands is a wave of forced closing.',
    metrics: breakdown('oi_usd', exchanges),
    range: '4y',
    labels: 'direct',
  },
  open_interest_shares: {
    title: 'Shares of exchanges in open interest',
    subtitle: 'How the futures market is divided; shares change slowly, unless an exchange fails or a new one rises.',
    metrics: breakdown('oi_usd', exchanges),
    stacked: 'percent',
    range: '4y',
    labels: 'direct',
  },
  leverage: {
    title: 'Open interest over market cap',
    subtitle: 'How much of the market is a bet with borrowed money; high values come before waves of forced closing.',
    ...overPrice({ oi_to_market_cap: 'Leverage' }, { id: 'part', side: 'left', format: 'percent' }),
    range: '4y',
  },
  etf_holdings: {
    title: 'Bitcoin held by exchange-traded funds',
    subtitle: 'Coins that all funds hold for their shareholders; the line rises while money comes in.',
    metrics: [{ id: 'etf_total_btc_holdings', label: 'Holdings' }],
    overlay: 'price',
  },
  etf_holdings_by_fund: {
    title: 'Bitcoin held by fund',
    subtitle: 'Coins of the ten largest funds; funds with low fees have grown at the expense of those with high fees.',
    metrics: breakdown('etf_btc_holdings', funds),
    labels: 'direct',
  },
  etf_flows: {
    title: 'Flows into and out of exchange-traded funds',
    subtitle: 'Coins that funds bought and sold each day; long runs in one direction have moved the price.',
    metrics: [{ id: 'etf_net_flow_btc', label: 'Net flow', ...gainsAndLosses }],
    overlay: 'price',
    range: '1y',
  },
  etf_flows_by_fund: {
    title: 'Weekly flows by fund',
    subtitle: 'Inflows above zero, outflows below; when one fund moves against all others, holders switch providers.',
    metrics: breakdown('etf_net_flow_btc', funds, 'bar'),
    range: '1y',
    interval: 'week',
  },
  etf_cumulative_flow: {
    title: 'Flows into exchange-traded funds, summed',
    subtitle: 'All coins that came in since the first fund minus those that left; flat while buyers wait.',
    metrics: [{ id: 'etf_cumulative_flow_btc', label: 'Cumulative flow' }],
    overlay: 'price',
  },
  etf_cost_basis: {
    title: 'Price and the cost basis of exchange-traded funds',
    subtitle: 'Average price at which money came into the funds; below it, their holders are at a loss on average.',
    metrics: [{ id: 'price' }, ...lines({ etf_realized_price: 'All funds', etf_us_realized_price: 'US funds' })],
    axes: [{ id: 'right', side: 'right', scale: 'linear' }],
    range: '1y',
    since: 'etf_realized_price',
    labels: 'direct',
  },
  treasuries: {
    title: 'Bitcoin held by companies and states',
    subtitle: 'Coins of all entities that report their holdings; a few hold most of them.',
    metrics: [{ id: 'dat_total_btc', label: 'Holdings' }],
    overlay: 'price',
  },
  treasuries_by_entity: {
    title: 'Bitcoin held by company',
    subtitle: 'Ten companies with large holdings; steps are purchases on the day they were reported.',
    metrics: breakdown('dat_btc_amount', entities),
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
    metrics: [{ id: 'dat_net_change_btc', label: 'Net change', ...gainsAndLosses }],
    overlay: 'price',
    interval: 'month',
  },
} as const satisfies Record<string, ChartTemplate>

import type { MetricRow } from './definition.ts'
import { reserveRisk } from './reserve-risk.ts'

const usd = { unit: 'USD', scale: 'log' } as const
const cointime = 'James Check and David Puell (Cointime Economics), 2023'

/** What bitcoin is worth beside its use: transfers, issuance, the age of coins. */
export const networkValuation: readonly MetricRow[] = [
  {
    ...usd,
    id: 'vaulted_price',
    name: 'Vaulted price',
    formula: 'realized_price / vaultedness',
    description: 'Realized price over vaultedness: it rises the more coins are spent.',
    source: cointime,
  },
  {
    ...usd,
    id: 'active_price',
    name: 'Active price',
    formula: 'realized_price / liveliness',
    description: 'Realized price over liveliness: the average cost if only active coins counted.',
    source: cointime,
  },
  {
    ...usd,
    id: 'cointime_price',
    name: 'Cointime price',
    formula: 'cumsum(price * coindays_destroyed) / cumsum(circulating_supply - coindays_destroyed)',
    description: 'All value days destroyed over all coin days that are still stored.',
    variant: 'Coin days are in days; the paper counts coin blocks.',
    source: cointime,
  },
  {
    ...usd,
    id: 'cointime_cap',
    name: 'Cointime cap',
    formula: 'cointime_price * circulating_supply',
    description: 'Cointime price times circulating supply.',
    source: cointime,
  },
  {
    id: 'mayer_multiple',
    name: 'Mayer multiple',
    unit: 'ratio',
    formula: 'price / sma(price, 200)',
    description: 'Price over its mean of 200 days.',
    source: 'Trace Mayer, 2017',
    related: ['price_sma_200'],
  },
  {
    id: 'nvt',
    name: 'NVT ratio',
    unit: 'ratio',
    formula: 'market_cap / transfer_volume_usd',
    description: 'Network value to transactions: market cap over the value moved on the chain that day.',
    variant: 'The transfer volume is that of all spent outputs, change included, so the ratio is lower than elsewhere.',
    source: 'Willy Woo and Chris Burniske, 2017',
  },
  {
    id: 'nvt_signal',
    name: 'NVT signal',
    unit: 'ratio',
    formula: 'market_cap / sma(transfer_volume_usd, 90)',
    description: 'Market cap over the mean value moved per day in the last 90 days.',
    source: 'Dmitry Kalichkin, 2018',
    related: ['nvt'],
  },
  {
    id: 'nvt_golden_cross',
    name: 'NVT golden cross',
    unit: 'ratio',
    formula: '(sma(nvt, 10) - sma(nvt, 30)) / std(nvt, 30)',
    description: 'The 10-day less the 30-day mean of NVT, in standard deviations of 30 days.',
    source: 'CryptoQuant',
  },
  {
    ...usd,
    id: 'nvt_price',
    name: 'NVT price',
    formula: 'median(nvt, 730) * transfer_volume_usd / circulating_supply',
    description: 'The price at which NVT would be at its median of two years.',
    source: 'Willy Woo, 2019',
  },
  {
    id: 'rvt',
    name: 'RVT ratio',
    unit: 'ratio',
    formula: 'realized_cap / transfer_volume_usd',
    description: 'Realized value to transactions: realized cap over the value moved on the chain that day.',
    related: ['nvt'],
  },
  {
    id: 'velocity',
    name: 'Velocity',
    unit: 'ratio',
    formula: 'sum(transfer_volume, 365) / circulating_supply',
    description: 'How often the average coin moved within a year.',
  },
  {
    id: 'puell_multiple',
    name: 'Puell multiple',
    unit: 'ratio',
    formula: 'issuance_usd / sma(issuance_usd, 365)',
    description:
      'Value of the coins issued that day over its mean of a year: how well miners earn compared with what they are used to.',
    source: 'David Puell, 2019',
  },
  {
    id: 'stock_to_flow',
    name: 'Stock-to-flow ratio',
    unit: 'ratio',
    formula: 'circulating_supply / sum(issuance, 365)',
    description:
      'Circulating supply over the coins issued within a year: the years it would take to issue it all again.',
    source: 'PlanB, 2019',
    scale: 'log',
  },
  {
    ...usd,
    id: 'stock_to_flow_price',
    name: 'Stock-to-flow model price',
    formula: 'exp(-1.84) * stock_to_flow ^ 3.36',
    description: 'Price that the stock-to-flow model gives. The model has overestimated the price since 2021.',
    variant: 'The first published fit, of March 2019, with the issuance of 365 days.',
    source: 'PlanB, 2019',
  },
  {
    id: 'stock_to_flow_deflection',
    name: 'Stock-to-flow deflection',
    unit: 'ratio',
    formula: 'price / stock_to_flow_price',
    description: 'Price over the stock-to-flow model price.',
    scale: 'log',
  },
  {
    id: 'rhodl_ratio',
    name: 'RHODL ratio',
    unit: 'ratio',
    formula: 'realized_cap_1d_1w / realized_cap_1y_2y * market_age_days',
    description:
      'Wealth in coins aged a day to a week over wealth in coins aged 1 to 2 years, times the age of the market. It peaks when young money pours in.',
    variant: 'Times the age of the market in days; `rhodl_ratio_raw` is without it.',
    source: 'Philip Swift, 2020',
    scale: 'log',
  },
  {
    id: 'rhodl_ratio_raw',
    name: 'RHODL ratio without market age',
    unit: 'ratio',
    formula: 'realized_cap_1d_1w / realized_cap_1y_2y',
    description: 'Wealth in coins aged a day to a week over wealth in coins aged 1 to 2 years.',
    scale: 'log',
    related: ['rhodl_ratio'],
  },
  {
    id: 'slrv_ratio',
    name: 'SLRV ratio',
    unit: 'ratio',
    formula: 'realized_cap_percent_24h / realized_cap_percent_6m_12m',
    description:
      'Short to long-term realized value: share of wealth that moved within a day over the share last moved 6 to 12 months ago.',
    source: 'David Puell, 2022',
    scale: 'log',
  },
  ...(
    [
      ['short', 30],
      ['long', 150],
    ] as const
  ).map(
    ([speed, days]): MetricRow => ({
      id: `slrv_ribbon_${speed}`,
      name: `SLRV ribbon, ${days} days`,
      unit: 'ratio',
      formula: `sma(slrv_ratio, ${days})`,
      description: `Mean SLRV ratio of ${days} days. The market trends upwards while the 30-day line is above the 150-day line.`,
      source: 'Capriole Investments, 2022',
      scale: 'log',
    }),
  ),
  ...reserveRisk,
]

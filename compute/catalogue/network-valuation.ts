import { priceDimension } from '#contract/metric-kinds.ts'
import { logRatio, logUsd, type MetricRow, ratio } from './definition.ts'
import { reserveRisk } from './reserve-risk.ts'

const cointime = 'James Check and David Puell (Cointime Economics), 2023'

const withChange = 'Volume includes change'
const adjusted = 'Change is taken off by the rule of `adjusted_volume`, which differs from those of vendors.'

export const networkValuation: readonly MetricRow[] = [
  logUsd('vaulted_price', 'Vaulted price', 'realized_price / vaultedness', {
    description: 'Realized price over vaultedness: it rises the more coins are spent.',
    source: cointime,
  }),
  logUsd('active_price', 'Active price', 'realized_price / liveliness', {
    description: 'Realized price over liveliness: the average cost if only active coins counted.',
    source: cointime,
  }),
  logUsd(
    'cointime_price',
    'Cointime price',
    'cumsum(price * coindays_destroyed) / cumsum(circulating_supply - coindays_destroyed)',
    {
      dimension: priceDimension,
      description: 'All value days destroyed over all coin days that are still stored.',
      variant: 'Coin days are in days; the paper counts coin blocks.',
      source: cointime,
    },
  ),
  logUsd('cointime_cap', 'Cointime cap', 'cointime_price * circulating_supply', {
    description: 'Cointime price times circulating supply.',
    source: cointime,
  }),
  ratio('mayer_multiple', 'Mayer multiple', 'price / sma(price, 200)', {
    description: 'Price over its mean of 200 days.',
    source: 'Trace Mayer, 2017',
    related: ['price_sma_200'],
  }),
  ratio('nvt', 'NVT ratio', 'market_cap / transfer_volume_usd', {
    description: 'Network value to transactions: market cap over the value moved on the chain that day.',
    variant: `${withChange}, so the ratio is lower than elsewhere; see \`nvt_adjusted\`.`,
    source: 'Willy Woo and Chris Burniske, 2017',
  }),
  ratio('nvt_adjusted', 'NVT ratio, change-adjusted', 'market_cap / adjusted_volume_usd', {
    endpoint: 'series',
    description: 'Network value to transactions: market cap over the change-adjusted volume of the day.',
    variant: adjusted,
    source: 'Coin Metrics',
    related: ['nvt'],
  }),
  ratio('nvt_signal', 'NVT signal', 'market_cap / sma(transfer_volume_usd, 90)', {
    description: 'Market cap over the mean value moved per day in the last 90 days.',
    variant: `${withChange}; see \`nvt_signal_adjusted\`.`,
    source: 'Dmitry Kalichkin, 2018',
    related: ['nvt'],
  }),
  ratio('nvt_signal_adjusted', 'NVT signal, change-adjusted', 'market_cap / sma(adjusted_volume_usd, 90)', {
    endpoint: 'series',
    description: 'Market cap over the mean change-adjusted volume per day in the last 90 days.',
    variant: adjusted,
    source: 'Dmitry Kalichkin, 2018; on adjusted volume, Coin Metrics',
  }),
  ratio('nvt_golden_cross', 'NVT golden cross', '(sma(nvt, 10) - sma(nvt, 30)) / std(nvt, 30)', {
    description: 'The 10-day mean of NVT minus the 30-day mean, in standard deviations of 30 days.',
    variant: `${withChange}.`,
    source: 'CryptoQuant',
  }),
  logUsd('nvt_price', 'NVT price', 'median(nvt, 730) * transfer_volume_usd / circulating_supply', {
    dimension: priceDimension,
    description: 'The price at which NVT would be at its median of two years.',
    variant: `${withChange}.`,
    source: 'Willy Woo, 2019',
  }),
  ratio('rvt', 'RVT ratio', 'realized_cap / transfer_volume_usd', {
    description: 'Realized value to transactions: realized cap over the value moved on the chain that day.',
    variant: `${withChange}; see \`rvt_adjusted\`.`,
    related: ['nvt'],
  }),
  ratio('rvt_adjusted', 'RVT ratio, change-adjusted', 'realized_cap / adjusted_volume_usd', {
    endpoint: 'series',
    description: 'Realized value to transactions: realized cap over the change-adjusted volume of the day.',
    variant: adjusted,
    source: 'Coin Metrics',
  }),
  ratio('velocity', 'Velocity', 'sum(spent_volume, 365) / circulating_supply', {
    description: 'How often the average coin moved within a year.',
    variant: `Over 365 days, as Coin Metrics has it; \`velocity_glassnode\` is that of the day. ${withChange}; see \`velocity_adjusted\`.`,
  }),
  ratio('velocity_adjusted', 'Velocity, change-adjusted', 'sum(adjusted_volume, 365) / circulating_supply', {
    endpoint: 'series',
    description: 'How often the average coin moved within a year, without change.',
    variant: `Over 365 days. ${adjusted}`,
  }),
  ratio('velocity_glassnode', "Velocity, Glassnode's", 'spent_volume / circulating_supply', {
    description: 'Fraction of the supply that moved during the day.',
    variant: `That of one day. ${withChange}; Glassnode takes change off.`,
    source: 'Glassnode',
    related: ['velocity'],
  }),
  ratio('puell_multiple', 'Puell multiple', 'issuance_usd / sma(issuance_usd, 365)', {
    description:
      'Value of the coins issued that day over its mean of a year: how well miners earn compared with what they are used to.',
    source: 'David Puell, 2019',
  }),
  logRatio('stock_to_flow', 'Stock-to-flow ratio', 'circulating_supply / sum(issuance, 365)', {
    description:
      'Circulating supply over the coins issued within a year: the years it would take to issue it all again.',
    source: 'PlanB, 2019',
  }),
  logRatio(
    'stock_to_flow_checkonchain',
    "Stock-to-flow ratio, CheckOnChain's",
    'circulating_supply / (365 * issuance)',
    {
      description: 'Circulating supply over 365 times the coins issued during the day.',
      variant: 'The issuance of one day, scaled to a year, so that it swings with the number of blocks.',
      source: 'CheckOnChain',
      related: ['stock_to_flow'],
    },
  ),
  logUsd('stock_to_flow_price', 'Stock-to-flow model price', 'exp(-1.84) * stock_to_flow ^ 3.36', {
    dimension: priceDimension,
    description: 'Price that the stock-to-flow model gives. The model has overestimated the price since 2021.',
    variant: 'The first published fit, of March 2019, with the issuance of 365 days.',
    source: 'PlanB, 2019',
  }),
  logRatio('stock_to_flow_deflection', 'Stock-to-flow deflection', 'price / stock_to_flow_price', {
    description: 'Price over the stock-to-flow model price.',
    source: 'Glassnode',
  }),
  logRatio('rhodl_ratio', 'RHODL ratio', 'rhodl_ratio_raw * (market_age_days - 591) / (market_age_days > 591)', {
    description:
      'Wealth in coins younger than a week over wealth in coins aged 1 to 2 years, times the age of the market. It peaks when young money pours in.',
    variant:
      'As Glassnode computes it: with the coins younger than a day, times the days since 16 August 2010. `rhodl_ratio_raw` leaves the age out, `rhodl_ratio_brk` the age and the coins younger than a day.',
    source: 'Philip Swift, 2020',
  }),
  logRatio(
    'rhodl_ratio_raw',
    'RHODL ratio without market age',
    '(realized_cap_24h + realized_cap_1d_1w) / realized_cap_1y_2y',
    {
      description: 'Wealth in coins younger than a week over wealth in coins aged 1 to 2 years.',
      related: ['rhodl_ratio'],
    },
  ),
  logRatio('rhodl_ratio_brk', "RHODL ratio, brk's", 'realized_cap_1d_1w / realized_cap_1y_2y', {
    description: 'Wealth in coins aged a day to a week over wealth in coins aged 1 to 2 years.',
    variant: 'Without the coins younger than a day, and without the age of the market.',
    source: 'brk (bitview)',
    related: ['rhodl_ratio'],
  }),
  logRatio('slrv_ratio', 'SLRV ratio', 'realized_cap_percent_24h / realized_cap_percent_6m_12m', {
    description:
      'Short to long-term realized value: share of wealth that moved within a day over the share last moved 6 to 12 months ago.',
    source: 'David Puell (ARK Invest), 2021',
  }),
  ...(
    [
      ['short', 30],
      ['long', 150],
    ] as const
  ).map(([speed, days]) =>
    logRatio(`slrv_ribbon_${speed}`, `SLRV ribbon, ${days} days`, `sma(slrv_ratio, ${days})`, {
      description: `Mean SLRV ratio of ${days} days. The market trends upwards while the 30-day line is above the 150-day line.`,
      source: 'Capriole Investments, 2022',
    }),
  ),
  ...reserveRisk,
]

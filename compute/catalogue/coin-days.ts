import { ageBands } from '../cohorts/cohorts.ts'
import { cohortWords } from './cohort-words.ts'
import { cointime } from './cointime.ts'
import { btc, count, days, inDays, inUnit, logBtc, logRatio, type MetricRow, ratio, usdFlow } from './definition.ts'

export const coinDays: readonly MetricRow[] = [
  usdFlow('transfer_volume_usd', 'Transfer volume in USD', 'spent_volume * price', {
    description: 'Value of the outputs spent during the day, at the close of the day.',
  }),
  logBtc('transfer_volume_per_tx', 'Transfer volume per transaction', 'spent_volume / tx_count', {
    dimension: 'BTC per transaction',
    description: 'Mean value spent by a transaction, without coinbases.',
  }),
  logBtc('spent_output_mean_value', 'Mean value of a spent output', 'spent_volume / spent_outputs', {
    dimension: 'BTC per output',
    description: 'Value spent during the day per spent output.',
  }),
  logBtc('created_volume', 'Created volume', 'spent_volume + issuance', {
    description:
      'Value of the outputs created during the day, coinbases included: what was spent, and new coins. Cohorts by size, type and origin leave out unspendable outputs (`unspendable_sats` of the table `days`).',
  }),
  logBtc('created_output_mean_value', 'Mean value of a created output', 'created_volume / outputs', {
    dimension: 'BTC per output',
    description: 'Value created during the day per created output.',
  }),
  btc('spent_volume_under_1h', 'Spent volume within the first hour', 'spent_volume - spent_volume_1h', {
    description: 'Value spent during the day within an hour of its creation.',
  }),
  ratio('svab_under_1h', 'Share of spent volume, under an hour old', 'spent_volume_under_1h / spent_volume', {
    description: 'Fraction of the value spent during the day that was less than an hour old.',
    related: ['svab_24h'],
    style: 'area',
  }),
  ratio('svab_1h_24h', 'Share of spent volume, an hour to a day old', 'spent_volume_1h_24h / spent_volume', {
    description: 'Fraction of the value spent during the day that was at least an hour and less than a day old.',
    related: ['svab_24h'],
    style: 'area',
  }),
  count('spent_outputs_under_1h', 'Outputs spent within the first hour', days('spent_outputs_under_1h', 'flow'), {
    description: 'Number of outputs spent during the day within an hour of their creation.',
  }),
  ratio('soab_under_1h', 'Share of spent outputs, under an hour old', 'spent_outputs_under_1h / spent_outputs', {
    description: 'Fraction of the outputs spent during the day that were less than an hour old.',
    related: ['soab_24h'],
    style: 'area',
  }),
  count('spent_outputs_1h_24h', 'Spent outputs, an hour to a day old', 'spent_outputs_24h - spent_outputs_under_1h', {
    whole: true,
    description: 'Number of outputs spent during the day that were at least an hour and less than a day old.',
  }),
  ratio('soab_1h_24h', 'Share of spent outputs, an hour to a day old', 'spent_outputs_1h_24h / spent_outputs', {
    description: 'Fraction of the outputs spent during the day that were at least an hour and less than a day old.',
    related: ['soab_24h'],
    style: 'area',
  }),
  ...[7, 30, 90, 365].map((span) =>
    inUnit('coin-days')(
      `coindays_destroyed_${span}d_sum`,
      `Coin days destroyed within ${span} days`,
      `sum(coindays_destroyed, ${span})`,
      { description: `Coin days destroyed in the last ${span} days.`, style: 'area' },
    ),
  ),
  inUnit('coin-days')(
    'cdd_90d_age_adjusted',
    'Coin days destroyed within 90 days, age-adjusted',
    'coindays_destroyed_90d_sum / market_age_days',
    {
      description:
        'Coin days destroyed within 90 days over the age of the market, since older markets have more to destroy.',
      source: 'Glassnode',
    },
  ),
  inUnit('coin-days')(
    'coinyears_destroyed_age_adjusted',
    'Coin years destroyed, age-adjusted',
    'coindays_destroyed_365d_sum / market_age_days',
    { description: 'Coin years destroyed over the age of the market in days.', source: 'Glassnode' },
  ),
  inDays(
    'supply_adjusted_cyd',
    'Supply-adjusted coin years destroyed',
    'coindays_destroyed_365d_sum / circulating_supply',
    { description: 'Coin days destroyed in the last 365 days per coin in circulation.', source: 'Glassnode' },
  ),
  inDays('supply_adjusted_cdd', 'Supply-adjusted coin days destroyed', 'coindays_destroyed / circulating_supply', {
    description: 'Coin days destroyed per coin in circulation.',
    source: 'Glassnode',
    style: 'bar',
  }),
  ratio('binary_cdd', 'Binary coin days destroyed', 'supply_adjusted_cdd > cummean(supply_adjusted_cdd)', {
    description: '1 on days on which more coin days were destroyed than on average, 0 otherwise.',
    variant: 'Compared with the mean of all days so far; `binary_cdd_365d` takes that of a year.',
    source: 'Hans Hauge, 2019',
    style: 'bar',
  }),
  ratio(
    'binary_cdd_365d',
    'Binary coin days destroyed, against one year',
    'supply_adjusted_cdd > sma(supply_adjusted_cdd, 365)',
    {
      description:
        '1 on days on which more coin days were destroyed than on average in the last 365 days, 0 otherwise.',
      style: 'bar',
    },
  ),
  ...[7, 30].map((span) =>
    ratio(`binary_cdd_${span}d_sma`, `Binary coin days destroyed, mean of ${span} days`, `sma(binary_cdd, ${span})`, {
      description: `Fraction of the last ${span} days on which more coin days were destroyed than on average.`,
    }),
  ),
  inDays('dormancy_90d', 'Dormancy over 90 days', 'coindays_destroyed_90d_sum / sum(spent_volume, 90)', {
    description: 'Average age of the coins spent within 90 days, weighted by value.',
  }),
  ratio('supply_adjusted_dormancy', 'Supply-adjusted dormancy', 'dormancy / circulating_supply', {
    description: 'Dormancy per coin in circulation, in days.',
    source: 'Glassnode',
  }),
  logRatio('dormancy_flow', 'Dormancy flow', 'market_cap / sma(dormancy * price, 365)', {
    description:
      'Market cap over the yearly mean of dormancy in dollars. Low values mean that the price is low compared with how little old coins move.',
    variant: "David Puell's, with dormancy at the price of the day; `dormancy_flow_coins` leaves the price out.",
    source: 'David Puell, 2019',
  }),
  logRatio('dormancy_flow_coins', 'Dormancy flow in coins', 'circulating_supply / sma(dormancy, 365)', {
    description: 'Circulating supply over the yearly mean of dormancy.',
    related: ['dormancy_flow'],
  }),
  inDays('asol', 'ASOL', days('average_spent_age', 'rate'), {
    description:
      'Average spent output lifespan: mean age of the outputs spent during the day, each counted once whatever its value.',
    variant: 'Outputs spent within an hour of their creation are not counted.',
    source: 'Renato Shirakashi',
  }),
  inDays('msol', 'MSOL', days('median_spent_age', 'rate'), {
    description: 'Median spent output lifespan: the age that half of the outputs spent during the day did not exceed.',
    variant:
      'Outputs spent within an hour of their creation are not counted. Read from a histogram whose bins are at most 1/32 wide, so it can be off by 3 %.',
    source: 'Glassnode',
  }),
  inUnit('USD-days')('vdd', 'Value days destroyed', 'coindays_destroyed * price', {
    description: 'Coin days destroyed at the price of the day.',
  }),
  ratio('vdd_multiple', 'Value days destroyed multiple', 'sma(vdd, 30) / sma(vdd, 365)', {
    description:
      'Value days destroyed of the last 30 days compared with the last year. High values mean that old, valuable coins are on the move.',
    source: '@TXMCtrades, 2021',
    variant: 'Without the supply, as Bitcoin Magazine Pro has it; `vdd_multiple_glassnode` multiplies by it.',
  }),
  ratio(
    'vdd_multiple_glassnode',
    "Value days destroyed multiple, Glassnode's",
    'vdd_multiple * circulating_supply / 21000000',
    {
      description: 'Value days destroyed of the last 30 days compared with the last year, less in early years.',
      variant: 'Times the fraction of 21 million coins that was in circulation.',
      source: 'Glassnode',
      related: ['vdd_multiple'],
    },
  ),
  ...ageBands.flatMap((band): MetricRow[] => {
    const { coins } = cohortWords(band)
    return [
      ratio(`svab_${band.id}`, `Share of spent volume, ${coins}`, `spent_volume_${band.id} / spent_volume`, {
        description: `Spent volume age bands: fraction of the value spent during the day that was in ${coins}.`,
        source: 'Glassnode',
        style: 'area',
      }),
      ratio(`soab_${band.id}`, `Share of spent outputs, ${coins}`, `spent_outputs_${band.id} / spent_outputs`, {
        description: `Spent output age bands: fraction of the outputs spent during the day that held ${coins}.`,
        source: 'Glassnode',
        style: 'area',
      }),
    ]
  }),
  ...cointime,
]

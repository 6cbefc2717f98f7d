import { inUnit, logRatio, type MetricRow } from './definition.ts'

const source = 'Hans Hauge, 2019'

/** Typical values of coin days destroyed, subtracted from each day's price. */
const banks = [
  { suffix: '', median: 'median(vocdd, 30)', of: 'of 30 days', words: '' },
  { suffix: '_365d', median: 'median(vocdd, 365)', of: 'of 365 days', words: ', with the median of a year' },
  {
    suffix: '_expanding',
    median: 'cummedian(vocdd) / (shift(vocdd, 29) >= 0)',
    of: 'of all days so far, from the thirtieth on',
    words: ', with the median of all days',
  },
]

export const reserveRisk: readonly MetricRow[] = [
  inUnit('USD-days')(
    'vocdd',
    'Value of coin days destroyed per coin',
    'price * coindays_destroyed / circulating_supply',
    { description: 'Coin days destroyed at the price of the day, per coin in circulation.', source, style: 'bar' },
  ),
  ...banks.flatMap(({ suffix, median, of, words }): MetricRow[] => [
    inUnit('USD-days', 'log')(`hodl_bank${suffix}`, `HODL bank${words}`, `cumsum(price - ${median})`, {
      description:
        'Sum over all days of what holders left on the table by not selling: the price minus the usual value of coin days destroyed.',
      variant: `The usual value is the median ${of}.`,
      source,
    }),
    logRatio(`reserve_risk${suffix}`, `Reserve risk${words}`, `price / hodl_bank${suffix} / (hodl_bank${suffix} > 0)`, {
      description: 'Price over the HODL bank. Low values mean that holders are confident while the price is low.',
      variant: `The HODL bank is made with the median ${of}.`,
      source,
      related: ['vocdd'],
    }),
  ]),
]

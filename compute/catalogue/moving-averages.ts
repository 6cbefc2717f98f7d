import { parseDay } from '#base/days.ts'
import { priceDimension } from '#contract/metric-kinds.ts'
import { count, inUnit, logRatio, logUsd, type MetricRow, percent, ratio, usd } from './definition.ts'

const simpleDays = [7, 14, 20, 21, 30, 50, 100, 111, 128, 140, 200, 350, 365, 471, 730, 1400]
const exponentialDays = [7, 12, 14, 20, 21, 26, 30, 50, 100, 147, 150, 200, 365, 730, 1400]
const goldenFactors = { '1_6': 1.6, '2': 2, '3': 3, '5': 5, '8': 8, '13': 13, '21': 21 }

const known: Readonly<Record<number, string>> = {
  111: ' It is the fast line of the Pi cycle.',
  140: ' Its 20 weeks make one edge of the bull market support band.',
  200: ' The Mayer multiple compares the price with it.',
  471: ' The Pi cycle bottom compares it with the 150-day exponential mean.',
  730: ' It is the lower line of the 2-year moving average multiplier.',
  1400: ' It is the 200-week moving average.',
}

const rainbowBands =
  'fire sale,buy,accumulate,still cheap,HODL,is this a bubble?,FOMO intensifies,sell,maximum bubble'.split(',')
const rainbowEdges = Array.from({ length: rainbowBands.length + 1 }, (_, i) => i + 1)
const rainbow = {
  variant:
    'The fit of 2017, by days since 9 January 2009, that day being 1, is the lower edge of “HODL”. The other edges are a factor of 1.35 apart; those of CoinGlass differ by up to 4 %, those of charts that are fitted again by more.',
  source: 'Trolololo (Bitcoin Forum) and azop (Reddit), 2014',
}

const twoDeviations = '2 * std(price, 20) * sqrt(19 / 20)'

export const movingAverages: readonly MetricRow[] = [
  ...simpleDays.map((days) =>
    logUsd(`price_sma_${days}`, `${days}-day moving average`, `sma(price, ${days})`, {
      description: `Mean of the closes of the last ${days} days.${known[days] ?? ''}`,
    }),
  ),
  ...exponentialDays.map((days) =>
    logUsd(`price_ema_${days}`, `${days}-day exponential moving average`, `ema(price, ${days})`, {
      description: `Mean of the closes in which newer days weigh more, with a smoothing constant of 2/(${days} + 1).`,
    }),
  ),
  logUsd('price_sma_730_x5', '2-year moving average × 5', '5 * price_sma_730', {
    description: 'Upper line of the 2-year moving average multiplier. The price has seldom stayed above it.',
    source: 'Philip Swift, 2018',
  }),
  ...Object.entries(goldenFactors).map(([suffix, factor]) =>
    logUsd(`price_sma_350_x${suffix}`, `350-day moving average × ${factor}`, `${factor} * price_sma_350`, {
      description: `A line of the golden ratio multiplier.${factor === 2 ? ' It is also the slow line of the Pi cycle top.' : ''}`,
      source: 'Philip Swift, 2019',
    }),
  ),
  ratio('pi_cycle_ratio', 'Pi cycle top ratio', 'price_sma_111 / price_sma_350_x2', {
    description:
      'The 111-day mean over twice the 350-day mean. It crossed 1 within days of the tops of 2013, 2017 and April 2021.',
    source: 'Philip Swift, 2019',
  }),
  ratio('pi_cycle_bottom_ratio', 'Pi cycle bottom ratio', 'price_ema_150 / (0.745 * price_sma_471)', {
    description: 'The 150-day exponential mean over 0.745 of the 471-day mean. It fell below 1 near past lows.',
  }),
  ratio('golden_cross_ratio', 'Golden cross ratio', 'price_sma_50 / price_sma_200', {
    description:
      'The 50-day mean over the 200-day mean. Rising above 1 is called a golden cross, falling below it a death cross.',
  }),
  ratio('price_to_sma_1400', 'Price to 200-week moving average', 'price / price_sma_1400', {
    description: 'Price over its mean of 200 weeks.',
  }),
  percent(
    'price_sma_1400_change_30d_percent',
    '200-week moving average, monthly change',
    'percent_change(price_sma_1400, 30)',
    {
      description: 'Growth of the 200-week mean within 30 days, which colours the 200-week moving average heatmap.',
      source: 'Plan B, 2019',
    },
  ),
  ...[7, 14, 30].map((days) =>
    inUnit('index')(`rsi_${days}`, `Relative strength index (${days} days)`, `rsi(price, ${days})`, {
      description: `Share of the gains in all price changes, smoothed over ${days} days, from 0 to 100.`,
      variant: "Wilder's smoothing.",
      source: 'J. Welles Wilder, 1978',
    }),
  ),
  inUnit('index')(
    'stochastic_14',
    'Stochastic oscillator (14 days)',
    '100 * (price - min(low, 14)) / (max(high, 14) - min(low, 14))',
    {
      description: 'Place of the price between the low (0) and the high (100) of the last 14 days.',
      source: 'George Lane, 1950s',
    },
  ),
  usd('macd', 'MACD', 'price_ema_12 - price_ema_26', {
    description:
      'Moving average convergence divergence: the 12-day exponential mean of the price minus the 26-day one.',
    source: 'Gerald Appel, 1970s',
  }),
  usd('macd_signal', 'MACD signal line', 'ema(macd, 9)', {
    description: 'The 9-day exponential mean of the MACD.',
    source: 'Gerald Appel, 1970s',
  }),
  usd('macd_histogram', 'MACD histogram', 'macd - macd_signal', {
    description: 'The MACD minus its signal line.',
    source: 'Thomas Aspray, 1986',
    style: 'bar',
  }),
  ...(
    [
      ['upper', '+', 'above'],
      ['lower', '-', 'below'],
    ] as const
  ).map(([edge, sign, side]) =>
    logUsd(
      `bollinger_${edge}`,
      `Bollinger band, ${edge} edge`,
      sign === '+'
        ? `price_sma_20 + ${twoDeviations}`
        : `(price_sma_20 - ${twoDeviations}) / (price_sma_20 > ${twoDeviations})`,
      {
        description: `Two standard deviations ${side} the mean of 20 days.`,
        variant: `The population deviation (N), as its author computes it.${sign === '-' ? ' Null if it would be below zero.' : ''}`,
        source: 'John Bollinger, 1980s',
      },
    ),
  ),
  ratio('bollinger_width', 'Bollinger band width', `2 * ${twoDeviations} / price_sma_20`, {
    description: 'Distance between the Bollinger bands as a fraction of the mean of 20 days.',
    source: 'John Bollinger',
  }),
  logUsd('power_law_price', 'Power law price', 'exp(5.71 * log(market_age_days) - 38.16)', {
    dimension: priceDimension,
    description: 'Price as a power of the age of bitcoin, fitted to its history.',
    variant: 'The fit to 21 March 2024 that Glassnode publishes; other fits differ in both constants.',
    source: 'Giovanni Santostasi, 2018',
  }),
  logRatio('power_law_ratio', 'Price to power law', 'price / power_law_price', {
    description: 'Price over the power law price.',
  }),
  ...rainbowEdges.map((edge) => {
    const band = rainbowBands[edge - 1]
    return logUsd(
      `rainbow_price_${edge}`,
      band ? `Rainbow, lower edge of “${band}”` : 'Rainbow, upper edge',
      `1.35 ^ ${edge - 5} * 10 ^ (2.66167155005961 * log(market_age_days - 6) - 17.9183761889864)`,
      {
        dimension: priceDimension,
        endpoint: 'series',
        description: `Price at which the ${band ? `band “${band}” of the rainbow chart begins` : 'rainbow chart ends'}.`,
        ...rainbow,
      },
    )
  }),
  count('rainbow_band', 'Rainbow band', rainbowEdges.map((edge) => `(price >= rainbow_price_${edge})`).join(' + '), {
    endpoint: 'series',
    whole: true,
    description: `Band of the rainbow chart in which the close lies, from 1, “${rainbowBands[0]}”, to ${rainbowBands.length}, “${rainbowBands.at(-1)}”. It is 0 below all bands and ${rainbowBands.length + 1} above them.`,
    ...rainbow,
  }),
  logRatio('ahr999', 'AHR999', 'price ^ 2 / (price_geometric_mean_200 * ahr999_growth_price)', {
    endpoint: 'series',
    description:
      'Price over its geometric mean of 200 days, times price over its growth line. Below 0.45 its author sees a time to buy, up to 1.2 one to buy regularly.',
    source: 'ahr999 (Weibo), 2019',
  }),
  logUsd('price_geometric_mean_200', '200-day geometric mean', 'exp(sma(log(price), 200))', {
    dimension: priceDimension,
    endpoint: 'series',
    description: 'Geometric mean of the closes of the last 200 days: the cost of daily purchases in AHR999.',
    variant: 'As CoinGlass has it; purchases for the same sum cost the harmonic mean, as in `dca_price_1y`.',
  }),
  logUsd('ahr999_growth_price', 'AHR999 growth line', '10 ^ (5.84 * log10(market_age_days - 1) - 17.01)', {
    dimension: priceDimension,
    endpoint: 'series',
    description: 'Price as a power of the days since 3 January 2009, fitted to its history by the author of AHR999.',
    variant: 'The fit of 2019; `power_law_price` is a later one.',
    source: 'ahr999 (Weibo), 2019',
  }),
  ...[1, 2, 4].flatMap((years): MetricRow[] => {
    const days = 365 * years
    return [
      logUsd(
        `dca_price_${years}y`,
        `Average price of daily purchases over ${years} ${years === 1 ? 'year' : 'years'}`,
        `${days} / sum(1 / price, ${days})`,
        {
          dimension: priceDimension,
          description: `What a coin cost on average to someone who bought for the same sum on each of the last ${days} days.`,
        },
      ),
      ratio(
        `dca_return_${years}y`,
        `Return of daily purchases over ${years} ${years === 1 ? 'year' : 'years'}`,
        `price / dca_price_${years}y - 1`,
        {
          description: `Gain, as a fraction, of someone who bought for the same sum on each of the last ${days} days.`,
        },
      ),
    ]
  }),
]

/** Returns of a purchase on the first day of a year, and of daily ones since. */
export const purchasesSince = (years: readonly number[]): MetricRow[] =>
  years.flatMap((year): MetricRow[] => {
    const before = parseDay(`${year}-01-01`) - parseDay('2009-01-03')
    return [
      ratio(
        `return_since_${year}`,
        `Return since ${year}`,
        `price / cumsum(if(market_age_days == ${before + 1}, price, 0)) - 1`,
        { description: `Gain of the price since the close of 1 January ${year}, as a fraction.` },
      ),
      logUsd(
        `dca_price_since_${year}`,
        `Average price of daily purchases since ${year}`,
        `(market_age_days - ${before}) / cumsum(if(market_age_days > ${before}, 1 / price, 0))`,
        {
          dimension: priceDimension,
          description: `What a coin cost on average to someone who bought for the same sum on each day from 1 January ${year} on.`,
        },
      ),
      ratio(
        `dca_return_since_${year}`,
        `Return of daily purchases since ${year}`,
        `price / dca_price_since_${year} - 1`,
        {
          description: `Gain, as a fraction, of someone who bought for the same sum on each day from 1 January ${year} on.`,
          related: [`return_since_${year}`],
        },
      ),
    ]
  })

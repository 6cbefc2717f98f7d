import { date, flag, number, numberOrNull, ordinal, orNull, small, text, timestamp } from './column.ts'
import { table } from './table.ts'

const day = date('Day, UTC.')
const exchange = text('Exchange, by its id in `exchanges`.')
const sources = (of: string) => text(`Sources of ${of}, with commas between them.`)

const priceColumns = (of: 'day' | 'hour', { median, noVolume }: { median: string; noVolume: string }) => ({
  open: number('USD', `First price of the ${of}, the median of the ${median}.`),
  high: number('USD', `Highest price of the ${of}, likewise.`),
  low: number('USD', `Lowest price of the ${of}, likewise.`),
  close: number(
    'USD',
    `Last price of the ${of}, the median of the sources; that of the ${of} before if nothing was traded.`,
  ),
  volume: numberOrNull('USD', `Traded during the ${of} on the tracked exchanges; NULL if ${noVolume}.`),
  sources: small('count', `Number of sources of the price; 0 if it is carried over from the ${of} before.`),
  source: text('Their ids, separated by commas, or `carried`.'),
  disagreement: numberOrNull('ratio', 'Highest minus lowest close of these ÷ price; NULL with fewer than two.'),
})

export const prices = table({
  name: 'prices',
  rowFor: 'day',
  holds: 'open, high, low, close, volume; how many sources made the price, which, and how far they differ',
  key: ['date'],
  columns: {
    date: date('Day, UTC; every day from the first price on has a row.'),
    ...priceColumns('day', { median: 'sources that know it', noVolume: 'no source reports it' }),
    asia_close: numberOrNull('USD', 'Price at 08:00 UTC; NULL without hourly prices.'),
    europe_close: numberOrNull('USD', 'Price at 16:00 UTC; NULL without hourly prices.'),
  },
})

export const pricesHourly = table({
  name: 'prices_hourly',
  rowFor: 'hour',
  holds: 'the same by the hour, where hourly prices were fetched or imported',
  key: ['time'],
  columns: {
    time: timestamp('Beginning of the hour, UTC; every hour from the first price on has a row.'),
    ...priceColumns('hour', { median: 'sources', noVolume: 'nothing was traded' }),
  },
})

export const priceOnchain = table({
  name: 'price_onchain',
  rowFor: 'day',
  holds: 'experimental: the price by round payments',
  key: ['date'],
  columns: {
    date: day,
    price: numberOrNull('USD', 'Of the last hour with a block.'),
    low: numberOrNull('USD', 'Lowest of an hour.'),
    high: numberOrNull('USD', 'Highest of an hour.'),
    disagreement: numberOrNull('ratio', 'Median difference of both filters in an hour.'),
    payments_seen: orNull(small('count', 'Outputs of round amounts above chance.')),
    provisional: flag('Later blocks can change it.'),
    method_version: small('count', 'Version of the method.'),
  },
})

export const priceSources = table({
  name: 'price_sources',
  rowFor: 'day and source',
  holds: "what each source said, whether it made the price, and its share of the exchanges' volume",
  key: ['date', 'source'],
  columns: {
    date: day,
    source: text('Source of market data, by its id in docs/market-data.md.'),
    open: number('USD', 'First price of the day.'),
    high: number('USD', 'Highest price of the day.'),
    low: number('USD', 'Lowest price of the day.'),
    close: number('USD', 'Last price of the day.'),
    volume: numberOrNull('USD', 'Traded during the day; NULL if the source does not report it.'),
    volume_share: numberOrNull('ratio', 'Fraction of the volume of all exchanges; NULL for other sources.'),
    counted: flag('True if it was used for the price of the day.'),
  },
})

export const funding = table({
  name: 'funding',
  rowFor: 'day and exchange',
  holds: 'funding rate of perpetual futures, and its weight in the aggregate',
  key: ['date', 'exchange'],
  columns: {
    date: day,
    exchange,
    funding_rate: number('ratio', 'Settled rates of the day as a fraction per eight hours.'),
    annualized: number('ratio', 'The same, simply extrapolated to a year.'),
    oi_weight: numberOrNull(
      'ratio',
      'Weight in the aggregate, a fraction; NULL if no open interest of the exchange is known.',
    ),
    source: sources('the exchange'),
  },
})

export const openInterest = table({
  name: 'open_interest',
  rowFor: 'day and exchange',
  holds: 'open interest of futures at the end of the day, and its change',
  key: ['date', 'exchange'],
  columns: {
    date: day,
    exchange,
    oi_usd: number('USD', 'Open interest at the end of the day, one side of each contract, at the close of the day.'),
    oi_btc: number('BTC', 'The same in bitcoin.'),
    oi_delta_usd: numberOrNull('USD', 'Change over the markets known on both days; NULL if there are none.'),
    oi_delta_btc: numberOrNull('BTC', 'The same in bitcoin.'),
    oi_share: number('ratio', 'Fraction of the open interest of all exchanges of the day.'),
    source: sources('the exchange'),
  },
})

export const etf = table({
  name: 'etf',
  rowFor: 'day and fund',
  holds: 'holdings, flows, assets, cost and premium of exchange-traded funds',
  key: ['date', 'ticker'],
  columns: {
    date: day,
    ticker: text('Fund, by its ticker in `etf_registry`.'),
    btc_holdings: number('BTC', 'Bitcoin held at the end of the day; between two reports as last reported.'),
    estimated: flag('True where holdings are derived from net assets, because no source reports them.'),
    net_flow_btc: numberOrNull('BTC', 'Inflow minus outflow; NULL on the first known day.'),
    net_flow_usd: numberOrNull('USD', 'The same in US dollars.'),
    cumulative_flow_btc: number('BTC', 'All net flows since the first day known.'),
    aum_usd: numberOrNull('USD', 'Assets under management; NULL on days without report and price.'),
    realized_cap: number('USD', 'Cost of the coins: inflows at the close of their day, outflows at the average.'),
    premium: numberOrNull(
      'ratio',
      'Market price of a share divided by its net asset value, minus 1; NULL unless both are known.',
    ),
    source: sources('the fund'),
  },
})

export const treasuries = table({
  name: 'treasuries',
  rowFor: 'day and entity',
  holds: 'bitcoin that companies, states and others hold, and its change',
  key: ['date', 'id'],
  columns: {
    date: day,
    id: ordinal('Entity, by its id in `treasury_registry`.'),
    btc_amount: number('BTC', 'Bitcoin held at the end of the day; between two reports as last reported.'),
    total_current_value_usd: numberOrNull('USD', 'The same at the close of the day; NULL on days without a price.'),
    net_flow_btc: numberOrNull(
      'BTC',
      'Change since the day before; NULL on the first day known, unless its report says it.',
    ),
    cumulative_flow_btc: number('BTC', 'All changes since the first day known.'),
    percentage_of_total_supply: numberOrNull('percent', 'Share in the circulating supply.'),
    market_share_pct: numberOrNull('percent', 'Share in what all tracked entities hold.'),
    source: orNull(text('Page that reports the holding, or else its source; NULL on days without a report.')),
  },
})

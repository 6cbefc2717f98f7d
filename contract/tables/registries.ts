import { date, numberOrNull, ordinal, orNull, text } from './column.ts'
import { table } from './table.ts'

export const exchanges = table({
  name: 'exchanges',
  rowFor: 'exchange',
  holds: 'its name; `funding` and `open_interest` refer to it',
  key: ['exchange'],
  columns: {
    exchange: text('Id, as in `funding` and `open_interest`.'),
    name: text('Name as it is written by the exchange.'),
  },
})

export const pools = table({
  name: 'pools',
  rowFor: 'mining pool of the list',
  holds: 'its name; `blocks` and `pool_days` refer to it',
  key: ['pool'],
  columns: {
    pool: text('Id, as in `blocks` and `pool_days`: the name in small letters.'),
    name: text('Name of the pool.'),
    link: orNull(text('Address of its web site, if known.')),
  },
})

export const etfRegistry = table({
  name: 'etf_registry',
  rowFor: 'fund',
  holds: 'name, issuer, country, launch and fee; `etf` refers to it',
  key: ['ticker'],
  columns: {
    ticker: text('Ticker, unique across markets: outside the United States with the suffix of the listing.'),
    name: text('Name of the fund.'),
    issuer: text('Who issues its shares.'),
    country: text('Country of the listing, ISO 3166-1 alpha-2.'),
    launch_date: orNull(date('First day of trading, if known.')),
    fee_percent: numberOrNull('percent', 'Yearly fee in percent of the assets, if known.'),
    status: text('`active`, or `unconfirmed` if it could not be confirmed that the fund still exists.'),
    feeder_of: orNull(text('Ticker of the fund whose shares it holds instead of coins; totals do not count it.')),
  },
})

export const treasuryRegistry = table({
  name: 'treasury_registry',
  rowFor: 'entity',
  holds: 'name, ticker, type and country; `treasuries` refers to it',
  key: ['id'],
  columns: {
    id: ordinal('Id of the entity, fixed for ever.'),
    name: text('Name of the company, state or other entity.'),
    ticker: orNull(text('Ticker of its shares, if listed.')),
    type: text('`public`, `private`, `government`, `fund`, `protocol` or `custodian`.'),
    country: orNull(text('Country of its seat, ISO 3166-1 alpha-2.')),
    consolidated_in: orNull(ordinal('Id of the entity that reports these coins among its own; totals leave them out.')),
    first_date: orNull(date('First day on which something is known of its holdings.')),
  },
})

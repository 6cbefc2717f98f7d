import { containsAll, splitWords, stem } from './words.ts'

/** A common search for data that Coinstrata does not have. */
interface NotTracked {
  readonly what: string
  readonly why: string
  /** A search matches if it contains all words of one of these. */
  readonly phrases: readonly string[]
  readonly unless?: readonly string[]
  /** The closest metrics; by default those found by the other words of the search. */
  readonly instead?: readonly string[]
}

const owners = 'the chain does not say who owns coins, and Coinstrata does not guess'
const market = 'it is a fact of other markets than those that are read'

/** The first match wins. */
export const notTracked: readonly NotTracked[] = [
  {
    what: 'balances and flows of exchanges',
    why: owners,
    phrases: [
      ...['balance', 'reserve', 'inflow', 'outflow', 'netflow', 'supply', 'deposit', 'withdrawal', 'whale'],
      'net flow',
      ...['hold', 'bitcoin', 'btc', 'coin', 'sit'],
    ].flatMap((word) => ['exchange', 'binance', 'kraken'].map((place) => `${place} ${word}`)),
    unless: [
      ...['etf', 'fund', 'traded', 'trade', 'rate', 'volume', 'price', 'funding', 'open', 'oi', 'interest', 'future'],
      ...[
        'perpetual',
        'perp',
        'leverage',
        'bet',
        'long',
        'short',
        'premium',
        'treasury',
        'company',
        'inc',
        'transaction',
      ],
      ...['batch', 'turnover', 'spot', 'hands', 'dollar', 'contract', 'position', 'gox', 'creditor', 'bankruptcy'],
    ],
  },
  {
    what: 'balances of entities',
    why: `${owners}; addresses and outputs are told by their size`,
    phrases: ['entity', 'accumulation trend'],
    unless: ['address', 'wallet', 'treasury', 'fund', 'government'],
    instead: ['supply_addresses_over_1k_btc', 'supply_over_1k_btc', 'lth_supply'],
  },
  {
    what: 'balances of miners',
    why: `${owners}; mined coins that have not moved are told apart, and what mining companies report stands among the treasuries`,
    phrases: ['balance', 'reserve', 'outflow'].map((word) => `miner ${word}`),
    unless: [
      'coinbase',
      'output',
      'public',
      'company',
      'listed',
      'mara',
      'marathon',
      'riot',
      'hut',
      'hut8',
      'cleanspark',
      'bitfarms',
      'iren',
      'cipher',
    ],
    instead: ['supply_mined', 'spent_volume_mined', 'hash_ribbon'],
  },
  {
    what: 'coins of Satoshi and other persons',
    why: owners,
    phrases: ['transaction satoshi', 'coin satoshi', 'hold satoshi', 'own satoshi', 'satoshi nakamoto', 'patoshi'],
    unless: [
      'supply',
      'era',
      'year',
      'unit',
      'exact',
      'fee',
      'cost',
      'decade',
      'excluding',
      'etf',
      'fund',
      'company',
      'strategy',
      'mining',
      'mined',
      'reward',
      'quantum',
    ],
    instead: ['supply_10y_plus', 'spent_volume_over_5y'],
  },
  {
    what: 'numbers of people',
    why: 'the chain shows addresses, of which one may have many, and one may hold the coins of many',
    phrases: ['many people own', 'many people hold', 'many users have'],
    unless: [
      'coin',
      'month',
      'long',
      'short',
      'sth',
      'lth',
      'address',
      'wallet',
      'billion',
      'money',
      'underwater',
      'cost',
      'whole',
      'over1btc',
    ],
    instead: ['funded_addresses', 'active_addresses'],
  },
  {
    what: 'liquid and illiquid supply',
    why: `it rests on entities; ${owners}`,
    phrases: ['illiquid supply', 'illiquid coin', 'liquid supply', 'highly liquid'],
    unless: ['lth', 'sth', 'moved', 'year'],
    instead: ['vaulted_supply', 'lth_supply', 'supply_over_1y'],
  },
  {
    what: 'stablecoins',
    why: market,
    phrases: ['stablecoin', 'ssr', 'usdt', 'usdc'],
    unless: ['risk', 'price', 'chart', 'tether', 'treasury', 'issuer buy'],
  },
  { what: 'the Lightning network', why: 'its channels do not show on the chain', phrases: ['lightning'] },
  {
    what: 'the mempool',
    why: 'only blocks are read, not transactions that wait',
    phrases: ['mempool', 'unconfirmed', 'fee estimate', 'transactions waiting', 'transactions stuck'],
    unless: ['price', 'rate', 'vbyte', 'vb', 'block'],
    instead: ['fee_rate_mean', 'fee_median'],
  },
  {
    what: 'options and dated futures',
    why: 'perpetual futures are the only derivatives that are read',
    phrases: [
      'options',
      'implied volatility',
      'dvol',
      'max pain',
      'put call',
      'skew',
      'quarterly futures',
      'futures basis',
      'basis trade',
      'cme',
      'contango',
      'backwardation',
      'basis quarterly',
      'basis annualized',
      'annualised basis',
      'basis perpetual',
      'basis spot',
      'futures price spot',
      'dated futures',
      'futures curve',
      'calendar spread',
      'straddle',
      'gamma',
      'implied minus',
    ],
    unless: ['fee', 'perp', 'funding', 'cost'],
    instead: ['realized_vol_1m', 'total_oi_usd'],
  },
  {
    what: 'liquidations and positions',
    why: 'exchanges do not publish all of them',
    phrases: [
      'liquidation',
      'short wiped',
      'long wiped',
      'short rekt',
      'long rekt',
      'long short ratio',
      'taker',
      'estimated leverage ratio',
      'long erased',
      'forced closing',
      'forced selling',
    ],
    unless: ['leverage', 'oi', 'interest', 'vol', 'volatility'],
    instead: ['avg_funding_rate', 'total_oi_usd'],
  },
  {
    what: 'trades and prices of single exchanges',
    why: 'prices are those of one exchange or reference, and of futures only open interest and funding are read',
    phrases: [
      ...[
        'coinbase premium',
        'coinbase gap',
        'kimchi',
        'korea premium',
        'price differ exchange',
        'price gap exchange',
        'price deviation exchange',
      ],
      ...[
        'price exchange high',
        'mark price',
        'perp premium',
        'perp discount',
        'vwap',
        'volume weighted average price',
      ],
      ...['volume exchange', 'volume coinbase', 'volume binance', 'volume bybit', 'volume bitmex', 'volume kraken'],
      ...['futures volume', 'perp volume', 'perps volume', 'volume delta', 'cvd', 'futures trading', 'number trades'],
      ...['trade size', 'trades perps', 'contracts traded', 'coin margined'],
    ],
    unless: ['open', 'oi', 'interest', 'funding', 'fund', 'etf', 'transaction', 'share', 'dominance'],
    instead: ['volume', 'price', 'total_oi_usd', 'funding_spread'],
  },
  {
    what: 'trading and fees of ETFs',
    why: 'only their coins, flows, prices and premiums are read',
    phrases: ['etf volume', 'etf trading', 'etf turnover', 'etf fee', 'etf expense', 'etf bid'],
    unless: ['share', 'transaction', 'block', 'miner'],
    instead: ['etf_net_flow_usd', 'etf_total_aum_usd', 'etf_premium_average'],
  },
  {
    what: 'what companies paid, and prices of their shares',
    why: 'only the coins that they report are read',
    phrases: [
      ...[
        'mnav',
        'bitcoin per share',
        'premium mstr',
        'market value mstr',
        'nav mstr',
        'treasury underwater',
        'treasury red',
      ],
      ...['strategy', 'microstrategy', 'mstr', 'saylor', 'metaplanet', 'company'].flatMap((company) =>
        [
          'purchase price',
          'average price',
          'average cost',
          'cost basis',
          'paid total',
          'pay total',
          'loss',
          'gain',
        ].map((what) => `${company} ${what}`),
      ),
    ],
    unless: ['etf', 'fund', 'holder', 'buyer'],
    instead: ['dat_public_company_btc', 'dat_btc_amount_1', 'dat_total_btc'],
  },
  {
    what: 'stale blocks',
    why: 'only blocks of the best chain are read',
    phrases: ['stale block', 'orphan block', 'orphaned block', 'reorg'],
  },
  {
    what: 'what mining costs',
    why: 'the chain does not show what miners pay',
    phrases: [
      'cost produce',
      'cost production',
      'production cost',
      'cost mine one',
      'miner lose money',
      'miner losing money',
    ],
    unless: ['difficulty', 'yardstick', 'model', 'profitable'],
    instead: ['hash_price', 'miner_revenue_usd', 'bitcoin_yardstick'],
  },
  {
    what: 'other coins and their share of the market',
    why: 'only bitcoin is read',
    phrases: [
      'bitcoin dominance',
      'btc dominance',
      'share whole crypto',
      'share all crypto',
      'altcoin',
      'eth',
      'ethereum',
      'dogecoin',
      'doge',
      'solana',
      'xrp',
      'nft volume',
      'nft price',
      'nft sale',
    ],
    unless: [
      'etf',
      'wrapped',
      'contract',
      'bridged',
      'tokenized',
      'wbtc',
      'defi',
      'locked',
      'moved',
      'junk',
      'data',
      'block',
      'transaction',
      'inscription',
      'ordinal',
    ],
  },
  {
    what: 'forecasts',
    why: 'metrics describe past days and predict nothing',
    phrases: ['forecast', 'predict', 'price target'],
    unless: [
      ...[
        'bottom',
        'top',
        'cvdd',
        'terminal',
        'balanced',
        'delta',
        's2f',
        'scarcity',
        'stock',
        'model',
        'planb',
        'regression',
      ],
      ...['power', 'band', 'halving'],
    ],
  },
  {
    what: 'forecasts',
    why: 'metrics describe past days and predict nothing',
    phrases: ['price', 'bitcoin', 'btc', 'reach', 'hit'].map((word) => `will ${word}`),
    unless: ['halving', 'difficulty', 'adjustment', 'mined', 'many', 'trend', 'power', 'law', 'model', 's2f'],
    instead: ['price'],
  },
  {
    what: 'live values',
    why: 'the newest value is that of the last full day (UTC)',
    phrases: ['live price', 'real time', 'intraday price'],
    unless: ['high', 'low', 'peak', 'record', 'bottom', 'top', 'drawdown'],
    instead: ['price'],
  },
  {
    what: 'prices in other currencies',
    why: 'prices are in US dollars',
    phrases: [
      'euro',
      'eur',
      'gbp',
      'jpy',
      'yen',
      'chf',
      'yuan',
      'rupee',
      'price pound',
      'franc',
      'australian',
      'canadian',
    ],
  },
  {
    what: 'taxes and portfolios',
    why: 'only the chain and markets are read, not your own purchases',
    phrases: ['tax', 'portfolio'],
    instead: ['dca_return_1y', 'price'],
  },
  { what: 'order books', why: market, phrases: ['order book', 'market depth', 'spread bid ask'] },
  {
    what: 'the fear and greed index',
    why: 'it is made of searches and surveys',
    phrases: ['fear greed', 'scared greedy'],
    unless: ['unrealized', 'nupl', 'net', 'gain', 'holder', 'sth', 'lth'],
    instead: ['nupl', 'supply_in_profit_percent', 'realized_vol_1m', 'avg_funding_rate'],
  },
  {
    what: 'searches and social media',
    why: 'only the chain and markets are read',
    phrases: ['google', 'social', 'twitter', 'tweet', 'news'],
  },
  {
    what: 'stocks, gold and the economy',
    why: market,
    phrases: ['gold', 'nasdaq', 's p 500', 'dxy', 'm2', 'money supply', 'cpi', 'stock', 'correlation'],
    unless: [
      ...[
        'flow',
        'issuance',
        'existing',
        'new',
        'supply',
        'scarcity',
        'scarcer',
        'scarce',
        'hard',
        'harder',
        'inflation',
        'listed',
        'company',
        'firm',
        'fund',
      ],
      ...['size', 'big', 'etf'],
    ],
  },
  {
    what: 'countries of miners',
    why: 'blocks do not show where they were found',
    phrases: ['hashrate country', 'hash rate country', 'mining country', 'block mined us', 'block mined china'],
    instead: ['hash_rate_7d'],
  },
  {
    what: 'machines and energy of miners',
    why: 'blocks do not show what found them',
    phrases: ['asic', 'energy', 'electricity', 'carbon'],
    unless: [
      'make',
      'earn',
      'worth',
      'profitable',
      'run',
      'hash',
      'undervalued',
      'overvalued',
      'cheap',
      'expensive',
      'cover',
      'bill',
      'pay',
    ],
    instead: ['hash_rate_7d', 'hash_price'],
  },
  {
    what: 'tokens on the chain',
    why: 'the contents of inscriptions and runestones are not read',
    phrases: ['brc 20'],
    unless: [
      ...[
        'fees',
        'output',
        'return',
        'taproot',
        'utxo',
        'transaction',
        'block',
        'size',
        'bc1p',
        'bigger',
        'data',
        'spam',
      ],
    ],
    instead: ['op_return_outputs', 'taproot_outputs_percent'],
  },
  {
    what: 'nodes',
    why: 'the network of nodes is not crawled',
    phrases: ['node'],
    unless: [
      'disk',
      'size',
      'storage',
      'space',
      'gigabyte',
      'gb',
      'utxo',
      'output',
      'large',
      'drive',
      'download',
      'laptop',
    ],
  },
]

/** Words between those of a phrase. */
const maxBetween = 2

const prepare = () =>
  notTracked.map(({ phrases, unless = [], ...entry }) => ({
    ...entry,
    phrases: phrases.map(splitWords),
    unless: unless.map(stem),
  }))
let prepared: ReturnType<typeof prepare> | undefined

/** True if a search has all words of a phrase, in any order, with few other words between them. */
const isNear = (stems: readonly string[], phrase: readonly string[]): boolean =>
  stems.some((_, start) => containsAll(stems.slice(start, start + phrase.length + maxBetween), phrase))

/**
 * The first entry that the stems of a search match, with the stems of the phrase and the remaining
 * ones.
 */
export function findNotTracked(stems: readonly string[]) {
  prepared ??= prepare()
  for (const { phrases, unless, ...entry } of prepared) {
    const by = phrases.find((one) => isNear(stems, one))
    if (by && !unless.some((word) => stems.includes(word))) {
      return { ...entry, by, rest: stems.filter((word) => !by.includes(word)) }
    }
  }
  return undefined
}

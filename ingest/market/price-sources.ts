import { dayOf } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'

/** What a source of prices counts for where several know the same day or hour. */
export interface PriceRole {
  /** Of all sources that know an instant, only those of the lowest rank make its price. */
  readonly rank: 0 | 1 | 2 | 3
  /** False for sources that know a close alone, which says nothing of open, high and low. */
  readonly bars: boolean
  /** Whose volume it reports: that of an operator's own file, of one exchange, of the whole market, or none. */
  readonly volume: 'own' | 'exchange' | 'market' | 'none'
}

/**
 * Every source of prices, by the name under which it is stored. An operator's own file stands alone where it has a
 * price; then come dollar markets and what is made of them, side by side; a market in Tether only where no dollar is
 * known; last a chart that is rounded to cents.
 */
export const priceSources = {
  import: { rank: 0, bars: true, volume: 'own' },
  simulated: { rank: 0, bars: true, volume: 'own' },
  bitstamp: { rank: 1, bars: true, volume: 'exchange' },
  coinbase: { rank: 1, bars: true, volume: 'exchange' },
  kraken: { rank: 1, bars: true, volume: 'exchange' },
  coindesk: { rank: 1, bars: true, volume: 'market' },
  'coin-metrics': { rank: 1, bars: false, volume: 'none' },
  'mt-gox': { rank: 1, bars: true, volume: 'exchange' },
  'binance-spot': { rank: 2, bars: true, volume: 'exchange' },
  'blockchain-com': { rank: 3, bars: false, volume: 'none' },
} as const satisfies Readonly<Record<string, PriceRole>>

export type PriceSource = keyof typeof priceSources

/**
 * The first day on which bitcoin traded for dollars on an exchange: Mt. Gox, 20 BTC at 0.04951 (bitcoincharts.com). Open
 * price histories begin on the day after it.
 */
export const firstMarket = { day: dayOf('2010-07-17'), source: 'mt-gox', price: 0.04951, volumeBtc: 20 } as const

/**
 * The role of a stored source.
 * Throws `data_folder_mismatch` for one that this version does not know: it would count for nothing, or for too much.
 */
export function roleOf(source: string, dataDir: string): PriceRole {
  const role = Object.entries(priceSources).find(([name]) => name === source)?.[1]
  if (role) return role
  throw new CoinstrataError('data_folder_mismatch', `${dataDir} holds prices of "${source}", an unknown source`, {
    cure: `use the version that stored them, or move the folder "${source}" out of raw/market/prices`,
  })
}

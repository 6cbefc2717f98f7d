import { parseDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'

/** How a source counts if several know the same day or hour. */
export interface PriceRole {
  /** Only sources of the lowest rank make the price. */
  readonly rank: 0 | 1 | 2 | 3
  /** False if only closes are known. */
  readonly bars: boolean
  /** Volume of the operator's file, one exchange, the whole market, or none. */
  readonly volume: 'own' | 'exchange' | 'market' | 'none'
}

/**
 * Price sources by stored name. An operator's file overrides all others; then come dollar markets
 * and their indexes; a Tether market only counts without them; last is a chart rounded to cents.
 */
export const priceSources = {
  import: { rank: 0, bars: true, volume: 'own' },
  simulated: { rank: 0, bars: true, volume: 'own' },
  onchain: { rank: 1, bars: true, volume: 'none' },
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
 * First day that bitcoin traded for dollars on an exchange: Mt. Gox, 20 BTC at 0.04951
 * (bitcoincharts.com). Open price histories begin the day after.
 */
export const firstMarket = { day: parseDay('2010-07-17'), source: 'mt-gox', price: 0.04951, volumeBtc: 20 } as const

/** Fails for a source unknown to this version, which would count too little or too much. */
export function findPriceRole(source: string, dataDir: string): PriceRole {
  const role = Object.entries(priceSources).find(([name]) => name === source)?.[1]
  if (role) return role
  throw new CoinstrataError('data_folder_mismatch', `${dataDir} holds prices of "${source}", an unknown source`, {
    cure: `use the version that stored them, or move the folder "${source}" out of raw/market/prices`,
  })
}

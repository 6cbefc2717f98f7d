import { CoinstrataError } from '#base/errors.ts'
import type { MarketSource } from './source.ts'
import { binance, binanceCoin } from './sources/binance.ts'
import { binanceArchive } from './sources/binance-archive.ts'
import { binanceSpot } from './sources/binance-spot.ts'
import { bitget } from './sources/bitget.ts'
import { bitstamp } from './sources/bitstamp.ts'
import { blockchainCom } from './sources/blockchain-com.ts'
import { bybit } from './sources/bybit.ts'
import { coinMetrics } from './sources/coin-metrics.ts'
import { coinbase } from './sources/coinbase.ts'
import { coindesk } from './sources/coindesk.ts'
import { coingecko } from './sources/coingecko.ts'
import { deribit } from './sources/deribit.ts'
import { fundIssuers } from './sources/fund-issuers.ts'
import { gate } from './sources/gate.ts'
import { hyperliquid } from './sources/hyperliquid.ts'
import { ishares } from './sources/ishares.ts'
import { kraken } from './sources/kraken.ts'
import { okx } from './sources/okx.ts'
import { sosovalue } from './sources/sosovalue.ts'

export const marketSources: readonly MarketSource[] = [
  bitstamp,
  coinbase,
  kraken,
  binanceSpot,
  coinMetrics,
  blockchainCom,
  coindesk,
  binance,
  binanceCoin,
  binanceArchive,
  bybit,
  okx,
  bitget,
  gate,
  deribit,
  hyperliquid,
  ishares,
  ...fundIssuers,
  sosovalue,
  coingecko,
]

/** Default: all. Fails for an unknown id. */
export function findSources(ids: readonly string[] | undefined): readonly MarketSource[] {
  const unknown = ids?.find((id) => !marketSources.some((source) => source.id === id))
  if (unknown === undefined) return marketSources.filter(({ id }) => ids?.includes(id) ?? true)
  throw new CoinstrataError('invalid_argument', `there is no market data source "${unknown}"`, {
    cure: `choose from ${marketSources.map(({ id }) => id).join(', ')}`,
  })
}

/** Sources fetched unless named: with `shared` only those that allow republishing. */
export const defaultSources = (shared: boolean): MarketSource[] =>
  marketSources.filter(({ terms }) => !shared || terms?.republishing !== 'forbidden')

export const listAttributions = (sources: readonly string[]): string[] =>
  marketSources.flatMap(({ id, terms }) => (terms?.attribution && sources.includes(id) ? [terms.attribution] : []))

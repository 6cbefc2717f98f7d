import type { MarketSource } from './source.ts'
import { binance, binanceCoin } from './sources/binance.ts'
import { binanceArchive } from './sources/binance-archive.ts'
import { bitget } from './sources/bitget.ts'
import { bybit } from './sources/bybit.ts'
import { coingecko } from './sources/coingecko.ts'
import { deribit } from './sources/deribit.ts'
import { fundIssuers } from './sources/fund-issuers.ts'
import { gate } from './sources/gate.ts'
import { hyperliquid } from './sources/hyperliquid.ts'
import { ishares } from './sources/ishares.ts'
import { okx } from './sources/okx.ts'
import { sosovalue } from './sources/sosovalue.ts'
import { bitstamp, coinbase, coindesk } from './sources/spot.ts'

/** Every source of market data, in the order in which they are reported. */
export const marketSources: readonly MarketSource[] = [
  coindesk,
  bitstamp,
  coinbase,
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

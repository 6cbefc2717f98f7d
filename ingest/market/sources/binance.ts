import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { fundingSeries, openInterestSeries } from '../futures-series.ts'
import type { Query } from '../http.ts'
import type { Observation } from '../observations.ts'
import type { Series } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { decimal, milliseconds, openInterest, settledFunding } from '../wire.ts'

const exchange = 'binance'
const settlements = z.array(z.object({ fundingTime: milliseconds, fundingRate: decimal }))
const openInterestNow = z.object({ openInterest: decimal, time: milliseconds })
const openInterestDays = z.array(z.object({ sumOpenInterest: decimal, timestamp: milliseconds }))

const linear = [
  { instrument: 'BTCUSDT', startsAt: Date.UTC(2019, 8, 8) },
  { instrument: 'BTCUSDC', startsAt: Date.UTC(2024, 0, 1) },
]

const binanceFunding = (instrument: string, startsAt: number, path: string): Series =>
  fundingSeries(exchange, instrument, {
    startsAt,
    windowMs: 300 * msPerDay,
    limit: 1_000,
    fetch: async (http, from, to) => {
      const query = { symbol: instrument, startTime: from, endTime: to - 1, limit: 1_000 }
      const rows = await http.json(settlements, path, query)
      return rows.map((row) => settledFunding(exchange, instrument, row.fundingTime, row.fundingRate))
    },
  })

const binanceOpenInterest = (
  instrument: string,
  startsAt: number,
  market: Query,
  read: (time: number, amount: number) => Observation<'open_interest'>,
): Series =>
  openInterestSeries(exchange, instrument, {
    startsAt,
    // Binance rejects requests beyond thirty days.
    depthMs: 29 * msPerDay,
    fetch: async (http, from, to) => {
      const query = { ...market, period: '1d', startTime: from, endTime: to - 1, limit: 500 }
      const rows = await http.json(openInterestDays, '/futures/data/openInterestHist', query)
      return rows.map((row) => read(row.timestamp, row.sumOpenInterest))
    },
  })

export const binance: MarketSource = {
  id: 'binance',
  name: 'Binance USD-margined futures',
  baseUrl: 'https://fapi.binance.com',
  requestsPerMinute: 80,
  limitsBy403: true,
  series: linear.flatMap(({ instrument, startsAt }) => [
    binanceFunding(instrument, startsAt, '/fapi/v1/fundingRate'),
    binanceOpenInterest(instrument, startsAt, { symbol: instrument }, (time, amount) =>
      openInterest(exchange, instrument, time, amount, 'btc'),
    ),
  ]),
  snapshots: linear.map(({ instrument }) => async (http) => {
    const row = await http.json(openInterestNow, '/fapi/v1/openInterest', { symbol: instrument })
    return openInterest(exchange, instrument, row.time, row.openInterest, 'btc')
  }),
}

const inverse = 'BTCUSD_PERP'
const inverseStartsAt = Date.UTC(2020, 7, 10)
/** `sumOpenInterestValue` of coin-margined contracts is in BTC, not USD. */
const usdPerContract = 100
const inverseOpenInterest = (time: number, contracts: number) =>
  openInterest(exchange, inverse, time, contracts * usdPerContract, 'usd')

export const binanceCoin: MarketSource = {
  id: 'binance-coin',
  name: 'Binance coin-margined futures',
  baseUrl: 'https://dapi.binance.com',
  requestsPerMinute: 80,
  limitsBy403: true,
  series: [
    binanceFunding(inverse, inverseStartsAt, '/dapi/v1/fundingRate'),
    binanceOpenInterest(inverse, inverseStartsAt, { pair: 'BTCUSD', contractType: 'PERPETUAL' }, inverseOpenInterest),
  ],
  snapshots: [
    async (http) => {
      const row = await http.json(openInterestNow, '/dapi/v1/openInterest', { symbol: inverse })
      return inverseOpenInterest(row.time, row.openInterest)
    },
  ],
}

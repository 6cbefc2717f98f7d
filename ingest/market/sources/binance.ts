import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { fundingSeries, openInterestSeries } from '../futures-series.ts'
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

export const binance: MarketSource = {
  id: 'binance',
  name: 'Binance USD-margined futures',
  baseUrl: 'https://fapi.binance.com',
  requestsPerMinute: 80,
  limitsBy403: true,
  series: linear.flatMap(({ instrument, startsAt }) => [
    fundingSeries(exchange, instrument, {
      startsAt,
      windowMs: 300 * msPerDay,
      limit: 1_000,
      fetch: async (http, from, to) => {
        const query = { symbol: instrument, startTime: from, endTime: to - 1, limit: 1_000 }
        const rows = await http.json(settlements, '/fapi/v1/fundingRate', query)
        return rows.map((row) => settledFunding(exchange, instrument, row.fundingTime, row.fundingRate))
      },
    }),
    openInterestSeries(exchange, instrument, {
      startsAt,
      // Binance keeps thirty days and rejects older requests.
      depthMs: 29 * msPerDay,
      fetch: async (http, from, to) => {
        const query = { symbol: instrument, period: '1d', startTime: from, endTime: to - 1, limit: 500 }
        const rows = await http.json(openInterestDays, '/futures/data/openInterestHist', query)
        return rows.map((row) => openInterest(exchange, instrument, row.timestamp, row.sumOpenInterest, 'btc'))
      },
    }),
  ]),
  snapshots: linear.map(({ instrument }) => async (http) => {
    const row = await http.json(openInterestNow, '/fapi/v1/openInterest', { symbol: instrument })
    return openInterest(exchange, instrument, row.time, row.openInterest, 'btc')
  }),
}

const inverse = { instrument: 'BTCUSD_PERP', startsAt: Date.UTC(2020, 7, 10) }
/** `sumOpenInterestValue` of coin-margined contracts is in BTC, not USD. */
const usdPerContract = 100

export const binanceCoin: MarketSource = {
  id: 'binance-coin',
  name: 'Binance coin-margined futures',
  baseUrl: 'https://dapi.binance.com',
  requestsPerMinute: 80,
  limitsBy403: true,
  series: [
    fundingSeries(exchange, inverse.instrument, {
      startsAt: inverse.startsAt,
      windowMs: 300 * msPerDay,
      limit: 1_000,
      fetch: async (http, from, to) => {
        const query = { symbol: inverse.instrument, startTime: from, endTime: to - 1, limit: 1_000 }
        const rows = await http.json(settlements, '/dapi/v1/fundingRate', query)
        return rows.map((row) => settledFunding(exchange, inverse.instrument, row.fundingTime, row.fundingRate))
      },
    }),
    openInterestSeries(exchange, inverse.instrument, {
      startsAt: inverse.startsAt,
      depthMs: 29 * msPerDay,
      fetch: async (http, from, to) => {
        const contract = { pair: 'BTCUSD', contractType: 'PERPETUAL', period: '1d' }
        const query = { ...contract, startTime: from, endTime: to - 1, limit: 500 }
        const rows = await http.json(openInterestDays, '/futures/data/openInterestHist', query)
        return rows.map((row) => inverseOpenInterest(row.timestamp, row.sumOpenInterest))
      },
    }),
  ],
  snapshots: [
    async (http) => {
      const row = await http.json(openInterestNow, '/dapi/v1/openInterest', { symbol: inverse.instrument })
      return inverseOpenInterest(row.time, row.openInterest)
    },
  ],
}

const inverseOpenInterest = (time: number, contracts: number) =>
  openInterest(exchange, inverse.instrument, time, contracts * usdPerContract, 'usd')

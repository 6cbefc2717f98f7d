import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { fundingSeries, openInterestSeries } from '../futures-series.ts'
import type { MarketSource } from '../source.ts'
import { decimal, milliseconds, openInterest, refusalByCode, settledFunding } from '../wire.ts'

const exchange = 'bybit'

const markets = [
  { category: 'linear', instrument: 'BTCUSDT', unit: 'btc', startsAt: Date.UTC(2020, 2, 25) },
  { category: 'linear', instrument: 'BTCPERP', unit: 'btc', startsAt: Date.UTC(2022, 7, 1) },
  { category: 'inverse', instrument: 'BTCUSD', unit: 'usd', startsAt: Date.UTC(2018, 10, 14) },
] as const

const sides = z.object({ openInterest: decimal, singleOpenInterest: z.union([z.literal(''), decimal]).optional() })
const settlements = z.object({
  result: z.object({ list: z.array(z.object({ fundingRate: decimal, fundingRateTimestamp: milliseconds })) }),
})
const openInterestDays = z.object({
  result: z.object({ list: z.array(sides.extend({ timestamp: milliseconds })) }),
})
const tickers = z.object({ time: milliseconds, result: z.object({ list: z.tuple([sides]) }) })
const verdict = z
  .object({ retCode: z.number(), retMsg: z.string() })
  .transform(({ retCode, retMsg }) => ({ code: retCode, message: retMsg }))

/** `openInterest` counts both sides since November 2023; `singleOpenInterest` since June 2026. */
const oneSided = (row: z.infer<typeof sides>): number => row.singleOpenInterest || row.openInterest / 2

export const bybit: MarketSource = {
  id: 'bybit',
  name: 'Bybit',
  baseUrl: 'https://api.bybit.com',
  requestsPerMinute: 300,
  limitsBy403: true,
  // 10000 server timeout, 10006 too many visits, 10016 internal error.
  refusal: refusalByCode(verdict, 0, [10_000, 10_006, 10_016]),
  series: markets.flatMap(({ category, instrument, unit, startsAt }) => [
    fundingSeries(exchange, instrument, {
      startsAt,
      windowMs: 60 * msPerDay,
      limit: 200,
      fetch: async (http, from, to) => {
        // Bybit rejects a start without an end.
        const query = { category, symbol: instrument, startTime: from, endTime: to - 1, limit: 200 }
        const { result } = await http.json(settlements, '/v5/market/funding/history', query)
        return result.list.map((row) => settledFunding(exchange, instrument, row.fundingRateTimestamp, row.fundingRate))
      },
    }),
    openInterestSeries(exchange, instrument, {
      startsAt,
      windowMs: 180 * msPerDay,
      limit: 200,
      fetch: async (http, from, to) => {
        const stretch = { startTime: from, endTime: to - 1, limit: 200 }
        const query = { category, symbol: instrument, intervalTime: '1d', ...stretch }
        const { result } = await http.json(openInterestDays, '/v5/market/open-interest', query)
        return result.list.map((row) => openInterest(exchange, instrument, row.timestamp, oneSided(row), unit))
      },
    }),
  ]),
  snapshots: markets.map(({ category, instrument, unit }) => async (http) => {
    const { time, result } = await http.json(tickers, '/v5/market/tickers', { category, symbol: instrument })
    return openInterest(exchange, instrument, time, oneSided(result.list[0]), unit)
  }),
}

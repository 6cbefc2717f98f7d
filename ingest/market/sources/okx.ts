import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { fundingSeries, openInterestSeries } from '../futures-series.ts'
import type { HttpClient } from '../http.ts'
import type { Observation } from '../observations.ts'
import type { MarketSource } from '../source.ts'
import { codeAndMessage, decimal, milliseconds, openInterest, refusalByCode, settledFunding } from '../wire.ts'

const exchange = 'okx'

/** OKX reports contracts, BTC and USD; each market uses its contracts' unit. */
const markets = [
  { instrument: 'BTC-USDT-SWAP', unit: 'btc', startsAt: Date.UTC(2019, 10, 1) },
  { instrument: 'BTC-USD-SWAP', unit: 'usd', startsAt: Date.UTC(2018, 11, 1) },
] as const

const firstOpenInterest = Date.UTC(2024, 0, 1)

const settlements = z.object({
  data: z.array(
    z.object({ fundingTime: milliseconds, fundingRate: decimal, realizedRate: z.union([z.literal(''), decimal]) }),
  ),
})
/** Opening instant of the bar, contracts, BTC, USD. */
const bars = z.object({ data: z.array(z.tuple([milliseconds, decimal, decimal, decimal]).rest(z.unknown())) })
const openInterestNow = z.object({
  data: z.tuple([z.object({ oiCcy: decimal, oiUsd: decimal, ts: milliseconds })]),
})

export const okx: MarketSource = {
  id: 'okx',
  name: 'OKX',
  baseUrl: 'https://www.okx.com',
  requestsPerMinute: 120,
  // 50001 unavailable, 50004 timeout, 50011 too many requests, 50013 busy, 50026 system error.
  refusal: refusalByCode(codeAndMessage, '0', ['50001', '50004', '50011', '50013', '50026']),
  series: markets.flatMap(({ instrument, unit, startsAt }) => [
    fundingSeries(exchange, instrument, {
      startsAt,
      depthMs: 92 * msPerDay,
      windowMs: 30 * msPerDay,
      fetch: (http, from, to) => walkSettlements(http, instrument, from, to),
    }),
    openInterestSeries(exchange, instrument, {
      startsAt: firstOpenInterest,
      // OKX keeps 1,440 entries per period.
      depthMs: 1_440 * msPerDay,
      windowMs: 90 * msPerDay,
      limit: 100,
      fetch: async (http, from, to) => {
        // `1D` would be in UTC+8. Bars are dated by start and known at their end; both bounds are
        // exclusive.
        const stretch = { begin: from - msPerDay - 1, end: to - msPerDay, limit: 100 }
        const query = { instId: instrument, period: '1Dutc', ...stretch }
        const { data } = await http.json(bars, '/api/v5/rubik/stat/contracts/open-interest-history', query)
        return data.map(([opening, , btc, usd]) =>
          openInterest(exchange, instrument, opening + msPerDay, unit === 'btc' ? btc : usd, unit),
        )
      },
    }),
  ]),
  snapshots: markets.map(({ instrument, unit }) => async (http) => {
    const query = { instType: 'SWAP', instId: instrument }
    const { data } = await http.json(openInterestNow, '/api/v5/public/open-interest', query)
    const { oiCcy, oiUsd, ts } = data[0]
    return openInterest(exchange, instrument, ts, unit === 'btc' ? oiCcy : oiUsd, unit)
  }),
}

/** Pages of a hundred, newest first; `after` requests older rows. */
async function walkSettlements(
  http: HttpClient,
  instrument: string,
  from: number,
  to: number,
): Promise<Observation<'funding'>[]> {
  const rows: Observation<'funding'>[] = []
  for (let after = to; ; ) {
    const query = { instId: instrument, after, limit: 100 }
    const { data } = await http.json(settlements, '/api/v5/public/funding-rate-history', query)
    for (const { fundingTime, fundingRate, realizedRate } of data)
      rows.push(settledFunding(exchange, instrument, fundingTime, realizedRate === '' ? fundingRate : realizedRate))
    const oldest = Math.min(...data.map((row) => row.fundingTime))
    if (oldest <= from || oldest >= after || data.length === 0) return rows
    after = oldest
  }
}

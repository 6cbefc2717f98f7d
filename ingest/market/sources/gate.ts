import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { fundingSeries, openInterestSeries } from '../futures-series.ts'
import type { MarketSource } from '../source.ts'
import { decimal, openInterest, seconds, settledFunding } from '../wire.ts'

const exchange = 'gate'

/** Value per contract: 0.0001 BTC (linear), 1 USD (inverse). */
const markets = [
  { settle: 'usdt', instrument: 'BTC_USDT', contract: 0.0001, unit: 'btc', startsAt: Date.UTC(2019, 10, 1) },
  { settle: 'btc', instrument: 'BTC_USD', contract: 1, unit: 'usd', startsAt: Date.UTC(2018, 11, 1) },
] as const

const settlements = z.array(z.object({ t: seconds, r: decimal }))
/** `open_interest_usd` is inconsistent in Gate's own samples, unlike the number of contracts. */
const statistics = z.array(z.object({ time: seconds, open_interest: decimal }))
const tickers = z.tuple([z.object({ total_size: decimal })])

export const gate: MarketSource = {
  id: 'gate',
  name: 'Gate',
  baseUrl: 'https://api.gateio.ws',
  requestsPerMinute: 300,
  series: markets.flatMap(({ settle, instrument, contract, unit, startsAt }) => [
    fundingSeries(exchange, instrument, {
      startsAt,
      windowMs: 300 * msPerDay,
      limit: 1_000,
      fetch: async (http, from, to) => {
        const query = {
          contract: instrument,
          from: Math.floor(from / 1_000),
          to: Math.floor((to - 1) / 1_000),
          limit: 1_000,
        }
        const rows = await http.json(settlements, `/api/v4/futures/${settle}/funding_rate`, query)
        return rows.map((row) => settledFunding(exchange, instrument, row.t, row.r))
      },
    }),
    openInterestSeries(exchange, instrument, {
      startsAt,
      windowMs: 90 * msPerDay,
      fetch: async (http, from) => {
        // Days are dated by start and known at their end.
        const opening = Math.floor(from / msPerDay - 1) * msPerDay
        const query = { contract: instrument, interval: '1d', from: opening / 1_000, limit: 100 }
        const rows = await http.json(statistics, `/api/v4/futures/${settle}/contract_stats`, query)
        return rows.map((row) =>
          openInterest(exchange, instrument, row.time + msPerDay, row.open_interest * contract, unit),
        )
      },
    }),
  ]),
  snapshots: markets.map(({ settle, instrument, contract, unit }) => async (http, now) => {
    const query = { contract: instrument }
    const [row] = await http.json(tickers, `/api/v4/futures/${settle}/tickers`, query)
    return openInterest(exchange, instrument, now, row.total_size * contract, unit)
  }),
}

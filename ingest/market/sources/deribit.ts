import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { fundingSeries } from '../futures-series.ts'
import type { MarketSource } from '../source.ts'
import { decimal, hourMs, milliseconds, openInterest, settledFunding } from '../wire.ts'

const exchange = 'deribit'

const markets = [
  { instrument: 'BTC-PERPETUAL', unit: 'usd', startsAt: Date.UTC(2018, 7, 14) },
  { instrument: 'BTC_USDC-PERPETUAL', unit: 'btc', startsAt: Date.UTC(2022, 3, 1) },
] as const

/** `interest_8h` covers eight hours: hourly sums would count each eight times. */
const settlements = z.object({ result: z.array(z.object({ timestamp: milliseconds, interest_1h: decimal })) })
const summary = z.object({
  result: z.tuple([z.object({ open_interest: decimal, creation_timestamp: milliseconds })]),
})

/** No history of open interest: it grows from snapshots. */
export const deribit: MarketSource = {
  id: 'deribit',
  name: 'Deribit',
  baseUrl: 'https://www.deribit.com',
  requestsPerMinute: 120,
  series: markets.map(({ instrument, startsAt }) =>
    fundingSeries(exchange, instrument, {
      startsAt,
      intervalMs: hourMs,
      // Deribit rejects more than 744 hours.
      windowMs: 30 * msPerDay,
      fetch: async (http, from, to) => {
        const query = { instrument_name: instrument, start_timestamp: from, end_timestamp: to - 1 }
        const { result } = await http.json(settlements, '/api/v2/public/get_funding_rate_history', query)
        return result.map((row) => settledFunding(exchange, instrument, row.timestamp, row.interest_1h, 1))
      },
    }),
  ),
  snapshots: markets.map(({ instrument, unit }) => async (http) => {
    const query = { instrument_name: instrument }
    const { result } = await http.json(summary, '/api/v2/public/get_book_summary_by_instrument', query)
    return openInterest(exchange, instrument, result[0].creation_timestamp, result[0].open_interest, unit)
  }),
}

import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { fundingSeries } from '../futures-series.ts'
import { undocumented } from '../http.ts'
import type { MarketSource } from '../source.ts'
import { decimal, hourMs, milliseconds, openInterest, settledFunding } from '../wire.ts'

const exchange = 'hyperliquid'
const instrument = 'BTC'

const settlements = z.array(z.object({ time: milliseconds, fundingRate: decimal }))
/** Names, then states of all markets, in equal order. */
const markets = z.tuple([
  z.object({ universe: z.array(z.object({ name: z.string() })) }),
  z.array(z.object({ openInterest: decimal })),
])

/**
 * No history of open interest: it grows from snapshots. Third parties disagree whether it counts
 * one side or both; most say one, as here.
 */
export const hyperliquid: MarketSource = {
  id: 'hyperliquid',
  name: 'Hyperliquid',
  baseUrl: 'https://api.hyperliquid.xyz',
  requestsPerMinute: 60,
  series: [
    fundingSeries(exchange, instrument, {
      startsAt: Date.UTC(2023, 4, 12),
      // Settled every eight hours until 8 June 2023, hourly since; a row's hours follow from its
      // neighbours.
      intervalMs: (after) => (after < Date.UTC(2023, 5, 9) ? 8 * hourMs : hourMs),
      windowMs: 20 * msPerDay,
      limit: 500,
      fetch: async (http, from, to) => {
        const body = { type: 'fundingHistory', coin: instrument, startTime: from, endTime: to - 1 }
        const rows = await http.json(settlements, '/info', {}, body)
        return rows.map((row) => settledFunding(exchange, instrument, row.time, row.fundingRate))
      },
    }),
  ],
  snapshots: [
    async (http, now) => {
      const [{ universe }, states] = await http.json(markets, '/info', {}, { type: 'metaAndAssetCtxs' })
      const state = states[universe.findIndex(({ name }) => name === instrument)]
      if (!state) throw undocumented(`hyperliquid lists no market ${instrument}`)
      return openInterest(exchange, instrument, now, state.openInterest, 'btc')
    },
  ],
}

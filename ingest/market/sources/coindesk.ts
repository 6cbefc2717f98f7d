import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { isConsistent, toDailyBar } from '../bars.ts'
import { tables } from '../observations.ts'
import { createSeries } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { decimal, seconds } from '../wire.ts'

const days = z.object({
  Data: z.array(
    z.object({
      TIMESTAMP: seconds,
      OPEN: decimal,
      HIGH: decimal,
      LOW: decimal,
      CLOSE: decimal,
      VOLUME: decimal,
      QUOTE_VOLUME: decimal,
    }),
  ),
})

/** CADLI index: true bars from the beginning, with its exchanges' volume. */
export const coindesk: MarketSource = {
  id: 'coindesk',
  name: 'CoinDesk Data (CADLI index)',
  baseUrl: 'https://data-api.coindesk.com',
  requestsPerMinute: 60,
  key: {
    header: 'x-api-key',
    obtain: 'the key of a subscription to CoinDesk Data, which has had no free tier since 2026-05-21',
  },
  series: [
    createSeries({
      table: tables.prices,
      identity: {},
      startsAt: Date.UTC(2010, 6, 17),
      intervalMs: msPerDay,
      windowMs: 1_900 * msPerDay,
      fetch: async (http, from, to) => {
        const index = { market: 'cadli', instrument: 'BTC-USD', aggregate: 1, fill: 'false' }
        const form = { apply_mapping: 'true', response_format: 'JSON' }
        const query = { ...index, ...form, limit: (to - from) / msPerDay, to_ts: to / 1_000 - 1 }
        const { Data } = await http.json(days, '/index/cc/v1/historical/days', query)
        const bars = Data.map((row) => {
          const { TIMESTAMP: time, OPEN: open, HIGH: high, LOW: low, CLOSE: close } = row
          return { time, open, high, low, close, volume_btc: row.VOLUME, volume_usd: row.QUOTE_VOLUME }
        })
        return bars.filter(isConsistent).map(toDailyBar)
      },
    }),
  ],
}

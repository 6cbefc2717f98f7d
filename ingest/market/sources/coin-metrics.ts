import { z } from 'zod'
import { dayAt, isoDate, msPerDay, parseDay } from '#base/days.ts'
import { closeOnlyBar, toDailyBar } from '../bars.ts'
import { tables } from '../observations.ts'
import { createSeries } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { decimal } from '../wire.ts'

const metrics = z.object({
  data: z.array(z.object({ time: z.string().regex(/^\d{4}-\d\d-\d\dT00:00:00/), PriceUSD: decimal.nullish() })),
})

/** Daily closes (24:00 UTC) since the first market's second day; needs no key. */
export const coinMetrics: MarketSource = {
  id: 'coin-metrics',
  name: 'Coin Metrics (community data)',
  baseUrl: 'https://community-api.coinmetrics.io',
  requestsPerMinute: 60,
  terms: { attribution: 'Coin Metrics community data, CC BY-NC 4.0 (https://coinmetrics.io)' },
  series: [
    createSeries({
      table: tables.prices,
      identity: {},
      startsAt: Date.UTC(2010, 6, 18),
      intervalMs: msPerDay,
      // Fits in a page: one request is enough.
      windowMs: 9_000 * msPerDay,
      fetch: async (http, from, to) => {
        const stretch = { start_time: isoDate(dayAt(from)), end_time: isoDate(dayAt(to - 1)) }
        const query = { assets: 'btc', metrics: 'PriceUSD', frequency: '1d', page_size: 10_000, ...stretch }
        const { data } = await http.json(metrics, '/v4/timeseries/asset-metrics', query)
        return data.flatMap(({ time, PriceUSD }) =>
          PriceUSD ? toDailyBar(closeOnlyBar(parseDay(time.slice(0, 10)) * msPerDay, PriceUSD)) : [],
        )
      },
    }),
  ],
}

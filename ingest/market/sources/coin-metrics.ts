import { z } from 'zod'
import { dayAt, dayOf, isoDate, millisecondsPerDay } from '#base/days.ts'
import { closeAt, ofDay } from '../bars.ts'
import { tables } from '../observations.ts'
import { series } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { decimal } from '../wire.ts'

const metrics = z.object({
  data: z.array(z.object({ time: z.string().regex(/^\d{4}-\d\d-\d\dT00:00:00/), PriceUSD: decimal.nullish() })),
})

/** Daily closes (24:00 UTC) from the second day of the first market on; the community tier takes no key. */
export const coinMetrics: MarketSource = {
  id: 'coin-metrics',
  name: 'Coin Metrics (community data)',
  baseUrl: 'https://community-api.coinmetrics.io',
  requestsPerMinute: 60,
  terms: { attribution: 'Coin Metrics community data, CC BY-NC 4.0 (https://coinmetrics.io)' },
  series: [
    series({
      table: tables.prices,
      identity: {},
      startsAt: Date.UTC(2010, 6, 18),
      every: millisecondsPerDay,
      // Shorter than a page of answers, so that there is never a second one.
      window: 9_000 * millisecondsPerDay,
      fetch: async (http, from, to) => {
        const stretch = { start_time: isoDate(dayAt(from)), end_time: isoDate(dayAt(to - 1)) }
        const query = { assets: 'btc', metrics: 'PriceUSD', frequency: '1d', page_size: 10_000, ...stretch }
        const { data } = await http.json(metrics, '/v4/timeseries/asset-metrics', query)
        return data.flatMap(({ time, PriceUSD }) =>
          PriceUSD ? ofDay(closeAt(dayOf(time.slice(0, 10)) * millisecondsPerDay, PriceUSD)) : [],
        )
      },
    }),
  ],
}

import { z } from 'zod'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { closeOnlyBar, toDailyBar } from '../bars.ts'
import type { HttpClient } from '../http.ts'
import { tables } from '../observations.ts'
import { createSeries } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { decimal, seconds } from '../wire.ts'

const chart = z.object({ values: z.array(z.object({ x: seconds, y: decimal })) })

const startsAt = Date.UTC(2010, 6, 18)

/** Points are 0 before a chart's data begins. */
async function fetchPoints(http: HttpClient, name: string, from: number, to: number) {
  const timespan = `${Math.ceil((to - from) / msPerDay)}days`
  const query = { timespan, start: isoDate(dayAt(from)), format: 'json', sampled: 'false' }
  const { values } = await http.json(chart, `/charts/${name}`, query)
  return values.filter(({ y }) => y > 0)
}

/** Volume of the whole market; price rounded to cents. */
export const blockchainCom: MarketSource = {
  id: 'blockchain-com',
  name: 'Blockchain.com charts',
  baseUrl: 'https://api.blockchain.info',
  requestsPerMinute: 30,
  series: [
    createSeries({
      table: tables.market_volume,
      identity: {},
      startsAt,
      fetch: async (http, from, to) => {
        const points = await fetchPoints(http, 'trade-volume', from, to)
        return points.map(({ x, y }) => ({ date: dayAt(x), volume_usd: y }))
      },
    }),
    createSeries({
      table: tables.prices,
      identity: {},
      startsAt,
      fetch: async (http, from, to) => {
        // Prices are instants: midnight is the close of the day before.
        const points = await fetchPoints(http, 'market-price', from + msPerDay, to + msPerDay)
        return points.map(({ x, y }) => toDailyBar(closeOnlyBar(x - msPerDay, y)))
      },
    }),
  ],
}

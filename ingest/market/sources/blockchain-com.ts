import { z } from 'zod'
import { dayAt, isoDate, millisecondsPerDay } from '#base/days.ts'
import { closeAt, ofDay } from '../bars.ts'
import type { HttpClient } from '../http.ts'
import { tables } from '../observations.ts'
import { series } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { decimal, seconds } from '../wire.ts'

const chart = z.object({ values: z.array(z.object({ x: seconds, y: decimal })) })

const startsAt = Date.UTC(2010, 6, 18)

/** The points of a chart from one instant to another; those before its data begin are 0, and left out. */
async function pointsOf(http: HttpClient, name: string, from: number, to: number) {
  const timespan = `${Math.ceil((to - from) / millisecondsPerDay)}days`
  const query = { timespan, start: isoDate(dayAt(from)), format: 'json', sampled: 'false' }
  const { values } = await http.json(chart, `/charts/${name}`, query)
  return values.filter(({ y }) => y > 0)
}

/** What it says of the market as a whole: the traded volume, and a price that is rounded to cents. */
export const blockchainCom: MarketSource = {
  id: 'blockchain-com',
  name: 'Blockchain.com charts',
  baseUrl: 'https://api.blockchain.info',
  requestsPerMinute: 30,
  series: [
    series({
      table: tables.market_volume,
      identity: {},
      startsAt,
      fetch: async (http, from, to) => {
        const points = await pointsOf(http, 'trade-volume', from, to)
        return points.map(({ x, y }) => ({ date: dayAt(x), volume_usd: y }))
      },
    }),
    series({
      table: tables.prices,
      identity: {},
      startsAt,
      fetch: async (http, from, to) => {
        // The price of an instant: that of midnight is the close of the day before.
        const points = await pointsOf(http, 'market-price', from + millisecondsPerDay, to + millisecondsPerDay)
        return points.map(({ x, y }) => ofDay(closeAt(x - millisecondsPerDay, y)))
      },
    }),
  ],
}

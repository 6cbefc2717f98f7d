import { z } from 'zod'
import { dayAt, millisecondsPerDay } from '#root/days.ts'
import type { Refusal } from '../http.ts'
import { tables } from '../observations.ts'
import { funds } from '../reference.ts'
import { series } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { decimal } from '../wire.ts'

const amount = decimal.nullish()
const history = z.object({
  data: z.array(z.object({ date: z.iso.date(), net_inflow: amount, net_assets: amount, mkt_price: amount })),
})
const envelope = z.object({ code: z.number(), message: z.string().nullish() })

/** Flows, net assets and market prices of the American funds, in USD. */
export const sosovalue: MarketSource = {
  id: 'sosovalue',
  name: 'SoSoValue',
  baseUrl: 'https://openapi.sosovalue.com',
  requestsPerMinute: 60,
  key: { header: 'x-soso-api-key', obtain: 'a free key from https://sosovalue.com/developer' },
  refusal: refusalOf,
  series: funds
    .filter(({ country }) => country === 'US')
    .map(({ ticker, launch_date }) =>
      series({
        table: tables.etf,
        identity: { ticker },
        startsAt: Date.parse(launch_date ?? '2024-01-11'),
        every: 4 * millisecondsPerDay,
        whole: true,
        fetch: async (http) => {
          const { data } = await http.json(history, `/openapi/v1/etfs/${ticker}/history`, { limit: 300 })
          return data.map(({ date, net_inflow, net_assets, mkt_price }) => ({
            ticker,
            date: dayAt(Date.parse(date)),
            holdings_btc: null,
            shares_outstanding: null,
            nav_usd: null,
            market_price_usd: mkt_price ?? null,
            aum_usd: net_assets ?? null,
            flow_usd: net_inflow ?? null,
          }))
        },
      }),
    ),
}

function refusalOf(body: unknown): Refusal | undefined {
  const { data } = envelope.safeParse(body)
  if (!data || data.code === 0) return undefined
  return { message: `${data.code} ${data.message ?? ''}`.trim(), retry: data.code === 429 }
}

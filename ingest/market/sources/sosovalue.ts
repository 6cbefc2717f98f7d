import { z } from 'zod'
import { msPerDay, parseDay } from '#base/days.ts'
import { fundReport } from '../fund-report.ts'
import { tables } from '../observations.ts'
import { funds } from '../reference.ts'
import { createSeries } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { decimal, refusalByCode } from '../wire.ts'

const amount = decimal.nullish()
const rows = z.array(
  z.object({ date: z.iso.date(), net_inflow: amount, net_assets: amount, prem_dsc: amount, mkt_price: amount }),
)
/** Bare, or in other responses' envelope. */
const history = z.union([rows, z.object({ data: rows }).transform(({ data }) => data)])
const verdict = z
  .object({ code: z.number(), message: z.string().nullish() })
  .transform(({ code, message }) => ({ code, message: message ?? '' }))

/**
 * Flows, net assets and premiums of United States funds over the last month, in USD; premiums are
 * fractions.
 */
export const sosovalue: MarketSource = {
  id: 'sosovalue',
  name: 'SoSoValue',
  baseUrl: 'https://openapi.sosovalue.com',
  requestsPerMinute: 18,
  key: { header: 'x-soso-api-key', obtain: 'a free key from https://sosovalue.com/developer' },
  refusal: refusalByCode(verdict, 0, [429]),
  terms: { republishing: 'forbidden' },
  rotates: true,
  series: funds
    .filter(({ country }) => country === 'US')
    .map(({ ticker, launch_date }) =>
      createSeries({
        table: tables.etf,
        identity: { ticker },
        startsAt: Date.parse(launch_date ?? '2024-01-11'),
        depthMs: 31 * msPerDay,
        intervalMs: 4 * msPerDay,
        fullHistory: true,
        fetch: async (http) => {
          const reports = await http.json(history, `/openapi/v1/etfs/${ticker}/history`, { limit: 50 })
          return reports.map(({ date, net_inflow, net_assets, prem_dsc, mkt_price }) =>
            fundReport(ticker, parseDay(date), {
              market_price_usd: mkt_price,
              aum_usd: net_assets,
              flow_usd: net_inflow,
              premium: prem_dsc,
            }),
          )
        },
      }),
    ),
}

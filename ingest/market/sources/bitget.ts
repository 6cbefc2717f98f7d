import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { fundingSeries } from '../futures-series.ts'
import type { HttpClient } from '../http.ts'
import type { Observation } from '../observations.ts'
import type { MarketSource } from '../source.ts'
import { codeAndMessage, decimal, milliseconds, openInterest, refusalByCode, settledFunding } from '../wire.ts'

const exchange = 'bitget'
const pageSize = 100

const markets = [
  { instrument: 'BTCUSDT', productType: 'USDT-FUTURES', startsAt: Date.UTC(2019, 6, 1) },
  { instrument: 'BTCUSD', productType: 'COIN-FUTURES', startsAt: Date.UTC(2019, 6, 1) },
] as const

const settlements = z.object({ data: z.array(z.object({ fundingRate: decimal, fundingTime: milliseconds })) })
/** `size` is documented in coins for every product type. */
const openInterestNow = z.object({
  data: z.object({ openInterestList: z.tuple([z.object({ size: decimal })]), ts: milliseconds }),
})

/** No history of open interest: it grows from snapshots. */
export const bitget: MarketSource = {
  id: 'bitget',
  name: 'Bitget',
  baseUrl: 'https://api.bitget.com',
  requestsPerMinute: 300,
  // 429 too many requests, 40010 timeout, 40015 system, 40725 service error.
  refusal: refusalByCode(codeAndMessage, '00000', ['429', '40010', '40015', '40725']),
  series: markets.map(({ instrument, productType, startsAt }) =>
    fundingSeries(exchange, instrument, {
      startsAt,
      sampleMs: 3 * msPerDay,
      fetch: (http, from) => walkSettlements(http, instrument, productType, from),
    }),
  ),
  snapshots: markets.map(({ instrument, productType }) => async (http) => {
    const query = { symbol: instrument, productType }
    const { data } = await http.json(openInterestNow, '/api/v2/mix/market/open-interest', query)
    return openInterest(exchange, instrument, data.ts, data.openInterestList[0].size, 'btc')
  }),
}

/**
 * Pages are newest first and reach back to an undocumented limit. A settlement between two requests
 * moves a row to the next page, repeating it.
 */
async function walkSettlements(
  http: HttpClient,
  instrument: string,
  productType: string,
  from: number,
): Promise<Observation<'funding'>[]> {
  const rows: Observation<'funding'>[] = []
  for (let pageNo = 1; ; pageNo++) {
    const query = { symbol: instrument, productType, pageSize, pageNo }
    const ask = async () => (await http.json(settlements, '/api/v2/mix/market/history-fund-rate', query)).data
    let page = await ask()
    // An empty page may be a temporary fault.
    if (page.length === 0) page = await ask()
    for (const row of page) rows.push(settledFunding(exchange, instrument, row.fundingTime, row.fundingRate))
    if (page.length < pageSize || page.some(({ fundingTime }) => fundingTime <= from)) return rows
  }
}

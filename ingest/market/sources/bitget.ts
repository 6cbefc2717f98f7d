import { z } from 'zod'
import type { HttpClient, Refusal } from '../http.ts'
import { type Observation, tables } from '../observations.ts'
import { series } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { decimal, hour, milliseconds, openInterest, settledFunding } from '../wire.ts'

const exchange = 'bitget'
const pageSize = 100

const markets = [
  { instrument: 'BTCUSDT', productType: 'USDT-FUTURES', startsAt: Date.UTC(2019, 6, 1) },
  { instrument: 'BTCUSD', productType: 'COIN-FUTURES', startsAt: Date.UTC(2019, 6, 1) },
] as const

const settlements = z.object({ data: z.array(z.object({ fundingRate: decimal, fundingTime: milliseconds })) })
/** `size` is in coins for every product type, says the venue's documentation. */
const openInterestNow = z.object({
  data: z.object({ openInterestList: z.tuple([z.object({ size: decimal })]), ts: milliseconds }),
})
const envelope = z.object({ code: z.string(), msg: z.string() })

/** The venue keeps no history of open interest: it grows from snapshots. */
export const bitget: MarketSource = {
  id: 'bitget',
  name: 'Bitget',
  baseUrl: 'https://api.bitget.com',
  requestsPerMinute: 300,
  refusal: refusalOf,
  series: markets.map(({ instrument, productType, startsAt }) =>
    series({
      table: tables.funding,
      identity: { exchange, instrument },
      startsAt,
      every: 8 * hour,
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
 * Numbered pages, newest first. How far back they reach is not documented: an empty page ends the walk, or a second one
 * without anything new.
 */
async function walkSettlements(
  http: HttpClient,
  instrument: string,
  productType: string,
  from: number,
): Promise<Observation<'funding'>[]> {
  const rows = new Map<number, Observation<'funding'>>()
  for (let pageNo = 1, repeated = 0; ; pageNo++) {
    const query = { symbol: instrument, productType, pageSize, pageNo }
    const { data } = await http.json(settlements, '/api/v2/mix/market/history-fund-rate', query)
    const before = rows.size
    for (const { fundingTime, fundingRate } of data)
      rows.set(fundingTime, settledFunding(exchange, instrument, fundingTime, fundingRate))
    repeated = rows.size === before ? repeated + 1 : 0
    if (data.length === 0 || repeated === 2 || data.some((row) => row.fundingTime <= from)) return [...rows.values()]
  }
}

function refusalOf(body: unknown): Refusal | undefined {
  const { data } = envelope.safeParse(body)
  if (!data || data.code === '00000') return undefined
  // 429 too many requests, 40010 timeout, 40015 system error, 40725 service error.
  return { message: `${data.code} ${data.msg}`, retry: ['429', '40010', '40015', '40725'].includes(data.code) }
}

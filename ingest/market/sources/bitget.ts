import { z } from 'zod'
import type { HttpClient } from '../http.ts'
import { type Observation, tables } from '../observations.ts'
import { countGaps, createPagedSeries, type Page } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { codeAndMessage, decimal, hourMs, milliseconds, openInterest, refusalByCode, settledFunding } from '../wire.ts'

const exchange = 'bitget'
const pageSize = 100
const intervalMs = 8 * hourMs

const markets = [
  { instrument: 'BTCUSDT', productType: 'USDT-FUTURES', startsAt: Date.UTC(2019, 6, 1) },
  { instrument: 'BTCUSD', productType: 'COIN-FUTURES', startsAt: Date.UTC(2019, 6, 1) },
] as const

const settlements = z.object({ data: z.array(z.object({ fundingRate: decimal, fundingTime: milliseconds })) })
/** According to the documentation, `size` is in coins for every product type. */
const openInterestNow = z.object({
  data: z.object({ openInterestList: z.tuple([z.object({ size: decimal })]), ts: milliseconds }),
})

/** Bitget has no history of open interest: it grows from snapshots. */
export const bitget: MarketSource = {
  id: 'bitget',
  name: 'Bitget',
  baseUrl: 'https://api.bitget.com',
  requestsPerMinute: 300,
  // 429 too many requests, 40010 timeout, 40015 system error, 40725 service error.
  refusal: refusalByCode(codeAndMessage, '00000', ['429', '40010', '40015', '40725']),
  series: markets.map(({ instrument, productType, startsAt }) =>
    createPagedSeries({
      table: tables.funding,
      identity: { exchange, instrument },
      startsAt,
      intervalMs,
      walk: (http, from) => walkSettlements(http, instrument, productType, from),
    }),
  ),
  snapshots: markets.map(({ instrument, productType }) => async (http) => {
    const query = { symbol: instrument, productType }
    const { data } = await http.json(openInterestNow, '/api/v2/mix/market/open-interest', query)
    return openInterest(exchange, instrument, data.ts, data.openInterestList[0].size, 'btc')
  }),
}

/**
 * Pages are numbered newest first and reach back to an undocumented limit. Finds the oldest wanted
 * page first and walks forward from it, so that the stored data never has a hole before its end.
 */
async function* walkSettlements(
  http: HttpClient,
  instrument: string,
  productType: string,
  from: number,
): AsyncGenerator<Page<Observation<'funding'>>> {
  const ask = async (pageNo: number): Promise<Observation<'funding'>[]> => {
    const query = { symbol: instrument, productType, pageSize, pageNo }
    const { data } = await http.json(settlements, '/api/v2/mix/market/history-fund-rate', query)
    const rows = data.map((row) => settledFunding(exchange, instrument, row.fundingTime, row.fundingRate))
    return rows.sort((a, b) => a.time - b.time)
  }
  // An empty page may be a temporary fault.
  const page = async (pageNo: number): Promise<Observation<'funding'>[]> => {
    const rows = await ask(pageNo)
    return rows.length === 0 ? ask(pageNo) : rows
  }
  const reaches = (rows: readonly Observation<'funding'>[]): boolean => rows.length < pageSize || rows[0]!.time <= from

  const newest = await page(1)
  if (reaches(newest)) return yield { rows: newest, remaining: 0 }
  let [near, far] = [1, 2]
  while (!reaches(await page(far))) [near, far] = [far, 2 * far]
  while (far - near > 1) {
    const middle = Math.floor((near + far) / 2)
    if (reaches(await page(middle))) far = middle
    else near = middle
  }
  let last: number | undefined
  for (let pageNo = far; pageNo >= 1; pageNo--) {
    const rows = await page(pageNo)
    // A new settlement between two requests moves this page's newest row to the previous page.
    const torn = last !== undefined && countGaps([last, ...rows.map(({ time }) => time)].slice(0, 2), intervalMs) > 0
    yield { rows: torn ? [...(await page(pageNo + 1)), ...rows] : rows, remaining: pageNo - 1 }
    last = rows.at(-1)?.time ?? last
  }
}

import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { serve as serveApi, type TestServer } from '#test/api/support/test-server.ts'
import {
  type Answer,
  type Asked,
  addressed,
  type FakeServer,
  type FakeVenue,
  serve,
} from '#test/ingest/market/fake-server.ts'
import { archiveVenue, bybitVenue, gateVenue, type Point } from '#test/ingest/market/fake-venues.ts'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'

const bitcoind = findBitcoind()
const hour = 3_600_000
const dayLength = 24 * hour
const first = Date.parse('2024-03-01')
/** Closes of the three closed days. */
const closes = [50_000, 52_000, 51_000]

/**
 * A rate at each settlement of four days, and open interest at the midnight that ends each of them.
 */
const settlements = (rate: number): Point[] =>
  Array.from({ length: 12 }, (_, i) => ({ time: first + i * 8 * hour, value: rate }))
const stamps = (...amounts: number[]): Point[] =>
  amounts.map((value, i) => ({ time: first + (i + 1) * dayLength, value }))

/** A venue that has only one of its markets. */
const onlyMarket =
  (venue: FakeVenue, market: string) =>
  (asked: Asked): Answer =>
    [...asked.query.values(), asked.path].some((text) => text.includes(market)) && isHistory(asked)
      ? venue.answer(asked)
      : venue.nothing(asked)

/** Snapshots of the current moment belong to no day of this chain. */
const isHistory = ({ path }: Asked): boolean => !path.endsWith('/tickers')

const bybit = onlyMarket(bybitVenue(settlements(0.0001), stamps(1000, 1100, 1200, 1200)), 'BTCUSDT')
// Contracts of 0.0001 BTC; nothing on the third day.
const gate = onlyMarket(gateVenue(settlements(0.0003), stamps(5_000_000, 5_000_000)), 'usdt')
const archive = archiveVenue(
  // Samples every five minutes, the last one before midnight.
  stamps(1500, 1500, 1600).map(({ time, value }) => ({ time: time - 300_000, value })),
).answer
const binance = ({ path, query }: Asked): Answer => {
  const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime'))]
  if (!path.endsWith('/fundingRate') || query.get('symbol') !== 'BTCUSDT') return { body: [] }
  const rows = settlements(0.0002).filter(({ time }) => time >= from && time <= to)
  return { body: rows.map(({ time, value }) => ({ symbol: 'BTCUSDT', fundingTime: time, fundingRate: String(value) })) }
}

describe.skipIf(!bitcoind)('market data of servers and files, on the chain of a real node', () => {
  const folder = temporaryFolder('served-market')
  const dataDir = path.join(folder, 'data')
  const servers: FakeServer[] = []
  let node: TestNode
  let api: TestServer

  beforeAll(async () => {
    node = await startNode(bitcoind!)
    for (let day = -1; day <= 3; day++) {
      await node.rpc('setmocktime', [(first + day * dayLength) / 1000 + 36_000])
      await node.rpc('generatetodescriptor', [4, 'raw(51)#8lvh9jxk'])
    }
    const environment: Record<string, string> = {}
    for (const [source, answer] of Object.entries({ bybit, gate, binance, 'binance-archive': archive })) {
      const server = await serve(answer)
      servers.push(server)
      Object.assign(environment, addressed(source, server.url))
    }
    const run = async (...args: string[]): Promise<void> => {
      const { exitCode, stdout, stderr } = await coinstrata([...args, '--data-dir', dataDir], { environment })
      if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`)
    }
    const importing = async (kind: string, ...lines: string[]): Promise<void> => {
      const file = path.join(folder, `${kind}.csv`)
      writeFileSync(file, `${lines.join('\n')}\n`)
      await run('import', kind, file)
    }
    const date = (day: number): string => new Date(first + day * dayLength).toISOString().slice(0, 10)
    await importing(
      'prices',
      'date,open,high,low,close,volume',
      ...closes.map((close, day) => `${date(day)},${close},${close + 500},${close - 500},${close},1000000`),
    )
    await importing(
      'etf',
      'ticker,date,holdings_btc,nav_usd,market_price_usd',
      `IBIT,${date(0)},10,100,100`,
      `IBIT,${date(1)},11,100,102`,
      `IBIT,${date(2)},9.9,100,100`,
      `3042.HK,${date(0)},1,10,10`,
      `3042.HK,${date(2)},1,10,9.9`,
    )
    await importing(
      'treasuries',
      'entity_id,date,holdings_btc,source_url',
      `1,${date(0)},20,https://example.org/march`,
      `1,${date(2)},30,`,
      `60,${date(1)},20,`,
    )
    await run('fetch', 'bybit', 'gate', 'binance', 'binance-archive', '--since', date(0))
    await run('update', '--datadir', node.datadir, '--network', 'regtest', '--rpc-url', node.endpoint.url)
    api = await serveApi(dataDir, { ACCESS: 'open' })
  })
  afterAll(async () => {
    await api?.close()
    await node?.stop()
    await Promise.all(servers.map((server) => server.close()))
    rmSync(folder, { recursive: true })
  })

  /** The rows of the three closed days that an endpoint gives, oldest first. */
  async function rows(endpoint: string): Promise<Record<string, unknown>[]> {
    const response = await fetch(`${api.url}/v1/${endpoint}${endpoint.includes('?') ? '&' : '?'}limit=3`)
    const body: unknown = await response.json()
    const { data } = z.object({ data: z.array(z.record(z.string(), z.unknown())) }).parse(body)
    return data.reverse()
  }
  const close = (value: number) => expect.closeTo(value, 8)

  it('is served as open interest of all exchanges', async () => {
    expect(await rows('futures/oi')).toMatchObject([
      // (1000 + 500 + 1500) BTC.
      { date: '2024-03-01', total_oi_usd: 150_000_000, oi_delta_usd: null, exchange_count: 3 },
      // 3,100 BTC at 52,000, after 150 million.
      {
        date: '2024-03-02',
        total_oi_usd: 161_200_000,
        oi_delta_usd: 11_200_000,
        oi_delta_pct: close(1120 / 150),
        exchange_count: 3,
      },
      { date: '2024-03-03', total_oi_usd: null, oi_delta_usd: null, oi_delta_pct: null, exchange_count: 2 },
    ])
  })

  it('is served as open interest of one exchange', async () => {
    expect(await rows('oi/exchange?exchange=bybit')).toMatchObject([
      { date: '2024-03-01', oi_usd: 50_000_000, oi_btc: 1000, oi_delta_usd: null, oi_share: close(1 / 3) },
      { date: '2024-03-02', oi_usd: 57_200_000, oi_btc: 1100, oi_delta_usd: 7_200_000, oi_share: close(11 / 31) },
      { date: '2024-03-03', oi_usd: 61_200_000, oi_btc: 1200, oi_delta_usd: 4_000_000, oi_share: close(12 / 28) },
    ])
    expect(await rows('oi/exchange?exchange=gate')).toHaveLength(2)
    expect(await rows('oi/exchanges')).toMatchObject([
      { exchange: 'gate', name: 'Gate', first_date: '2024-03-01', last_date: '2024-03-02' },
      { exchange: 'bybit', name: 'Bybit', first_date: '2024-03-01', last_date: '2024-03-03' },
      { exchange: 'binance', name: 'Binance', first_date: '2024-03-01', last_date: '2024-03-03' },
    ])
  })

  it('is served as funding rate', async () => {
    // Weights 1000 : 500 : 1500, then 1100 : 500 : 1500; on the third day Gate has its weight of
    // the second.
    const rates = [
      (1000 * 0.0001 + 500 * 0.0003 + 1500 * 0.0002) / 3000,
      (1100 * 0.0001 + 500 * 0.0003 + 1500 * 0.0002) / 3100,
      (1200 * 51 * 0.0001 + 500 * 52 * 0.0003 + 1600 * 51 * 0.0002) / (1200 * 51 + 500 * 52 + 1600 * 51),
    ]
    expect(await rows('funding/aggregate')).toMatchObject(
      rates.map((rate, day) => ({
        date: `2024-03-0${day + 1}`,
        avg_funding_rate: expect.closeTo(rate, 15),
        annualized: close(rate * 1095),
        spread: expect.closeTo(0.0002, 15),
        exchange_count: 3,
      })),
    )
    expect(await rows('funding/exchange?exchange=gate')).toMatchObject(
      [500 / 3000, 500 / 3100, (500 * 52) / (1200 * 51 + 500 * 52 + 1600 * 51)].map((weight) => ({
        exchange: 'gate',
        funding_rate: expect.closeTo(0.0003, 15),
        annualized: close(0.3285),
        oi_weight: close(weight),
      })),
    )
    expect((await rows('funding/exchanges')).map(({ exchange }) => exchange)).toEqual(['gate', 'bybit', 'binance'])
  })

  it('is served as funds', async () => {
    const supply = z.number().parse((await rows('holder/supply')).at(-1)?.circulating_supply)
    expect((await rows('etf/aggregate')).at(-1)).toMatchObject({
      date: '2024-03-03',
      total_btc_holdings: close(10.9),
      total_aum_usd: close(10.9 * 51_000),
      net_flow_btc: close(-1.1),
      net_flow_usd: close(-56_100),
      cumulative_flow_btc: close(-0.1),
      cumulative_money_flow: close(52_000 - 56_100),
      dominance: close(1090 / supply),
      // 10 at 50,000 and 1 at 52,000, of which a tenth left; and 1 at 50,000.
      realized_price: close((0.9 * 552_000 + 50_000) / 10.9),
      us_btc_holdings: 9.9,
      us_realized_price: close((0.9 * 552_000) / 9.9),
      // Assets 9.9 : 1, premiums 0 and −1 %.
      premium_average: close(-0.01 / 10.9),
      etf_count: 2,
    })
    expect(await rows('etf/ticker?ticker=IBIT')).toMatchObject([
      { date: '2024-03-01', btc_holdings: 10, net_flow_btc: null, realized_cap: 500_000 },
      { date: '2024-03-02', btc_holdings: 11, net_flow_btc: 1, cumulative_flow_btc: 1, premium: close(0.02) },
      { date: '2024-03-03', btc_holdings: 9.9, net_flow_btc: close(-1.1), aum_usd: close(9.9 * 51_000) },
    ])
    expect((await rows('etf/ticker?ticker=3042.HK')).map(({ btc_holdings }) => btc_holdings)).toEqual([1, 1, 1])
  })

  it('is served as treasuries', async () => {
    const supply = z.number().parse((await rows('holder/supply')).at(-1)?.circulating_supply)
    expect(await rows('dat/aggregate')).toMatchObject([
      { date: '2024-03-01', total_btc: 20, total_companies: 1, net_change_btc: 0, total_value_usd: 1_000_000 },
      { date: '2024-03-02', total_btc: 20, total_companies: 1, net_change_btc: 0, total_value_usd: 1_040_000 },
      {
        date: '2024-03-03',
        total_btc: 30,
        public_company_btc: 30,
        net_change_btc: 10,
        pct_of_supply: close(3000 / supply),
        total_value_usd: 1_530_000,
        cumulative_money_flow: 510_000,
      },
    ])
    expect((await rows('dat/entity?id=1')).at(-1)).toMatchObject({
      date: '2024-03-03',
      btc_amount: 30,
      total_current_value_usd: 1_530_000,
      net_flow_btc: 10,
      cumulative_flow_btc: 10,
      percentage_of_total_supply: close(3000 / supply),
      market_share_pct: close(60),
    })
    expect(await rows('dat/company/1/holdings')).toMatchObject([
      { date: '2024-03-01', btc_amount: 20, net_flow_btc: null, source: 'https://example.org/march' },
      { date: '2024-03-03', btc_amount: 30, net_flow_btc: 10, source: 'import' },
    ])
  })

  it('is served as prices', async () => {
    expect((await rows('prices')).map(({ date, price, high, volume }) => [date, price, high, volume])).toEqual(
      closes.map((price, day) => [`2024-03-0${day + 1}`, price, price + 500, 1_000_000]),
    )
  })
})

import type { DuckDBConnection } from '@duckdb/node-api'
import { msPerDay, parseDay } from '#base/days.ts'
import { Random } from '#ingest/simulated/random.ts'
import { type Cells, type Observation, type ObservationTable, simulatedSource, tables } from './observations.ts'
import { entities, exchanges, funds } from './reference.ts'
import { appendObservations } from './store.ts'
import { hourMs } from './wire.ts'

export interface SimulatedMarketInput {
  readonly seed: number
  readonly endDay: number
  readonly prices: readonly { readonly day: number; readonly close: number }[]
}

/** First day, hours between settlements, share of open interest once grown. */
const venues = [
  { id: 'binance', from: parseDay('2019-09-10'), interval: 8, share: 0.3, unit: 'btc' },
  { id: 'bybit', from: parseDay('2018-11-15'), interval: 8, share: 0.2, unit: 'btc' },
  { id: 'okx', from: parseDay('2019-11-01'), interval: 8, share: 0.16, unit: 'btc' },
  { id: 'bitget', from: parseDay('2021-07-01'), interval: 8, share: 0.13, unit: 'btc' },
  { id: 'gate', from: parseDay('2020-04-01'), interval: 8, share: 0.1, unit: 'btc' },
  { id: 'deribit', from: parseDay('2022-01-01'), interval: 1, share: 0.05, unit: 'usd' },
  { id: 'hyperliquid', from: parseDay('2023-05-12'), interval: 1, share: 0.06, unit: 'btc' },
] as const

/**
 * The same seed gives the same values; a later `endDay` only adds days. Fails if the data folder
 * has real market data.
 */
export async function writeSimulatedMarket(
  connection: DuckDBConnection,
  dataDir: string,
  input: SimulatedMarketInput,
): Promise<void> {
  const store = <Row extends Cells>(table: ObservationTable<Row>, rows: readonly Row[]) =>
    appendObservations<Row>(connection, dataDir, table, simulatedSource, rows, (input.endDay + 1) * msPerDay)
  const market = new Trend(input)
  await store(tables.funding, simulatedFunding(input, market))
  await store(tables.open_interest, simulatedOpenInterest(input, market))
  await store(tables.etf, simulatedFunds(input, market))
  await store(tables.treasuries, simulatedTreasuries(input))
}

/** Price history that a day's market may use. */
class Trend {
  readonly #closes: Map<number, number>

  constructor({ prices }: SimulatedMarketInput) {
    this.#closes = new Map(prices.map(({ day, close }) => [day, close]))
  }

  close(day: number): number {
    return this.#closes.get(day) ?? Number.NaN
  }

  /** Natural logarithm; 0 if unknown. */
  momentum(day: number): number {
    const momentum = Math.log(this.close(day) / this.close(day - 30))
    return Number.isFinite(momentum) ? momentum : 0
  }
}

function simulatedFunding({ seed, endDay }: SimulatedMarketInput, market: Trend): Observation<'funding'>[] {
  const rows: Observation<'funding'>[] = []
  for (const { id, from, interval } of venues) {
    const instrument = exchanges.find((exchange) => exchange.id === id)!.main_instrument
    for (let day = from; day <= endDay; day++) {
      const random = new Random(seed, `funding/${id}`, day)
      const daily = 0.0001 + 0.0006 * market.momentum(day - 1) + 0.00005 * random.normal()
      for (let at = 0; at < 24; at += interval) {
        const rate = ((daily + 0.00002 * random.normal()) * interval) / 8
        const time = day * msPerDay + at * hourMs
        rows.push({ exchange: id, instrument, time, rate: Number(rate.toFixed(8)), interval_hours: interval })
      }
    }
  }
  return rows
}

/** Daily, at the midnight that ends the day. */
function simulatedOpenInterest({ seed, endDay }: SimulatedMarketInput, market: Trend): Observation<'open_interest'>[] {
  const rows: Observation<'open_interest'>[] = []
  for (const { id, from, share, unit } of venues) {
    const instrument = exchanges.find((exchange) => exchange.id === id)!.main_instrument
    for (let day = from; day <= endDay; day++) {
      const grown = 1 - Math.exp(-(day - from + 30) / 700)
      const noise = Math.exp(0.04 * new Random(seed, `open interest/${id}`, day).normal())
      const btc = 400_000 * share * grown * noise * Math.exp(0.5 * market.momentum(day))
      const amount = unit === 'btc' ? Number(btc.toFixed(3)) : Math.round(btc * market.close(day))
      rows.push({ exchange: id, instrument, time: (day + 1) * msPerDay, amount, unit })
    }
  }
  return rows
}

/** Older funds start when the first United States funds were launched. */
const fundsKnownFrom = parseDay('2024-01-11')

/** BTC on the first day, average daily inflow at the start; other funds have little. */
const fundSizes: Readonly<Record<string, readonly [start: number, inflow: number]>> = {
  IBIT: [230, 1_500],
  FBTC: [120, 600],
  GBTC: [619_000, -1_200],
  BTC: [31_000, 60],
  ARKB: [60, 150],
  BITB: [50, 120],
}

function simulatedFunds({ seed, endDay }: SimulatedMarketInput, market: Trend): Observation<'etf'>[] {
  const rows: Observation<'etf'>[] = []
  for (const { ticker, launch_date } of funds) {
    const [start, inflow] = fundSizes[ticker] ?? [20, 25]
    const launch = Math.max(fundsKnownFrom, launch_date === null ? 0 : parseDay(launch_date))
    let holdings = start
    for (let date = launch; date <= endDay; date++) {
      if ([0, 6].includes(new Date(date * msPerDay).getUTCDay())) continue
      const random = new Random(seed, `fund/${ticker}`, date)
      const mood = 0.6 * random.normal() + 4 * market.momentum(date - 1)
      const calming = Math.exp(-(date - launch) / 250)
      const flow = date === launch ? 0 : Math.max(-holdings / 50, inflow * calming + (Math.abs(inflow) / 3) * mood)
      holdings = Number((holdings + flow).toFixed(4))
      const close = market.close(date)
      const nav = close * coinsPerShare
      rows.push({
        ticker,
        date,
        holdings_btc: holdings,
        shares_outstanding: Math.round(holdings / coinsPerShare),
        nav_usd: Number(nav.toFixed(4)),
        market_price_usd: Number((nav * (1 + 0.0008 * random.normal())).toFixed(4)),
        aum_usd: Math.round(holdings * close),
        flow_usd: date === launch ? null : Math.round(flow * close),
        premium: null,
      })
    }
  }
  return rows
}

const coinsPerShare = 0.00057

function simulatedTreasuries({ seed, endDay }: SimulatedMarketInput): Observation<'treasuries'>[] {
  const rows: Observation<'treasuries'>[] = []
  for (const { id, type, ended_on } of entities) {
    const character = new Random(seed, 'treasury', id)
    const size = type === 'public' ? 450_000 / id ** 1.35 : 20_000 * character.between(0.5, 4)
    const last = ended_on === undefined ? endDay : Math.min(endDay, parseDay(ended_on) - 1)
    let date = parseDay(id === 1 ? '2020-08-11' : '2020-10-01') + (id === 1 ? 0 : character.integer(1_600))
    let holdings = 0
    for (let report = 0; date <= last; report++) {
      const random = new Random(seed, `treasury/${id}`, report)
      const step = report === 0 ? size / 12 : ((size - holdings) / 15) * random.between(-0.2, 2)
      const change = Number(Math.max(-holdings, step).toFixed(2))
      holdings = Number((holdings + change).toFixed(2))
      if (change !== 0) rows.push({ entity_id: id, date, holdings_btc: holdings, change_btc: change, source_url: null })
      date += 7 + random.integer(60)
    }
  }
  return rows
}

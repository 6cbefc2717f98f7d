import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { Random } from '../../support/random.ts'
import { coingeckoVenue, isharesVenue, sosovalueVenue } from './fake-funds.ts'
import { type Answer, type Asked, addressed, type FakeServer, type FakeVenue, serve } from './fake-server.ts'
import { spotVenue } from './fake-spot.ts'
import { archiveVenue, day, futuresVenues, hour, points } from './fake-venues.ts'
import { recordedFunds } from './recorded-funds.ts'

const settled = points('2026-11-01T00:00Z', 8 * hour, 1e-5)
const stamped = points('2026-11-01T00:00Z', day, 1_000)
const hourly = points('2026-11-01T00:00Z', hour, 1e-6)
const closes = points('2026-11-01T00:00Z', day, 90_000)

const reported = z.object({ transactions: z.array(z.looseObject({ date: z.number() })) })

const issuers = recordedFunds.map(({ source, body }): [string, FakeVenue] => [
  source,
  {
    stream: ({ path }) => path,
    nothing: () => ({ status: 404, body: '' }),
    answer: () => ({ body: Buffer.from(body) }),
  },
])

/** The purchases of years, made within the last two weeks. */
const recentPurchases: FakeVenue = {
  ...coingeckoVenue,
  answer: (asked) => {
    const answer = coingeckoVenue.answer(asked)
    const parsed = reported.safeParse(answer.body)
    if (!parsed.success) return answer
    const since = Date.parse('2026-11-06')
    const first = Date.parse('2020-08-11')
    return {
      body: {
        transactions: parsed.data.transactions.map((row) => ({ ...row, date: since + (row.date - first) / 120 })),
      },
    }
  },
}

const spotHours = points('2026-11-01T00:00Z', hour, 80_000)
const spotSources = 'bitstamp coinbase kraken binance-spot coin-metrics blockchain-com coindesk'.split(' ')

/** Every source of market data with some weeks of history. */
export const fakeMarket: Readonly<Record<string, FakeVenue>> = {
  ...Object.fromEntries(spotSources.map((source) => [source, spotVenue(closes, spotHours)])),
  ...futuresVenues(settled, stamped, hourly),
  'binance-archive': archiveVenue(points('2026-11-01T00:00Z', 5 * 60_000, 1_000)),
  ishares: isharesVenue,
  ...Object.fromEntries(issuers),
  sosovalue: sosovalueVenue(),
  coingecko: recentPurchases,
}

export interface ServedMarket {
  /** Address, key and pace of every source. */
  readonly env: Record<string, string>
  readonly close: () => Promise<void>
}

/** How answers are troubled. */
export interface Weather {
  /** Milliseconds that an answer takes, at least and at most. */
  readonly latency: readonly [number, number]
  /**
   * Share of answers that are a refusal, an error or cut, as a fraction; two of one source never
   * follow each other.
   */
  readonly faults: number
  readonly seed: number
}

/**
 * Serves every source at an address of its own, in any weather, which may change between the runs.
 */
export async function serveMarket(weather: { now: Weather }): Promise<ServedMarket> {
  const env: Record<string, string> = {}
  const servers: FakeServer[] = []
  for (const [source, venue] of Object.entries(fakeMarket)) {
    const server = await serve(troubled(source, venue, weather))
    servers.push(server)
    Object.assign(env, addressed(source, server.url))
    env[`SOURCES_${source.toUpperCase().replaceAll('-', '_')}_API_KEY`] = 'the-key'
  }
  return { env, close: async () => void (await Promise.all(servers.map((server) => server.close()))) }
}

function troubled(source: string, venue: FakeVenue, weather: { now: Weather }) {
  let random: Random | undefined
  let known: Weather | undefined
  let wasFault = false
  return async (asked: Asked): Promise<Answer> => {
    if (known !== weather.now) {
      known = weather.now
      random = new Random(known.seed + source.length * 7_919 + source.charCodeAt(0))
    }
    const { latency, faults } = weather.now
    await sleep(latency[0] + (random?.next() ?? 0) * (latency[1] - latency[0]))
    const isFault = !wasFault && (random?.next() ?? 1) < faults
    wasFault = isFault
    return isFault ? createFault(source, random?.next() ?? 0) : venue.answer(asked)
  }
}

/**
 * Everybody fails, cuts and limits; Binance also bans, and with Bybit it limits by 403, now and
 * then for minutes.
 */
function createFault(source: string, choice: number): Answer {
  const wait = choice < 0.1 ? '600' : '0'
  if (choice < 0.2 && source === 'binance')
    return { status: 418, headers: { 'retry-after': wait }, body: { code: -1003 } }
  if (choice < 0.2 && ['binance', 'binance-coin', 'bybit'].includes(source))
    return { status: 403, headers: { 'retry-after': wait }, body: 'access too frequent' }
  if (choice < 0.4) return { status: 502, body: 'Bad Gateway' }
  if (choice < 0.6) return { status: 429, headers: { 'retry-after': '0' }, body: {} }
  if (choice < 0.8) return { status: 503, headers: { 'retry-after': '0' }, body: 'Service Unavailable' }
  return { body: undefined, cut: true }
}

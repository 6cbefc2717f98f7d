import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { fetchSources } from '#ingest/market/fetch.ts'
import { tables } from '#ingest/market/observations.ts'
import { readObservations } from '#ingest/market/store.ts'
import { dataDir, session } from './data-folder.ts'
import { coingeckoVenue, fundDates, holdingsOn, isharesVenue, purchases, sosovalueVenue } from './fake-funds.ts'
import { addressed, type FakeVenue, type Fault, serve, withFault } from './fake-server.ts'
import { now } from './fake-venues.ts'

export async function fetchWith(source: string, venue: FakeVenue, fault: Fault, since?: string, at = now) {
  const server = await serve(withFault(venue, fault))
  const name = `SOURCES_${source.toUpperCase().replaceAll('-', '_')}`
  const env = { ...addressed(source, server.url), [`${name}_API_KEY`]: 'the-key' }
  try {
    const start = since === undefined ? {} : { since: Date.parse(since) }
    const [report] = await session((connection) =>
      fetchSources({ connection, dataDir, env, sources: [source], ...start, now: at, retryDelayMs: 1 }),
    )
    return report!
  } finally {
    await server.close()
  }
}

/** Fetches funds and treasuries with each of these faults. */
export function testFunds(chosen: readonly Fault[]): void {
  test.each(chosen)('with %s, the holdings file of every business day is stored', async (fault) => {
    expect(await fetchWith('ishares', isharesVenue, fault, '2026-11-09')).toMatchObject({ outcome: 'ok', gaps: 0 })
    const rows = await session((connection) => readObservations(connection, dataDir, tables.etf))
    expect(rows.map(({ ticker, date, holdings_btc }) => [ticker, date, holdings_btc])).toEqual(
      fundDates.map((date) => ['IBIT', parseDay(date), holdingsOn(date)]),
    )
    expect(rows[0]).toMatchObject({
      shares_outstanding: 800_000 * 1_770,
      aum_usd: 72e9,
      flow_usd: null,
      source: 'ishares',
    })
  })

  test.each(chosen)('with %s, the flows of every American fund are stored', async (fault) => {
    expect(await fetchWith('sosovalue', sosovalueVenue(), fault)).toMatchObject({ outcome: 'ok', gaps: 0 })
    const rows = await session((connection) => readObservations(connection, dataDir, tables.etf))
    expect(rows.filter(({ ticker }) => ticker === 'FBTC').map(({ date, flow_usd }) => [date, flow_usd])).toEqual(
      fundDates.map((date, i) => [parseDay(date), 1.5e6 * (6 - i)]),
    )
    expect(new Set(rows.map(({ ticker }) => ticker)).size).toBe(13)
    expect(rows[0]).toMatchObject({ holdings_btc: null, aum_usd: 7e9, premium: -0.0004 })
  })

  test.each(chosen)('with %s, every purchase of a known entity is stored', async (fault) => {
    expect(await fetchWith('coingecko', coingeckoVenue, fault)).toMatchObject({
      outcome: 'ok',
      added: 306,
      notices: ['it lists 2 that the registry does not know: Unheard of (WHO.US), Hive Box (HIVE.AX)'],
    })
    const rows = await session((connection) => readObservations(connection, dataDir, tables.treasuries))
    const strategy = rows.filter(({ entity_id }) => entity_id === 1)
    expect(strategy.map(({ date, holdings_btc, change_btc }) => [date, holdings_btc, change_btc])).toEqual(
      purchases.map(({ date, holding_balance, holding_net_change }) => {
        return [Math.floor(date / 86_400_000), holding_balance, holding_net_change]
      }),
    )
    expect(rows.filter(({ entity_id }) => entity_id === 3)).toHaveLength(2)
    // By the suffix of its exchange, HIVE.V is a listing of the registry's HIVE in Canada.
    expect(rows.filter(({ entity_id }) => entity_id === 27)).toHaveLength(2)
    expect(rows.filter(({ entity_id }) => entity_id === 65)).toHaveLength(2)
  })
}

import { expect, test } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import {
  aggregateTreasuries,
  describeRegistryReports,
  entityDays,
  withRegistryReports,
} from '#ingest/market/daily-treasuries.ts'

const start = Date.parse('2026-01-28') / 86_400_000
const closeOn = (day: number) => 10_000 + 1_000 * (day - start)

/**
 * Ids of the registry: 1 and 2 public, 8 private, 60 a government, 18 reported within 15, 32 ended
 * on 2026-01-31.
 */
const report = (
  entity_id: number,
  day: number,
  holdings_btc: number,
  change_btc: number | null = null,
  source = 'coingecko',
) => {
  return { entity_id, date: start + day, holdings_btc, change_btc, source_url: null, source, fetchedAt: 0 }
}

test('holdings stay until the next report, and flows are their differences', () => {
  const days = entityDays([report(1, 0, 100, 40), report(1, 2, 130, 30), report(2, 1, 70)], closeOn, start + 3)
  expect(days.map((day) => [day.entity_id, day.date - start, day.btc_amount, day.net_flow_btc])).toEqual([
    [1, 0, 100, 40],
    [1, 1, 100, 0],
    [1, 2, 130, 30],
    [1, 3, 130, 0],
    // Nothing says what came in on the first day known.
    [2, 1, 70, null],
    [2, 2, 70, 0],
    [2, 3, 70, 0],
  ])
  expect(days[2]).toMatchObject({
    total_current_value_usd: 130 * 12_000,
    cumulative_flow_btc: 70,
    market_share_pct: 65,
  })
})

test('a file of the operator wins over what was fetched, and a report after the last day is not there yet', () => {
  const days = entityDays([report(1, 0, 5, null, 'import'), report(1, 0, 9), report(1, 1, 7)], closeOn, start)
  expect(days.map(({ btc_amount }) => btc_amount)).toEqual([5])
})

test('totals are of companies, other types stand beside them, and no coin counts twice', () => {
  const days = entityDays(
    [
      report(1, 0, 100),
      report(1, 1, 110),
      report(8, 0, 20),
      report(60, 0, 300),
      report(15, 0, 50),
      // American Bitcoin, which Hut 8 reports among its own.
      report(18, 0, 30),
      // Semler, which holds nothing of its own from 31 January.
      report(32, 0, 10),
    ],
    closeOn,
    start + 3,
  )
  const rows = aggregateTreasuries(days, closeOn)
  expect(rows.map((row) => [row.total_btc, row.net_change_btc, row.total_companies])).toEqual([
    [180, 0, 4],
    [190, 10, 4],
    [190, 0, 4],
    [180, -10, 3],
  ])
  expect(rows[3]).toMatchObject({
    public_company_btc: 160,
    private_company_btc: 20,
    government_btc: 300,
    total_value_usd: 180 * 13_000,
    cumulative_money_flow: 10 * 11_000 - 10 * 13_000,
  })
})

test('a day without a price has no value in dollars', () => {
  const days = entityDays([report(1, 0, 100)], () => Number.NaN, start)
  expect(days[0]?.total_current_value_usd).toBeNull()
  expect(aggregateTreasuries(days, () => Number.NaN)[0]).toMatchObject({ total_btc: 100, total_value_usd: null })
})

test('an entity is known from public filings until the first report that a source has of it', () => {
  const filings = withRegistryReports([])
  const strategy = filings.filter(({ entity_id }) => entity_id === 1)
  expect(strategy.map(({ date, holdings_btc }) => [isoDate(date), holdings_btc])).toEqual([
    ['2020-08-11', 21_454],
    ['2021-12-31', 124_391],
    ['2022-12-31', 132_500],
    ['2023-12-31', 189_150],
    ['2024-12-31', 447_470],
    ['2025-02-14', 478_740],
    ['2025-12-14', 671_268],
  ])
  expect(new Set(filings.map(({ source }) => source))).toEqual(new Set(['registry']))

  const known = report(1, 0, 700_000)
  const earlier = { ...report(1, 0, 200_000), date: parseDay('2024-03-01') }
  expect(
    withRegistryReports([known, earlier])
      .filter(({ entity_id }) => entity_id === 1)
      .map(({ holdings_btc }) => holdings_btc),
  ).toEqual([21_454, 124_391, 132_500, 189_150, 700_000, 200_000])
})

test('totals that rest on filings say of which day these are', () => {
  const reports = withRegistryReports([report(1, 0, 700_000)])
  expect(describeRegistryReports(reports)).toBe(
    'Treasuries without a source are as of public filings, carried forward: MARA Holdings of 2024-12-31, ' +
      'Riot Platforms of 2024-12-31, Tesla of 2024-12-31, Hut 8 of 2024-12-31, Germany of 2024-07-12.',
  )
  expect(describeRegistryReports([report(1, 0, 700_000)])).toBeUndefined()
})

import { expect, test } from 'vitest'
import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import { endpoints } from '#contract/endpoints.ts'
import { paths } from '#contract/paths.ts'
import { type Tier, tiers } from '#contract/tiers.ts'
import { readChartResponse } from '#render/page/chart-response.ts'
import { chain, server } from './support/chain-service.ts'
import { firstDay, lastDay } from './support/served-chain.ts'
import { serve, withoutLimits } from './support/test-server.ts'
import {
  allTiers,
  ask,
  before,
  byPath,
  gradeOf,
  headers,
  serveTiers,
  testLatestOfCohorts,
  testVisibleRows,
} from './support/visible-rows.ts'

serveTiers()

// Demo sees days from 59 before the last one, free from 364 before it; markets begin 89 before it.
// Other requests are in rights.extended.test.ts.
testVisibleRows([
  { limit: '10000' },
  { start_date: before(70), end_date: before(50) },
  { start_date: before(10), limit: '1' },
  { end_date: before(62), limit: '3' },
])

test('totals by kind of treasury are those of the newest day asked for, with a flow only where both its days are seen', async () => {
  const statsOf = async (tier: Tier, query = '') => {
    const { data } = await ask(`${endpoints.datStats.path}${query}`, tier)
    return data.map(({ date, btc_amount, net_flow_btc_30d }) => ({ date, btc_amount, net_flow_btc_30d }))
  }
  const [newest] = await statsOf('demo')
  expect(newest).toMatchObject({ date: before(0) })
  expect(await statsOf('pro')).toEqual(await statsOf('demo'))
  const earlier = `?end_date=${before(40)}`
  expect((await statsOf('demo', earlier)).map(({ date, net_flow_btc_30d }) => [date, net_flow_btc_30d])).toEqual(
    (await statsOf('pro', earlier)).map(({ date }) => [date, null]),
  )
  const [seen] = await statsOf('pro', earlier)
  expect(seen).toEqual({ date: before(40), btc_amount: expect.any(Number), net_flow_btc_30d: expect.any(Number) })
  expect((await ask(`${endpoints.datStats.path}?end_date=${before(70)}`, 'demo')).status).toBe(403)
})

test('unspent value after a day before the history of the tier is refused', async () => {
  const [day, path] = [before(70), endpoints.utxoHistory.path]
  expect((await ask(`${path}?date_processed=${day}`, 'demo')).status).toBe(403)
  expect((await ask(`${path}?date_processed=${day}&limit=1`, 'pro')).data).toMatchObject([{ date_processed: day }])
})

test('the latest values are those of the newest day asked for', async () => {
  const datesOf = async (query: string) => {
    const { data } = await ask(`${endpoints.latest.path}${query}`, 'demo')
    return new Set(data.map(({ date }) => date))
  }
  expect(await datesOf('')).toEqual(new Set([before(0)]))
  expect(await datesOf(`?end_date=${before(7)}`)).toEqual(new Set([before(7)]))
  expect((await ask(`${endpoints.latest.path}?end_date=${before(70)}`, 'demo')).status).toBe(403)
})

// The others are in rights.extended.test.ts.
testLatestOfCohorts((place) => place % 5 === 0)

/** Requests for charts over all days, with the metrics whose columns they hold. */
const composedOf: readonly (readonly [body: object, ids: readonly string[]])[] = [
  [{ metric: 'price', overlay: 'price' }, ['price']],
  [{ metrics: ['price', 'mvrv'], formulas: [{ expression: 'cummax(m1)' }] }, ['price', 'mvrv']],
  [{ metrics: ['price', 'nupl'] }, ['price', 'nupl']],
  [{ metric: 'price', formulas: [{ expression: 'sma(sopr, 3)' }] }, ['price', 'sopr']],
  [{ metric: 'price', reference_lines: [{ y_formula: 'cost_basis_p50' }] }, ['price', 'cost_basis_p50']],
  [{ metric: 'cost_basis_p50' }, ['cost_basis_p50']],
  [{ heatmap: { metric: 'cost_basis_distribution' }, overlay: 'price' }, ['cost_basis_distribution', 'price']],
]

test('a chart with its columns shows each tier its history and its grades, and nothing to who may not draw', async () => {
  const withDemo = await serve(chain.dataDir, { ...withoutLimits, CHART_DEMO: 'on' })
  try {
    for (const [body, ids] of composedOf) {
      for (const tier of allTiers) {
        for (const { url } of [server, withDemo]) {
          const response = await fetch(`${url}${paths.chart}`, {
            method: 'POST',
            headers: { ...headers.get(tier), 'content-type': 'application/json' },
            body: JSON.stringify({ ...body, start_date: isoDate(firstDay), format: 'spec' }),
          })
          const text = await response.text()
          const mayDraw = tiers[tier].grade >= tiers.pro.grade || (tier === 'demo' && url === withDemo.url)
          const maySee = ids.every((id) => (gradeOf.get(id) ?? 0) <= tiers[tier].grade)
          const what = `${JSON.stringify(body)} for tier ${tier}`
          expect([what, response.status]).toEqual([what, mayDraw && maySee ? 200 : expect.toBeOneOf([401, 403])])
          if (response.status !== 200) {
            expect(text).not.toContain('float64')
            continue
          }
          const { specification, history_limited_to } = readChartResponse(text)
          const first = Math.max(firstDay, lastDay - tiers[tier].historyDays + 1)
          expect([what, specification.x.days[0]! >= first]).toEqual([what, true])
          expect([what, history_limited_to]).toEqual([what, first > firstDay ? isoDate(first) : undefined])
          // No column is longer than the days that are seen.
          const { series, heatmap, x } = specification
          expect(series.every(({ values }) => values.length === x.days.length)).toBe(true)
          if (heatmap) expect(heatmap.values.length).toBe(x.days.length * heatmap.binLower.length)
        }
      }
    }
  } finally {
    await withDemo.close()
  }
})

test('every departure from the usual rights has its reason in the OpenAPI document', async () => {
  const response = await fetch(`${server.url}/docs`)
  const document = z
    .object({
      paths: z.record(z.string(), z.object({ get: z.object({ description: z.string().optional() }).optional() })),
    })
    .parse(await response.json())
  const reasons = [...byPath.values()].flatMap(({ path, history, undated }) =>
    [...Object.values(history ?? {}), ...(undated === undefined ? [] : [undated])].map((reason) => ({ path, reason })),
  )
  expect(reasons.length).toBeGreaterThan(5)
  for (const { path, reason } of reasons) {
    expect(reason.split(' ').length, `${path}: give a reason in words`).toBeGreaterThan(3)
    expect(document.paths[path]?.get?.description, path).toContain(reason)
  }
})

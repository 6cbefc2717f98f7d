import { expect, test } from 'vitest'
import { isoDate, parseDay } from '#base/days.ts'
import { http } from '#test/mcp/support/clients.ts'
import { dataDir, key, serveDemo, service } from '#test/mcp/support/demo-service.ts'
import { columnsOf, publishedTable } from '#test/support/published.ts'

serveDemo()

type Row = Readonly<Record<string, number | string | null>>

async function ask(address: string): Promise<{ data: Row[]; meta: Row }> {
  const response = await fetch(`${service.url}${address}`, { headers: { authorization: `Bearer ${key}` } })
  const answer = await response.json()
  expect([address, response.status, answer.error]).toEqual([address, 200, undefined])
  return answer
}

const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)
const total = (values: readonly (number | null)[]): number => known(values).reduce((sum, value) => sum + value, 0)
const average = (values: readonly (number | null)[]): number => total(values) / known(values).length

test('pools share the blocks of the whole period', async () => {
  const ids = ['pool_count', 'pool_top3_percent', 'pool_herfindahl', 'pool_unknown_percent']
  const { data } = await ask(`/v1/series?metrics=${ids.join()}&interval=1w&limit=3`)
  for (const { date, ...shares } of data) {
    const table = (name: string) =>
      `(FROM ${publishedTable(dataDir, name)} WHERE date <= '${date}' AND date_trunc('week', date) = date_trunc('week', DATE '${date}'))`
    const [counts = []] = await columnsOf(
      `SELECT sum(blocks) AS n FROM ${table('pool_days')} GROUP BY pool ORDER BY n DESC`,
    )
    const [[all = null] = []] = await columnsOf(`SELECT sum(blocks_mined) FROM ${table('metrics_blockchain')}`)
    const part = (some: readonly (number | null)[]) => total(some) / Number(all)
    expect(shares).toEqual({
      pool_count: counts.length,
      pool_top3_percent: expect.closeTo(100 * part(counts.slice(0, 3)), 9),
      pool_herfindahl: expect.closeTo(total(counts.map((count) => (Number(count) / Number(all)) ** 2)), 9),
      pool_unknown_percent: expect.closeTo(100 - 100 * part(counts), 9),
    })
  }
})

test('REST, exports, charts and tools answer the same month, and name another aggregate', async () => {
  const asked = 'metrics=realized_pl_ratio&interval=1m&limit=12'
  const months = (await ask(`/v1/series?${asked}`)).data
  const { date, realized_pl_ratio: ratio } = months[1]!
  const flows = (await ask('/v1/series?metrics=realized_profit,realized_loss&interval=1m&limit=2')).data[1]!
  expect(ratio).toBeCloseTo(Number(flows.realized_profit) / Number(flows.realized_loss), 9)

  const profit = await ask('/v1/holder/profit?interval=1m&limit=12&fields=realized_pl_ratio')
  expect(profit.data.map(({ realized_pl_ratio }) => realized_pl_ratio)).toEqual(
    months.map((row) => row.realized_pl_ratio),
  )
  const cohort = await ask('/v1/cohort/metrics/1y_2y?interval=1m&limit=2&fields=asopr,sopr,spent_cost_1h,spent_cost')
  for (const row of cohort.data) expect([row.asopr, row.spent_cost_1h]).toEqual([row.sopr, row.spent_cost])
  const formula = await ask('/v1/series?formula=realized_profit%2Frealized_loss&interval=1m&limit=12')
  formula.data.forEach((row, i) => {
    expect(row.formula).toBeCloseTo(Number(months[i]!.realized_pl_ratio), 9)
  })

  const text = async (address: string, body?: unknown) => {
    const response = await fetch(`${service.url}${address}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    return response.text()
  }
  const cells = (csv: string) =>
    new Map(
      csv
        .split('\r\n')
        .map((line) => line.split(','))
        .map(([day, cell]) => [day, cell]),
    )
  expect(Number(cells(await text(`/v1/series?${asked}&format=csv`)).get(String(date)))).toBe(ratio)
  const chart = cells(await text('/v1/chart/snapshot?metric=realized_pl_ratio&interval=month&range=1y&format=csv'))
  expect(Number(chart.get(String(date)))).toBe(ratio)
  const drawn = await text('/v1/chart/snapshot', {
    metrics: ['realized_profit', 'realized_loss'],
    formulas: [{ expression: 'm1 / m2' }, { expression: 'f1 - 1' }],
    reference_lines: [{ y_formula: 'realized_pl_ratio' }],
    interval: 'month',
    format: 'rows',
  })
  const row = JSON.parse(drawn).data.find((one: Row) => one.date === date)
  expect(row).toMatchObject({
    'm1 / m2': expect.closeTo(Number(ratio), 9),
    'f1 - 1': expect.closeTo(Number(ratio) - 1, 9),
  })
  const calendar = await text('/v1/chart/snapshot', { calendar: { metric: 'realized_pl_ratio' }, format: 'rows' })
  const years = (await ask('/v1/series?metrics=realized_pl_ratio&interval=1y&limit=2')).data
  expect(calendar).toContain(String(years[1]!.realized_pl_ratio))

  const assistant = await http.connect(service, key)
  const answer = await assistant.ask('get_series', {
    metrics: ['realized_pl_ratio'],
    interval: '1m',
    days: 90,
    rows: 3,
  })
  expect(answer.rows).toContainEqual([date, Number(Number(ratio).toPrecision(6))])
  const chosen = { metrics: ['realized_pl_ratio'], interval: '1m', aggregate: 'mean', days: 90, rows: 3 }
  expect((await assistant.ask('get_series', chosen)).notes).toContainEqual(
    'Each row is the mean of its days, as requested.',
  )

  const mean = await ask(`/v1/series?${asked}&aggregate=mean`)
  expect(mean.meta.aggregate).toBe('mean')
  const days = await ask(
    `/v1/series?metrics=realized_pl_ratio&start_date=${String(date).slice(0, 8)}01&end_date=${date}`,
  )
  expect(mean.data[1]!.realized_pl_ratio).toBeCloseTo(average(days.data.map((one) => Number(one.realized_pl_ratio))), 9)
  expect(mean.data[1]!.realized_pl_ratio).not.toBeCloseTo(Number(ratio), 3)
})

test('a caller of a short history has whole periods but the first, and a long formula the same values', async () => {
  const asked = '/v1/series?metrics=fees_percent,nvt,binary_cdd_365d,price&interval=1m&limit=5'
  const all = (await ask(asked)).data
  const { data, meta } = await (await fetch(`${service.url}${asked}`)).json()
  expect(meta.history_limited_to).toBeDefined()
  const first = data.at(-1)
  const { fees_percent, nvt, price } = all[data.length - 1]!
  const isWhole = String(meta.history_limited_to).endsWith('-01')
  expect([first.fees_percent, first.nvt, first.price]).toEqual(
    isWhole ? [fees_percent, nvt, price] : [null, null, price],
  )
  expect(data.slice(0, -1)).toEqual(all.slice(0, data.length - 1))
  const sum = Array(30).fill('realized_profit').join('+')
  const long = encodeURIComponent(`(${sum}) / realized_loss`)
  const answer = await ask(`/v1/series?metrics=realized_pl_ratio&formula=${long}&interval=1m&limit=3`)
  for (const row of answer.data) expect(row.formula).toBeCloseTo(30 * Number(row.realized_pl_ratio), 8)
})

test('the longest block interval of a week is the longest of its days', async () => {
  const { data } = await ask('/v1/series?metrics=block_interval_max&interval=1w&limit=2')
  const { date, block_interval_max } = data[1]!
  const start = isoDate(parseDay(String(date)) - 6)
  const days = await ask(`/v1/series?metrics=block_interval_max&start_date=${start}&end_date=${date}`)
  expect(block_interval_max).toBe(Math.max(...days.data.map((one) => Number(one.block_interval_max))))
})

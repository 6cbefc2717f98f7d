import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { paths } from '#contract/paths.ts'
import { type Tier, tiers } from '#contract/tiers.ts'
import { readChartResponse } from '#render/page/chart-response.ts'
import { chain, keys, serveChain, server } from './support/chain-service.ts'
import { addEarlierGeneration, firstDay, lastDay } from './support/served-chain.ts'
import { serve, signIn, withoutLimits } from './support/test-server.ts'

serveChain()
let headers: ReadonlyMap<Tier, Record<string, string>>
let gradeOf: ReadonlyMap<string, number>
const allTiers = ['demo', 'free', 'pro', 'enterprise'] as const

beforeAll(async () => {
  await addEarlierGeneration(chain.dataDir)
  // Accounts of tier free have no keys: they see their history signed in.
  const cookie = await signIn(server, chain.dataDir, 'free@example.org')
  headers = new Map([...keys, ['free', { ...keys.get('demo')!, cookie }]])
  const definitions = await ask(`${endpoints.metrics.path}?variants=all&format=json`, 'enterprise')
  const graded = z.array(z.object({ id: z.string(), endpoint: z.string(), field: z.string(), grade: z.number() }))
  gradeOf = new Map(
    graded.parse(definitions.data).flatMap(({ id, endpoint, field, grade }) => [
      [`${endpoint} ${field}`, grade],
      [id, grade],
    ]),
  )
})

type Row = Readonly<Record<string, unknown>>
const answerSchema = z.object({
  // Checked cell by cell below: a schema of each would take longer than all else here.
  data: z.custom<readonly Row[]>(Array.isArray).default([]),
  meta: z.object({ history_limited_to: z.string().optional() }).default({}),
  message: z.string().optional(),
})

async function ask(target: string, tier: Tier) {
  const response = await fetch(server.url + target, { headers: headers.get(tier)! })
  return { status: response.status, ...answerSchema.parse(await response.json()) }
}

interface Asked {
  readonly start_date?: string
  readonly end_date?: string
  readonly limit?: string
}

const before = (days: number): string => isoDate(lastDay - days)
/**
 * Demo sees days from 59 before the last one, free from 364 before it; markets begin 89 before it.
 */
const requests: readonly Asked[] = [
  {},
  { limit: '1' },
  { limit: '7' },
  { limit: '10000' },
  { start_date: isoDate(firstDay) },
  { start_date: isoDate(firstDay), end_date: before(400) },
  { start_date: before(85), end_date: before(70) },
  { start_date: before(70), end_date: before(50) },
  { start_date: before(10) },
  { start_date: before(10), limit: '1' },
  { end_date: before(5), limit: '3' },
  { end_date: before(62), limit: '3' },
]

/** An endpoint's path and query, made of the examples in the contract. */
function exampleOf(endpoint: Endpoint): { target: string; missing: string[] } {
  const missing: string[] = []
  const exampleIn = (schema: z.core.$ZodType, name: string): string | undefined => {
    const example = z.globalRegistry.get(schema)?.example
    if (example !== undefined) return String(example)
    if (!z.safeParse(schema, undefined).success) missing.push(name)
    return undefined
  }
  const path = endpoint.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => exampleIn(endpoint.pathParameters.shape[name]!, name) ?? '',
  )
  const query = Object.entries(endpoint.query.shape).flatMap(([name, schema]) => {
    const example = exampleIn(schema, name)
    return example === undefined ? [] : [[name, example]]
  })
  return { target: `${path}?${new URLSearchParams(query)}`, missing }
}

const declareIt = 'in its declaration in contract/endpoints/'
const cutIt = 'Make the rows from view.visibleDays(range) or view.page(range), as daysAnswer and keyedAnswer do'

/** Rows that an answer may not have, each with what to do about it. */
function problemsOf(endpoint: Endpoint, tier: Tier, asked: Asked, rows: readonly Row[]): string[] {
  const { history, undated, access, path } = endpoint
  const who = `${path} for tier ${tier}, asked with ${JSON.stringify(asked)}`
  const problems = new Set<string>()
  const obeysLimit = 'start_date' in endpoint.query.shape && (asked.start_date === undefined || undated !== undefined)
  if (obeysLimit && rows.length > Number(asked.limit ?? 100)) {
    problems.add(`${who}, answers ${rows.length} rows, more than limit. ${cutIt}.`)
  }
  const openToAll = access === 'anyone' || (history !== undefined && 'all' in history)
  const first = isoDate(Math.max(firstDay, lastDay - tiers[tier].historyDays + 1))
  const id = idOf(path)
  const gradesHere = new Map<string, number>()
  for (const row of rows) {
    for (const field of Object.keys(row)) {
      const grade = gradesHere.get(field) ?? gradeOf.get(`${id} ${field}`) ?? gradeOf.get(field) ?? 0
      gradesHere.set(field, grade)
      if (grade <= tiers[tier].grade || row[field] === null) continue
      problems.add(`${who}, shows ${field} of grade ${grade}. Read it by view.split and view.valuesOf.`)
    }
    if (openToAll) continue
    const days = ['date', 'date_processed'].filter((name) => name in row)
    if (days.length === 0) {
      problems.add(
        `${who}, has rows without a date, so nobody can tell whether tier ${tier} may see them. Give them the field date, or say history: { all: 'why everybody may see all of it' } ${declareIt}.`,
      )
    }
    for (const name of days) {
      const day = row[name]
      if (day === null) continue
      if (typeof day !== 'string') problems.add(`${who}, has ${name} ${day}, which is no date.`)
      else if (day < first) {
        problems.add(
          `${who}, shows ${name} ${day}, but the history of the tier begins on ${first}. ${cutIt}, or say history: { all: 'why everybody may see all of it' } ${declareIt}.`,
        )
      } else if (undated === undefined && (day < (asked.start_date ?? day) || day > (asked.end_date ?? day))) {
        problems.add(
          `${who}, shows ${name} ${day}. ${cutIt}, or say undated: 'why the dates mean nothing' ${declareIt}.`,
        )
      }
    }
  }
  return [...problems]
}

const idOf = (path: string): string => exampleOf(byPath.get(path)!).target.replace(/^\/v1\/|\?.*$/g, '')
const byPath = new Map<string, Endpoint>(Object.values(endpoints).map((endpoint) => [endpoint.path, endpoint]))

test.each([...byPath.values()].map((endpoint) => ({ path: endpoint.path, endpoint })))(
  '$path shows each tier its history, its grades, and the dates and limit asked for',
  async ({ endpoint }) => {
    const { target, missing } = exampleOf(endpoint)
    expect(
      missing,
      'give these parameters an example in contract/parameters.ts, so that they can be asked for',
    ).toEqual([])
    const isDated = 'start_date' in endpoint.query.shape
    const { history, undated, access } = endpoint
    const openToAll = access === 'anyone' || (history !== undefined && 'all' in history)
    const problems: string[] = []
    let rowsSeen = 0
    for (const asked of isDated ? requests : [{}]) {
      const url = `${target}&${new URLSearchParams(Object.entries(asked))}`
      const answers = new Map(await Promise.all(allTiers.map(async (tier) => [tier, await ask(url, tier)] as const)))
      for (const [tier, { status, data, meta, message }] of answers) {
        if (status !== 200) {
          const refused = status === 401 || (status === 403 && tier !== 'enterprise')
          if (!refused) problems.push(`${url} for tier ${tier} answers ${status}: ${message}`)
          continue
        }
        if (access === 'pro' && tiers[tier].grade < tiers.pro.grade) problems.push(`${url} serves tier ${tier}`)
        rowsSeen += data.length
        problems.push(...problemsOf(endpoint, tier, asked, data))
        const first = Math.max(firstDay, lastDay - tiers[tier].historyDays + 1)
        const reachesFurther = asked.start_date !== undefined && asked.start_date < isoDate(first)
        if (!openToAll && first > firstDay && reachesFurther && meta.history_limited_to !== isoDate(first)) {
          problems.push(
            `${url} for tier ${tier} does not say in meta.history_limited_to that its history begins on ${isoDate(first)}. historyMeta makes it.`,
          )
        }
        if (openToAll && !isSame(data, answers.get('enterprise')?.data)) {
          problems.push(`${url} is declared open to all, but tier ${tier} sees other rows than tier enterprise.`)
        }
      }
      if (undated === undefined && asked.start_date !== undefined && asked.limit !== undefined) {
        const { limit: _, ...unlimited } = asked
        const whole = await ask(`${target}&${new URLSearchParams(Object.entries(unlimited))}`, 'enterprise')
        if (answers.get('enterprise')?.data.length !== whole.data.length) {
          problems.push(`${url} obeys limit although start_date is given. ${cutIt}.`)
        }
      }
    }
    expect(problems.slice(0, 8)).toEqual([])
    expect(
      rowsSeen,
      'no tier got a row, so nothing is checked: give it data in support/served-chain.ts',
    ).toBeGreaterThan(0)
  },
  60_000,
)

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

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

test('the latest values include those of cohorts on request, as the series have them', async () => {
  const path = `${endpoints.latest.path}?end_date=${before(7)}`
  for (const tier of ['demo', 'pro'] as const) {
    const whole = Object.assign({}, ...(await ask(path, tier)).data)
    const all = Object.assign({}, ...(await ask(`${path}&cohorts=true`, tier)).data)
    const added = Object.keys(all).filter((id) => !(id in whole))
    expect(added.length).toBeGreaterThan(tier === 'demo' ? 300 : 700)
    expect(all).toMatchObject(whole)
    for (let i = 0; i < added.length; i += 50) {
      const ids = added.slice(i, i + 50)
      const series = `${endpoints.series.path}?metrics=${ids}&start_date=${before(7)}&end_date=${before(7)}`
      const [row] = (await ask(series, tier)).data
      expect(row).toEqual({ date: before(7), ...Object.fromEntries(ids.map((id) => [id, all[id]])) })
    }
  }
})

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

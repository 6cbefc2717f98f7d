import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paths } from '#contract/paths.ts'
import type { Tier } from '#contract/tiers.ts'
import { currentGeneration } from '#sql/generation.ts'
import { anyText } from '#test/support/any-text.ts'
import { chain, documented, keys, serveChain, server } from './chain-service.ts'
import type { Operation } from './documented.ts'

const methods = ['get', 'post', 'delete'] as const
type Method = (typeof methods)[number]

interface FuzzedRequest {
  readonly method: Method
  readonly path: string
  readonly target: string
  readonly tier: Tier
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

const date = fc
  .date({ min: new Date('2009-01-03'), max: new Date('2010-03-10'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10))
const metric = fc.constantFrom(
  'price',
  'mvrv',
  'nupl',
  'realized_cap_1y_2y',
  'supply_24h',
  'cost_basis_p50',
  'lth_sopr',
)

/** Values that a reader of the document would send, by the parameter's name. */
const sensible: Readonly<Record<string, fc.Arbitrary<string>>> = {
  limit: fc.integer({ min: 1, max: 60 }).map(String),
  start_date: date,
  end_date: date,
  date,
  date_processed: date,
  cohort_start: date,
  cohort_end: date,
  cohort: fc.constantFrom('24h', '1d_1w', '3m_6m', '10y_plus', 'lth', 'sth'),
  metric: fc.constantFrom('block_height', 'blocks_mined', 'difficulty', 'hash_rate_7d'),
  metric_id: metric,
  metrics: fc.array(metric, { minLength: 1, maxLength: 4 }).map((ids) => ids.join(',')),
  formula: fc
    .tuple(metric, fc.constantFrom('+', '/', '*', '<'), metric, fc.integer({ min: 2, max: 40 }))
    .map(([a, operator, b, n]) => `${a} ${operator} sma(${b}, ${n})`),
  exchange: fc.constantFrom('binance', 'bybit', 'okx', 'gate'),
  ticker: fc.constantFrom('IBIT', 'FBTC', 'GBTC', 'ARKB'),
  symbol: fc.constant('BTC'),
  template: fc.constantFrom('price', 'nupl', 'hodl_waves', 'sopr', 'mvrv_ratio'),
  days: fc.integer({ min: 7, max: 60 }).map(String),
  width: fc.integer({ min: 600, max: 700 }).map(String),
  height: fc.integer({ min: 300, max: 350 }).map(String),
  title: fc.string({ maxLength: 60 }),
  id: fc.constantFrom('1', '2', '3', '4'),
  generation: fc.constant('').map(() => currentGeneration(chain.dataDir)!.generation.id),
  as_of: fc.constantFrom('2100-01-01', '2100-01-01T00:00:00Z'),
  fields: fc.constant('all'),
  // True refuses most valid requests.
  strict: fc.constantFrom('false', 'false', 'false', 'true'),
  guide: fc.constantFrom('api', 'start', 'operate'),
  cursor: date.map((day) => `${day}.0`),
  file: fc.constantFrom('catalogue.parquet', 'prices.parquet', 'flows.parquet'),
}
const nonsense = fc.oneof(
  anyText(30),
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '10001',
    '1e3',
    'NaN',
    '2024-02-30',
    '2010-01-01T00:00',
    '../..',
    "' OR 1=1 --",
    'null',
    '[object Object]',
    '%00',
  ),
  fc.integer().map(String),
  fc.constant('9'.repeat(400)),
)

const none = fc.constant<[string, string][]>([])

const rarely = <Value>(usual: fc.Arbitrary<Value>, rare: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 24, arbitrary: usual }, { weight: 1, arbitrary: rare })

function valueFor({ name, schema }: Operation['parameters'][number]): fc.Arbitrary<string> {
  const allowed = Array.isArray(schema.enum) ? schema.enum.map(String) : []
  const usual = sensible[name] ?? (allowed.length > 0 ? fc.constantFrom(...allowed) : nonsense)
  return rarely(usual, nonsense)
}

/** In a path these lead to another one: nothing at all, and dots. */
const elsewhere = /^\.{0,2}$/

function requestTo(method: Method, path: string, operation: Operation): fc.Arbitrary<FuzzedRequest> {
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query')
  const query = inQuery.map((parameter) =>
    fc
      .tuple(fc.constant(parameter.name), valueFor(parameter))
      .map((pair) => [pair])
      .chain((pair) =>
        parameter.required ? rarely(fc.constant(pair), none) : fc.oneof(fc.constant(pair), none, none),
      ),
  )
  const junk = rarely(none, fc.array(fc.tuple(nonsense, nonsense), { maxLength: 3 }))
  return fc
    .record({
      path: fc.tuple(...inPath.map((parameter) => valueFor(parameter).filter((value) => !elsewhere.test(value)))),
      query: fc.tuple(...query, junk),
      tier: fc.constantFrom<Tier>('demo', 'pro', 'enterprise', 'enterprise'),
      authorization: rarely(
        fc.constant(undefined),
        fc.string({ maxLength: 60 }).map((text) => `Bearer ${text.replace(/[^\x21-\x7e]/g, '')}`),
      ),
      accept: rarely(
        fc.constantFrom('*/*', 'application/json', 'text/csv, */*;q=0.1'),
        fc.constantFrom('image/png', 'text/html', ';;;', ''),
      ),
      encoding: fc.constantFrom('identity', 'gzip'),
      body: rarely(fc.json(), fc.string({ maxLength: 50 })),
    })
    .map(({ path: values, query: pairs, tier, authorization, accept, encoding, body }) => {
      const filled = inPath.reduce(
        (text, { name }, i) => text.replace(`{${name}}`, encodeURIComponent(values[i]!)),
        path,
      )
      const search = new URLSearchParams(pairs.flat()).toString()
      return {
        method,
        path,
        target: search ? `${filled}?${search}` : filled,
        tier,
        headers: {
          ...keys.get(tier),
          ...(authorization !== undefined && { authorization }),
          accept,
          'accept-encoding': encoding,
          ...(method === 'post' && { 'content-type': 'application/json' }),
        },
        body: method === 'post' ? body : undefined,
      }
    })
}

/** Sends random requests to each operation. */
export function testRandomRequests(requests: number): void {
  serveChain()

  test(`${requests} random requests get no 5xx and nothing that /docs does not allow`, async () => {
    const operations = methods.flatMap((method) =>
      [...documented.operations(method)]
        // It does not end.
        .filter(([path]) => path !== paths.events)
        .map(([path, operation]) => ({ method, path, operation })),
    )
    const counts = new Map<string, number>()
    let successes = 0
    let next = 0
    const each = Math.ceil(requests / operations.length)
    for (const { method, path, operation } of operations) {
      const sent = fc.asyncProperty(requestTo(method, path, operation), async ({ target, headers, body }) => {
        const response = await fetch(server.url + target, { method, headers, ...(body !== undefined && { body }) })
        const text = await response.text()
        counts.set(path, (counts.get(path) ?? 0) + 1)
        next++
        if (response.ok) successes++
        expect(response.status, text).toBeLessThan(500)
        const isJson = response.headers.get('content-type')?.startsWith('application/json')
        if (!isJson) {
          expect([200, 304]).toContain(response.status)
          return
        }
        // An id that encodes a dot or a slash can lead to another path.
        const isElsewhere = response.status === 404 && text.includes('nothing is served at')
        const problem = isElsewhere ? undefined : documented.problem(method, path, response.status, JSON.parse(text))
        expect(problem).toBeUndefined()
      })
      await fc.assert(sent, { numRuns: each })
    }
    expect(next).toBeGreaterThanOrEqual(requests)
    expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(Math.min(50, each))
    expect(successes / next).toBeGreaterThan(0.1)
    expect(server.log()).toBe('')
  }, 1_800_000)
}

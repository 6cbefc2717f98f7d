import { afterAll, beforeAll, expect, test } from 'vitest'
import { isoDate } from '#base/days.ts'
import type { Tier } from '#contract/tiers.ts'
import { type Assistant, http } from '../mcp/support/clients.ts'
import type { ToolService } from '../mcp/support/tool-service.ts'
import { lastDay } from './support/served-chain.ts'
import {
  type CutTier,
  cutTiers,
  firstSeen,
  firstValuesAsOf,
  open,
  secretOf,
  serveWorlds,
  type Worlds,
} from './support/twin-worlds.ts'

let worlds: Worlds
const assistants = new Map<string, Assistant>()
beforeAll(async () => {
  worlds = await serveWorlds()
}, 120_000)
afterAll(async () => {
  for (const assistant of assistants.values()) await assistant.close()
  await worlds?.close()
})

/** Days at the edge of what a tier sees, and names of metrics on both sides. */
interface Place {
  /** Last day before its history, one long before, its first and its last day. */
  readonly hidden: string
  readonly far: string
  readonly first: string
  readonly last: string
  readonly secret: string
  readonly earlier: string
  /** ETag of the same request by a caller of tier enterprise. */
  readonly etag: string
}

type Way = { readonly blind?: true } & (
  | { readonly tool: (place: Place) => readonly [name: string, given: Record<string, unknown>] }
  | {
      readonly get: (place: Place) => string
      readonly headers?: (place: Place) => Record<string, string>
      readonly body?: (place: Place) => unknown
      readonly method?: 'HEAD' | 'POST' | 'PUT'
    }
)
const formula = (text: string): string => `/v1/series?formula=${encodeURIComponent(text)}`
const chart = '/v1/chart/snapshot'
const drawn = (ask: (place: Place) => object, format = 'spec'): Way => ({
  get: () => chart,
  body: (place) => ({ ...ask(place), format }),
})
const trial = (ask: (place: Place) => object): Way => ({ get: () => '/v1/alerts/trial', body: ask })
const json = (get: (place: Place) => string): Way => ({ get })
/** Says nothing about values to anybody. */
const blind = (way: Way): Way => ({ ...way, blind: true })

/**
 * Requests by which a caller could try to see a day before its history, or a metric above its
 * grade.
 */
const ways: Readonly<Record<string, Way>> = {
  // Days before the history
  'a range of hidden days': json(
    ({ far, hidden }) => `/v1/series?metrics=${open}&start_date=${far}&end_date=${hidden}`,
  ),
  'a range that begins there': json(({ far }) => `/v1/series?metrics=${open},price&start_date=${far}`),
  'more rows than are seen': json(({ first }) => `/v1/prices?end_date=${first}&limit=50`),
  'a cursor of a hidden day': json(({ hidden }) => `/v1/series?metrics=${open}&cursor=${hidden}.0&limit=5`),
  'an ascending cursor': json(({ far }) => `/v1/prices?start_date=${far}&order=asc&cursor=${far}.0`),
  'the oldest first': json(({ far }) => `/v1/prices?start_date=${far}&order=asc`),
  'a week that began before': json(({ far }) => `/v1/series?metrics=${open},price&interval=1w&start_date=${far}`),
  'a month that began before': json(({ far }) => `/v1/series?metrics=sopr,fees&interval=1m&start_date=${far}`),
  'the sum of a year': json(() => '/v1/series?metrics=fees&interval=1y&aggregate=sum&limit=9'),
  'the highest of a year': json(() => `/v1/series?metrics=price,${open}&interval=1y&aggregate=max&limit=9`),
  'the first of a month': json(({ far }) => `/v1/prices?interval=month&aggregate=first&start_date=${far}`),
  'hours of a hidden day': json(
    ({ hidden }) => `/v1/series?metrics=price,fees&interval=1h&start_date=${hidden}&end_date=${hidden}`,
  ),
  'levels in the first hours, from the day before': json(
    ({ first }) =>
      `/v1/series?metrics=circulating_supply,difficulty,price&interval=1h&start_date=${first}&end_date=${first}`,
  ),
  'the latest values of then': json(({ hidden }) => `/v1/metrics/latest?end_date=${hidden}`),
  'the latest values of cohorts': json(({ first }) => `/v1/metrics/latest?end_date=${first}&cohorts=true`),
  'blocks by their height': json(({ hidden }) => `/v1/blocks?end_date=${hidden}&limit=5`),
  'blocks from then on': json(({ hidden }) => `/v1/blocks?start_date=${hidden}`),
  'pools of then': json(({ far }) => `/v1/pools?start_date=${far}`),
  'unspent coins of then': json(({ hidden }) => `/v1/utxo/history?date_processed=${hidden}`),
  'one metric of the chain': json(({ hidden }) => `/v1/blockchain/tx_count?end_date=${hidden}`),
  'cohorts of then': json(({ far }) => `/v1/cohort/metrics/1m_3m?start_date=${far}`),
  'reports of a company': blind(json(({ far }) => `/v1/dat/company/1/holdings?start_date=${far}`)),
  'labels of addresses': json(({ far }) => `/v1/addresses/labels?start_date=${far}`),
  // Formulas
  'a value shifted into sight': json(
    ({ first }) => `${formula(`shift(${open}, 1)`)}&start_date=${first}&end_date=${first}`,
  ),
  'a difference with a hidden day': json(({ first }) => `${formula(`diff(price, 7)`)}&start_date=${first}&limit=3`),
  'a window over hidden days': json(() => `${formula(`sma(${open}, 30) - min(price, 20)`)}&limit=10000`),
  'sums and records of all days': json(
    () => `${formula(`cumsum(price) + cummax(${open}) - cummin(price)`)}&limit=10000`,
  ),
  'ranks of all days': json(() => `${formula(`zscore(price) + cummedian(${open}) + rsi(price, 14)`)}&limit=10000`),
  'days since something hidden': json(() => `${formula('days_since(price < 2)')}&limit=10000`),
  'an exponential mean of all days': json(() => `${formula('ema(price, 5)')}&limit=10000`),
  // Metrics above the grade
  'a withheld column beside an open one': json(({ secret }) => `/v1/series?metrics=price,${secret}&limit=5`),
  'a withheld column alone': json(({ secret }) => `/v1/series?metrics=${secret}`),
  'its name in words': json(() => '/v1/series?metrics=Realized%20profit'),
  'only that field': json(({ secret }) => `/v1/metrics/latest?fields=${secret}`),
  'a formula that multiplies by it': json(({ secret }) => formula(`price + 0 * ${secret}`)),
  'a comparison with it': json(({ secret }) => formula(`if(${secret} > 1000, price, 0)`)),
  'where it is unknown': json(({ secret }) => formula(`coalesce(${secret}, price)`)),
  'the fields of an endpoint that has it': json(() => '/v1/holder/profit?fields=all&limit=5'),
  'the field of a cohort': json(() => '/v1/cohort/metrics/1m_3m?fields=all&limit=3'),
  'the cost basis': json(() => '/v1/cost-basis?limit=20'),
  'the cost basis in joined bins of then': json(({ hidden }) => `/v1/cost-basis?date=${hidden}&bins=5`),
  'exchanges and funds': json(() => '/v1/funding/exchange?exchange=binance&limit=3'),
  'two metrics by a repeated parameter': blind(json(({ secret }) => `/v1/series?metrics=price&metrics=${secret}`)),
  'an encoded path': blind(json(({ secret }) => `/v1/%73eries?metrics=${secret}`)),
  // Hours, blocks, the open day
  'rows after blocks of then': json(
    ({ far, hidden }) => `/v1/series?metrics=${open}&interval=block&start_date=${far}&end_date=${hidden}`,
  ),
  'all rows after blocks': json(
    ({ far }) => `/v1/series?metrics=${open},price&interval=block&start_date=${far}&order=asc`,
  ),
  'a cursor among blocks': json(
    ({ hidden }) => `/v1/series?metrics=${open}&interval=block&cursor=${hidden}.1&limit=50`,
  ),
  'a withheld metric after each block': json(
    ({ secret }) => `/v1/series?metrics=${open},${secret}&interval=block&limit=5`,
  ),
  'a formula of it after each block': json(() => `${formula('realized_profit - price')}&interval=block&limit=5`),
  'a withheld metric of the open day': json(() => '/v1/today?fields=all'),
  // Points in time
  'first published values of then': json(
    ({ far }) => `/v1/series?metrics=${open}&as_of=${firstValuesAsOf}&start_date=${far}`,
  ),
  'first published values that are withheld': json(
    ({ secret }) => `/v1/series?metrics=price,${secret}&as_of=${firstValuesAsOf}&limit=5`,
  ),
  'an earlier generation': json(
    ({ earlier, far }) => `/v1/series?metrics=${open}&generation=${earlier}&start_date=${far}`,
  ),
  'revisions of then': json(({ far, earlier }) => `/v1/revisions?metric=${open}&from=${earlier}&start_date=${far}`),
  'revisions of a withheld metric': json(({ secret }) => `/v1/revisions?metric=${secret}`),
  'values and changes beside ranks': blind(
    json(() => `/v1/metrics/percentiles?metrics=${open},price&period=month&fields=all`),
  ),
  'ranks of a withheld metric': json(({ secret }) => `/v1/metrics/percentiles?metrics=${secret}`),
  // Files
  'CSV of hidden days': json(({ far }) => `/v1/series?metrics=${open}&start_date=${far}&format=csv`),
  'Parquet with a withheld column': json(
    ({ far, secret }) => `/v1/series?metrics=price,${secret}&start_date=${far}&format=parquet`,
  ),
  'Parquet by Accept': {
    get: ({ far }) => `/v1/prices?start_date=${far}`,
    headers: () => ({ accept: 'application/vnd.apache.parquet' }),
  },
  'a whole table': json(() => '/v1/tables/metrics_distribution.parquet'),
  'the statistics at the end of a table': {
    get: () => '/v1/tables/cost_basis.parquet',
    headers: () => ({ range: 'bytes=-2000' }),
  },
  'the size of a table': { get: () => '/v1/tables/flows.parquet', method: 'HEAD', blind: true },
  'whether a table has changed': {
    get: () => '/v1/tables/metrics_distribution.parquet',
    headers: () => ({ 'if-none-match': '*' }),
    blind: true,
  },
  ...Object.fromEntries(
    [
      ...['metrics_valuation', 'metrics_market', 'metrics_derivatives', 'metrics_profit_and_loss'],
      ...['metrics_distribution', 'cohorts', 'blocks', 'days', 'prices', 'pool_days', 'funding', 'etf'],
    ].map((table) => [`${table} as CSV`, json(() => `/v1/tables/${table}.csv.gz`)]),
  ),
  // Conditional requests and methods
  'an answer that somebody else has': {
    get: ({ secret }) => `/v1/series?metrics=price,${secret}&limit=3`,
    headers: ({ etag }) => ({ 'if-none-match': etag }),
    blind: true,
  },
  'any answer': {
    get: ({ secret }) => `/v1/series?metrics=${secret}`,
    headers: () => ({ 'if-none-match': '*' }),
    blind: true,
  },
  'the length of an answer': {
    get: ({ far, secret }) => `/v1/series?metrics=price,${secret}&start_date=${far}`,
    method: 'HEAD',
  },
  'part of an answer': {
    get: ({ secret }) => `/v1/series?metrics=${secret}`,
    headers: () => ({ range: 'bytes=0-500' }),
  },
  'another method by a header': {
    get: ({ secret }) => `/v1/series?metrics=${secret}`,
    headers: () => ({ 'x-http-method-override': 'HEAD', 'x-original-url': '/v1/prices', 'x-tier': 'enterprise' }),
  },
  'a method that is not served': { get: ({ secret }) => `/v1/series?metrics=${secret}`, method: 'PUT', blind: true },
  // Charts
  'a chart of all days': drawn(({ far }) => ({ metric: open, overlay: 'price', start_date: far })),
  'its values as CSV': drawn(({ far }) => ({ metrics: ['price', open], start_date: far }), 'csv'),
  'its picture': drawn(({ far }) => ({ metric: open, start_date: far }), 'svg'),
  'records in a chart': drawn(() => ({ metric: 'price', formulas: [{ expression: 'cummax(m1)' }], range: 'all' })),
  'a level from a withheld metric': drawn(({ secret }) => ({
    metric: 'price',
    reference_lines: [{ y_formula: secret }],
  })),
  'a line coloured by a withheld metric': drawn(({ secret }) => ({ metrics: [{ id: 'price', color_by: secret }] })),
  'crossings with a withheld metric': drawn(({ secret }) => ({
    metric: 'price',
    formulas: [{ expression: secret }],
    crossings: [{ line: 'm1', crosses: 'f1', up: 'x', down: 'y' }],
  })),
  'a calendar of months': drawn(() => ({ calendar: { metric: open } })),
  'cycles by their days': drawn(() => ({ metric: open, x_axis: 'day_offset', cycle_family: 'halving' })),
  'a histogram of costs': drawn(() => ({ histogram: { metric: 'cost_basis_distribution', bins: 20 } })),
  'a chart by blocks': drawn(({ far }) => ({ metric: open, interval: 'block', start_date: far }), 'rows'),
  'a chart of first values': blind(
    drawn(({ far }) => ({ metric: open, as_of: firstValuesAsOf, start_date: far }), 'rows'),
  ),
  'extremes in the description of a chart': drawn(() => ({ metric: 'price', range: 'all' }), 'json'),
  // Alerts
  'when an alert would have fired': trial(() => ({ metric: open, condition: { kind: 'below', value: 3 } })),
  'records by alerts': trial(() => ({ metric: 'price', condition: { kind: 'all_time_high' } })),
  'changes over hidden days by alerts': trial(() => ({
    metric: 'price',
    condition: { kind: 'change', percent: 1, days: 60 },
  })),
  'ranks by alerts': trial(() => ({ formula: 'price + 1', condition: { kind: 'percentile', percentile: 50 } })),
  'alerts on a withheld metric': trial(({ secret }) => ({ metric: secret, condition: { kind: 'above', value: 1 } })),
  'alerts on a formula of it': trial(({ secret }) => ({
    formula: `${secret} > 100`,
    condition: { kind: 'above', value: 0 },
  })),
  // Tools
  'a series by the tools': {
    tool: ({ far, secret }) => ['get_series', { metrics: ['price', secret], start_date: far }],
  },
  'a formula by the tools': { tool: () => ['get_series', { formula: `shift(${open}, 20)`, days: 400 }] },
  'days with a condition': { tool: () => ['find_days', { condition: `${open} > 1` }] },
  'the highest days': { tool: () => ['top_days', { metric: 'price', limit: 50 }] },
  correlations: { tool: () => ['compare_metrics', { metrics: ['price', open] }] },
  'the cost basis by the tools': { tool: ({ hidden }) => ['get_cost_basis', { date: hidden }] },
  'the newest values by the tools': { tool: () => ['get_latest_metrics', {}] },
  'a trial by the tools': {
    tool: () => ['manage_alerts', { action: 'try', metric: 'price', condition: { kind: 'all_time_high' } }],
  },
  'a chart by the tools': { tool: () => ['render_chart', { metric: open, format: 'json', days: 400 }] },
  'a cohort by the tools': { tool: ({ far }) => ['get_cohort_metrics', { cohort: '1m_3m', start_date: far }] },
  // Names and errors, which hold no values
  'a search for a metric': { get: ({ secret }) => `/v1/metrics?q=${secret}`, blind: true },
  'the definition of a metric': { get: ({ secret }) => `/v1/metrics/${secret}`, blind: true },
  'an error in a formula': { get: ({ secret }) => formula(`${secret} +`), blind: true },
  'an unknown function of a withheld metric': { get: ({ secret }) => formula(`last(${secret})`), blind: true },
  'the state of the service': { get: () => '/v1/status', blind: true },
}

interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

/** Random, or of a time or place. */
const unsteady = /^(etag|date|x-render-id|x-request-id|retry-after|x?-?ratelimit.*|connection|keep-alive)$/

async function ask(service: ToolService, tier: Tier, way: Way, place: Place): Promise<Answer> {
  if ('tool' in way) {
    const key = worlds.headers.get(tier)?.authorization?.replace('Bearer ', '')
    const name = `${service.url} ${key}`
    const assistant = assistants.get(name) ?? (await http.connect(service, key))
    assistants.set(name, assistant)
    return { status: 0, headers: [], body: JSON.stringify(await assistant.call(...way.tool(place))) }
  }
  const { get, headers, body, method = body ? 'POST' : 'GET' } = way
  const response = await fetch(service.url + get(place), {
    method,
    headers: { ...worlds.headers.get(tier), ...headers?.(place), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body(place)) }),
  })
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !unsteady.test(name)),
    body: text,
  }
}

/** Ranks of the newest values in all history are for everybody, at their endpoint and in tools. */
const ranks = [
  /"(percentile|percentile_7d_ago|change_percentile|like)":("[^"]*"|[-\d.]+|null)/g,
  /"percentile":\{"value":[-\d.]+/g,
]

/** Without what is random or names the server or a time, and without ranks. */
function comparable({ status, headers, body }: Answer): string {
  const steady = body
    .replaceAll('\\"', '"')
    .replaceAll(/"(timestamp|at)":"[^"]*"/g, '')
    .replaceAll(/127\.0\.0\.1:\d+/g, '')
    .replaceAll(/[0-9a-f]{32}/g, '')
    // The size of all tables together.
    .replaceAll(/"bytes":\d+/g, '')
  const text = ranks.reduce((rest, rank) => rest.replaceAll(rank, ''), steady)
  // Ranks have more or fewer digits.
  const hasRanks = text !== steady
  return JSON.stringify([status, headers.filter(([name]) => !hasRanks || name !== 'content-length'), text])
}

const placeOf = (tier: Tier, etag: string): Place => {
  const first = firstSeen(tier)
  return {
    hidden: isoDate(first - 1),
    far: isoDate(first - 40),
    first: isoDate(first),
    last: isoDate(lastDay),
    secret: secretOf(tier),
    earlier: worlds.earlier,
    etag,
  }
}

/** Asks two worlds that differ only in what the tier may not see. */
async function compare(way: Way, tier: CutTier, by: Tier): Promise<readonly [string, string]> {
  const etag = 'get' in way && way.headers ? await etagFor(way, tier) : ''
  const answers = [worlds.same, worlds.other[tier]].map((service) => ask(service, by, way, placeOf(tier, etag)))
  const [one, other] = await Promise.all(answers)
  return [comparable(one!), comparable(other!)]
}

async function etagFor(way: Extract<Way, { get: unknown }>, tier: CutTier): Promise<string> {
  const response = await fetch(worlds.same.url + way.get(placeOf(tier, '')), {
    headers: worlds.headers.get('enterprise')!,
  })
  return response.headers.get('etag') ?? ''
}

test.each(Object.entries(ways))('%s shows a tier nothing that it may not see', async (_, way) => {
  let isShown = false
  for (const tier of cutTiers) {
    const [one, other] = await compare(way, tier, tier)
    expect([tier, other]).toEqual([tier, one])
    if (isShown) continue
    const [all, changed] = await compare(way, tier, 'enterprise')
    isShown = all !== changed
  }
  // Otherwise the request would not reach what is hidden, and prove nothing.
  expect(isShown).toBe(way.blind !== true)
})

test('there are 60 ways and more', () => {
  expect(Object.keys(ways).length).toBeGreaterThanOrEqual(60)
})

import { udfPath } from '#api/http/error-handler.ts'
import { type AccountAction, accountActions } from '#contract/accounts/actions.ts'
import { balanceMeasureNames } from '#contract/balance-measures.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { oauthPaths } from '#contract/oauth.ts'
import { pages } from '#contract/pages.ts'
import { paths } from '#contract/paths.ts'
import { servedCohorts } from '#contract/served-cohorts.ts'

/** An enterprise key, nobody, or a browser signed in to the account of `full-account.ts`. */
type Asker = 'key' | 'nobody' | 'session'

/** A request with the most work that it may ask for. Attempts are numbered, because answers are cached. */
export interface WorstRequest {
  /** Shown in the table. */
  readonly what: string
  readonly asker?: Asker
  readonly path?: (attempt: number) => string
  readonly body?: (attempt: number) => unknown
  /** A body that is sent as it is. */
  readonly text?: (attempt: number) => string
  readonly headers?: Readonly<Record<string, string>>
  /** Default: 200; `page` is also 404, if the pages are not built. */
  readonly status?: number | 'page'
  /** Attempts that find no cache filled. */
  readonly attempts?: number
}

export interface Known {
  /** Ids of all metrics, the measures of cohorts first. */
  readonly ids: readonly string[]
  /** In one unit, for charts. */
  readonly usdIds: readonly string[]
  /** With hours and rows after blocks. */
  readonly fineIds: readonly string[]
  readonly earlier: string
  /** A public picture of the largest chart. */
  readonly picture: string
  readonly alert: string
  readonly webhook: string
}

const firstDate = '2009-01-03'
const pick = <Value>(values: readonly Value[], attempt: number): Value => values[attempt % values.length]!
const longIntervals = ['1w', '1m', '1y'] as const

/** Worst value of each query parameter of data endpoints; null if it cannot lengthen the work. */
const worstValues: Readonly<Record<string, ((attempt: number) => string) | null>> = {
  // Changes the address, so that no cache answers.
  limit: (attempt) => String(10_000 - attempt),
  start_date: () => firstDate,
  fields: () => 'all',
  variants: () => 'all',
  cohorts: () => 'true',
  period: (attempt) => pick(['day', 'week', 'month'], attempt),
  ticker: () => 'IBIT',
  exchange: () => 'binance',
  id: () => '1',
  measure: (attempt) => pick(balanceMeasureNames, attempt),
  metric: () => 'price',
  order: null,
  end_date: null,
  offset: null,
  cursor: null,
  interval: null,
  aggregate: null,
  generation: null,
  as_of: null,
  format: null,
  strict: null,
  bom: null,
  symbol: null,
  active_only: null,
  q: null,
  metrics: null,
  formula: null,
  digits: null,
  from: null,
  type: null,
  family: null,
  label: null,
  bins: null,
  scale: null,
  date: null,
  date_processed: null,
  cohort_start: null,
  cohort_end: null,
  min_height: null,
  max_height: null,
}
const worstParts: Readonly<Record<string, (attempt: number) => string>> = {
  cohort: (attempt) => pick(servedCohorts, attempt),
  metric: () => 'blocks_mined',
  id: () => '1',
  metric_id: () => 'mvrv',
}

/** All rows with all fields; in order of time, by weeks, months and years, as CSV and Parquet. */
function ofEndpoint(endpoint: Endpoint): WorstRequest[] {
  const names = Object.keys(endpoint.query.shape)
  const unknown = names.filter((name) => !(name in worstValues))
  if (unknown.length > 0) throw new Error(`name the worst values of ${unknown.join(', ')} (${endpoint.id})`)
  const request = (what: string, more: (attempt: number) => Readonly<Record<string, string>>): WorstRequest => ({
    what,
    path: (attempt) => {
      const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => worstParts[name]!(attempt))
      const given = names.flatMap((name) => {
        const value = worstValues[name]?.(attempt)
        return value === undefined ? [] : [[name, value]]
      })
      return `${path}?${new URLSearchParams({ ...Object.fromEntries(given), ...more(attempt) })}`
    },
  })
  const requests = [request('all rows, all fields', () => ({}))]
  if (names.includes('order'))
    requests.push(request('all rows, ascending, CSV', () => ({ order: 'asc', format: 'csv' })))
  if (names.includes('format')) requests.push(request('all rows, Parquet', () => ({ format: 'parquet' })))
  if (names.includes('interval'))
    requests.push({
      ...request('by week, month, year', (attempt) => ({ interval: pick(longIntervals, attempt) })),
      attempts: 3,
    })
  return requests
}

export const misspeltWords = (attempt: number): string =>
  `${'realizd pric suply holdrs exchang transactn volme markt profitt vallue '.repeat(3)}${attempt}`.slice(-200)
/** Operations over short windows, which have values: 48 levels, as often as they fit. */
export const slowFormula = (attempt: number, length = 980): string => {
  const one = `${'median('.repeat(48)}price${Array.from({ length: 48 }, (_, i) => `,${20 + i})`).join('')}`
  return `${Array.from({ length: Math.floor((length - 8) / (one.length + 1)) }, () => one).join('+')}+${attempt}`
}
const query = (path: string, parameters: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(parameters)}`
const fifty = ({ ids }: Known, attempt: number): string => ids.slice(50 * attempt, 50 * attempt + 50).join(',')
/** The most values that an array of 32 kB holds, and the most names. */
export const manyValues = (bytes: number): string => `[${'[],'.repeat((bytes - 10) / 3)}[]]`
export const manyNames = (bytes: number): string =>
  `{${Array.from({ length: bytes / 10 }, (_, i) => `"${i.toString(36)}":0`).join(',')}}`

export function worstRequests(known: Known): Readonly<Record<string, readonly WorstRequest[]>> {
  const { ids, usdIds } = known
  return {
    ...Object.fromEntries(Object.values(endpoints).map((endpoint) => [`GET ${endpoint.path}`, ofEndpoint(endpoint)])),
    [`GET ${endpoints.series.path}`]: [
      {
        what: '50 metrics, all days, rounded',
        path: (attempt) => query('/v1/series', { metrics: fifty(known, attempt), start_date: firstDate, digits: '17' }),
      },
      {
        what: '50 metrics by week, month, year',
        attempts: 3,
        path: (attempt) =>
          query('/v1/series', {
            metrics: fifty(known, attempt),
            start_date: firstDate,
            interval: pick(longIntervals, attempt),
            digits: '17',
          }),
      },
      {
        what: 'a formula of 1,000 characters',
        path: (attempt) => query('/v1/series', { formula: slowFormula(attempt), limit: '10000' }),
      },
      {
        what: 'short formulas over all metrics',
        path: (attempt) =>
          query('/v1/series', {
            formula: `${ids
              .slice(0, 60)
              .join('+')
              .slice(0, 980)
              .replace(/\+\w*$/, '')}+${attempt}`,
            limit: '10000',
          }),
      },
      {
        what: '50 metrics by hour',
        path: (attempt) =>
          query('/v1/series', { metrics: known.fineIds.join(), interval: '1h', limit: String(9_999 - attempt) }),
      },
      {
        what: '50 metrics by block',
        path: (attempt) =>
          query('/v1/series', { metrics: known.fineIds.join(), interval: 'block', limit: String(9_999 - attempt) }),
      },
      {
        what: 'first published values of 50 metrics',
        attempts: 3,
        path: (attempt) =>
          query('/v1/series', {
            metrics: known.fineIds.slice(attempt, attempt + 45).join(),
            start_date: '2016-01-01',
            as_of: '2019-06-01',
          }),
      },
      {
        what: '50 metrics of a retained generation',
        attempts: 3,
        path: (attempt) =>
          query('/v1/series', { metrics: fifty(known, attempt), start_date: firstDate, generation: known.earlier }),
      },
    ],
    [`GET ${endpoints.metrics.path}`]: [
      ...ofEndpoint(endpoints.metrics),
      {
        what: 'search of 200 characters',
        path: (attempt) =>
          query('/v1/metrics', {
            q: `${'price of coins that holders realized supply in loss '.repeat(4)} ${attempt}`.slice(-200),
            fields: 'all',
          }),
      },
      { what: 'search of misspelt words', path: (attempt) => query('/v1/metrics', { q: misspeltWords(attempt) }) },
      {
        what: 'search of 100 words',
        path: (attempt) => query('/v1/metrics', { q: `${'a b c d e f g h '.repeat(12)}${attempt}` }),
      },
    ],
    [`GET ${endpoints.metric.path}`]: [
      { what: 'an unknown id', path: (attempt) => `/v1/metrics/realised_prise_of_holders_${attempt}`, status: 404 },
      { what: 'all fields', path: (attempt) => `/v1/metrics/${ids[attempt]}?fields=all` },
    ],
    [`GET ${endpoints.revisions.path}`]: [
      {
        what: 'all days',
        attempts: 3,
        path: (attempt) => query('/v1/revisions', { metric: ids[attempt]!, start_date: firstDate }),
      },
    ],
    [`GET ${endpoints.costBasis.path}`]: [
      ...ofEndpoint(endpoints.costBasis),
      {
        what: '2,000 bins',
        path: (attempt) => query('/v1/cost-basis', { bins: String(2_000 - attempt), start_date: firstDate }),
      },
    ],
    [`GET ${udfPath}/config`]: plain(),
    [`GET ${udfPath}/symbols`]: [
      {
        what: 'an unknown one',
        path: (attempt) => query(`${udfPath}/symbols`, { symbol: `realised_prise_of_holders_${attempt}` }),
        status: 404,
      },
    ],
    [`GET ${udfPath}/search`]: [
      {
        what: '200 characters',
        path: (attempt) =>
          query(`${udfPath}/search`, {
            query: `${'price of coins that holders realized supply in loss '.repeat(4)} ${attempt}`.slice(-200),
          }),
      },
      {
        what: 'all metrics of a category',
        path: (attempt) => query(`${udfPath}/search`, { type: 'supply', limit: String(9_999 - attempt) }),
      },
    ],
    [`GET ${udfPath}/history`]: [
      {
        what: 'candles of all days',
        path: (attempt) =>
          query(`${udfPath}/history`, { symbol: 'price', resolution: '1D', to: String(4e9 + attempt) }),
      },
      {
        what: '10,000 hours',
        path: (attempt) =>
          query(`${udfPath}/history`, { symbol: 'difficulty', resolution: '60', to: String(4e9 + attempt) }),
      },
      {
        what: 'an unknown symbol',
        path: (attempt) =>
          query(`${udfPath}/history`, { symbol: `realised_prise_${attempt}`, resolution: '1D', to: '4000000000' }),
        status: 404,
      },
    ],
    [`GET ${paths.chart}`]: [
      {
        what: '6 metrics, all days, PNG',
        path: (attempt) =>
          query(paths.chart, {
            metrics: usdIds.slice(0, 6).join(),
            days: '10000',
            title: `${attempt}`,
            width: '2400',
            height: '1200',
          }),
      },
    ],
    [`POST ${paths.chart}`]: [
      ...(['png', 'svg', 'json', 'rows', 'csv', 'spec'] as const).map((format) =>
        chart(`12 metrics, 12 formulas, 40 levels, ${format}`, (attempt) => ({
          ...largeChart(usdIds, attempt),
          format,
        })),
      ),
      chart('12 metrics stacked, percent', (attempt) => ({
        metrics: usdIds.slice(12, 24).map((id) => ({ id, style: 'area' })),
        stacked: 'percent',
        days: 10_000,
        format: 'json',
        title: `${attempt}`,
      })),
      chart('normalised to percentiles', (attempt) => ({
        metrics: usdIds.slice(0, 12),
        normalize: 'percentile',
        days: 10_000,
        format: 'json',
        title: `${attempt}`,
      })),
      chart('cycles', (attempt) => ({
        metric: 'price',
        x_axis: 'day_offset',
        cycle_family: 'ath',
        days: 10_000,
        format: 'json',
        title: `${attempt}`,
      })),
      chart('a heatmap of all days with 400 bins', (attempt) => ({
        heatmap: { metric: 'cost_basis_distribution', bins: 400 - attempt },
        days: 10_000,
        format: 'json',
        width: 2_400,
      })),
      chart('a heatmap of all days with all bins', (attempt) => ({
        heatmap: { metric: 'cost_basis_distribution' },
        days: 10_000,
        format: 'json',
        width: 2_400,
        title: `${attempt}`,
      })),
      chart('a histogram with 400 bins', (attempt) => ({
        histogram: { metric: 'cost_basis_distribution', bins: 400 - attempt },
        format: 'json',
      })),
      chart('a calendar', (attempt) => ({
        calendar: { metric: 'price' },
        format: 'json',
        days: 10_000,
        title: `${attempt}`,
      })),
      chart('colours by a formula', (attempt) => ({
        metrics: [{ id: 'price', color_by: `median(mvrv,${50 + attempt})` }],
        days: 10_000,
        format: 'json',
      })),
      chart('by weeks, months, years', (attempt) => ({
        ...largeChart(usdIds, attempt),
        interval: pick(['week', 'month', 'year'], attempt),
        format: 'json',
      })),
      { what: '256 kB of arrays', text: () => manyValues(256_000), status: 400 },
      { what: '256 kB of names', text: () => manyNames(256_000), status: 400 },
      { what: '256 kB of brackets', text: () => '['.repeat(256_000), status: 400 },
      { what: '256 kB of one name', text: () => `{"${'a'.repeat(256_000)}":0}`, status: 400 },
      { what: '256 kB of one text', text: () => `{"title":"${'a'.repeat(250_000)}"}`, status: 400 },
    ],
    [`GET ${paths.render}`]: [
      { what: 'an unknown one', path: () => `/v1/chart/renders/${'0'.repeat(32)}.png`, status: 404 },
    ],
    [`GET ${paths.picture}`]: [{ what: 'the largest chart', asker: 'nobody', path: () => `/p/${known.picture}.png` }],
    [`GET ${paths.table}`]: [{ what: 'the whole catalogue', path: () => '/v1/tables/catalogue.parquet' }],
    [`GET ${paths.events}`]: [
      { what: 'one listener; see the loops', asker: 'nobody', attempts: 1, headers: { accept: 'text/event-stream' } },
    ],
    [`GET ${paths.docs}`]: plain(),
    'GET /docs/assets/swagger-ui.css': plain(),
    'GET /docs/assets/swagger-ui-bundle.js': plain(),
    'GET /docs/page.js': plain(),
    [`GET ${paths.status}`]: plain(),
    [`GET ${paths.wallets}`]: [{ what: 'a wallet with lines of 6,000 days', asker: 'session' }],
    [`GET ${paths.health}`]: plain(),
    [`GET ${paths.live}`]: plain(),
    [`GET ${paths.ready}`]: plain(),
    [`GET ${paths.widget}`]: plain(),
    [`GET ${paths.changelog}`]: plain(),
    [`GET ${paths.welcome}`]: [
      { what: 'an unknown token', asker: 'nobody', path: () => `/welcome/${'a'.repeat(100)}`, status: 404 },
    ],
    [`GET ${paths.stopMail}`]: [{ what: 'any token', asker: 'nobody', path: () => '/stop-mail/x', status: 303 }],
    [`POST ${paths.stopMail}`]: [
      { what: 'a long token', asker: 'nobody', path: () => `/stop-mail/${'a'.repeat(8_000)}`, status: 404 },
    ],
    [`GET ${paths.guide}`]: pageOf(() => '/docs/node.md'),
    [`GET ${paths.guides}`]: pageOf(() => paths.guides),
    [`GET ${paths.embed}`]: pageOf(() => '/embed/price'),
    'GET /assets/{name}': [{ what: 'an unknown name', asker: 'nobody', path: () => '/assets/none.js', status: 404 }],
    ...Object.fromEntries(
      Object.values(pages).map((path) => [`GET ${path}`, pageOf(() => path.replaceAll(/\{\w+\}/g, 'price'))]),
    ),
    ...accountRequests(known),
    'GET /.well-known/oauth-authorization-server': plain(),
    'GET /.well-known/oauth-protected-resource/mcp': plain(),
    'GET /.well-known/oauth-protected-resource/mcp/account': plain(),
    [`POST ${oauthPaths.register}`]: [
      {
        what: '10 addresses, beside 10,000 clients',
        asker: 'nobody',
        body: (attempt) => ({
          client_name: 'a'.repeat(200),
          redirect_uris: Array.from({ length: 10 }, (_, i) => `https://example.org/${'a'.repeat(450)}${attempt}${i}`),
        }),
        status: 201,
      },
      { what: '16 kB of arrays', asker: 'nobody', text: () => manyValues(16_000), status: 400 },
      { what: '16 kB of names', asker: 'nobody', text: () => manyNames(16_000), status: 400 },
    ],
    [`POST ${oauthPaths.token}`]: [ofForm('16 kB of parameters', 413)],
    [`POST ${oauthPaths.revoke}`]: [ofForm('16 kB of parameters', 413)],
  }
}

const chart = (what: string, body: (attempt: number) => unknown): WorstRequest => ({ what, body })

export const largeChart = (ids: readonly string[], attempt: number) => ({
  metrics: ids.slice(0, 12),
  days: 10_000,
  title: `${attempt}`,
  width: 2_400,
  height: 1_200,
  formulas: Array.from({ length: 12 }, (_, i) => ({ expression: `median(m${i + 1},${30 + i})` })),
  reference_lines: Array.from({ length: 20 }, (_, i) => ({ y_formula: `cummax(m${(i % 12) + 1})*${1 + i / 100}` })),
  reference_areas: Array.from({ length: 20 }, (_, i) => ({ y1_formula: `sma(m${(i % 12) + 1},${30 + i})` })),
  crossings: [{ line: 'm1', crosses: 'f1', up: 'up', down: 'down' }],
  halvings: true,
  events: true,
})

const plain = (): WorstRequest[] => [{ what: '', asker: 'nobody' }]
const pageOf = (path: () => string): WorstRequest[] => [
  { what: '', asker: 'nobody', path, status: 'page', headers: { accept: 'text/html' } },
]
const ofForm = (what: string, status: number): WorstRequest => ({
  what,
  asker: 'nobody',
  text: () => `a=${'a&b='.repeat(3_900)}`,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  status,
})

/** Passkeys need a name that browsers trust. */
const local = { host: 'localhost', origin: 'http://localhost' }
const long = 'a'.repeat(7_000)
const credential = {
  id: 'a'.repeat(2_040),
  response: { clientDataJSON: long, authenticatorData: long, publicKey: long, signature: long.slice(0, 6_000) },
}

/** Requests of an account at all of its limits. */
function accountRequests({ usdIds, alert, webhook }: Known): Record<string, readonly WorstRequest[]> {
  const session = (what: string, more: Partial<WorstRequest> = {}): WorstRequest => ({
    what,
    asker: 'session',
    ...more,
  })
  const hostile = (size = 32_000): WorstRequest[] => [
    session(`${size / 1_000} kB of arrays`, { text: () => manyValues(size), status: 400 }),
    session(`${size / 1_000} kB of names`, { text: () => manyNames(size), status: 400 }),
  ]
  const alertOf = (condition: object) => (attempt: number) => ({ formula: slowFormula(attempt, 998), condition })
  const conditions = [
    { kind: 'percentile', percentile: 50 },
    { kind: 'change', days: 365, percent: 1e-9 },
    { kind: 'all_time_high' },
    { kind: 'above', value: 5_000 },
  ]
  const unknownId = (prefix: string) => () => `${prefix}/none`
  const of = (action: AccountAction, requests: readonly WorstRequest[]) =>
    [`${action.method.toUpperCase()} ${action.path}`, requests] as const
  const a = accountActions
  return Object.fromEntries([
    of(a.access, plain()),
    of(a.signUp, [
      session('the longest address and password', {
        body: () => ({ email: `a@${'b.'.repeat(80)}org`, password: 'correct battery '.repeat(12) }),
        status: 202,
      }),
      ...hostile(),
    ]),
    of(a.signIn, [
      session('a wrong password of 200 characters', {
        body: () => ({ email: 'session@example.org', password: 'x'.repeat(200) }),
        status: 401,
      }),
    ]),
    of(a.passkeyChallenge, [session('', { status: 201, headers: local })]),
    of(a.passkeySignIn, [
      session('the largest credential', { body: () => ({ credential }), status: 401, headers: local }),
    ]),
    of(a.lookUpLink, [session('a wrong token', { body: () => ({ token: 'x'.repeat(100) }), status: 404 })]),
    of(a.takeLink, [
      session('a wrong token', { body: () => ({ token: 'x'.repeat(100), password: 'y'.repeat(200) }), status: 404 }),
    ]),
    of(a.sessions, [session('1,000 sessions')]),
    of(a.signOut, [session('without a session', { asker: 'nobody', status: 401 })]),
    of(a.endSession, [session('an unknown one', { path: unknownId('/v1/sessions'), status: 404 })]),
    of(a.confirm, [session('a wrong password', { body: () => ({ password: 'x'.repeat(200) }), status: 401 })]),
    of(a.account, [session('')]),
    of(a.accountLog, [session('1,000 changes')]),
    of(a.changePassword, [
      session('a wrong password', {
        body: () => ({ password: 'x'.repeat(200), new_password: 'correct battery '.repeat(12) }),
        status: 401,
      }),
    ]),
    of(a.startCodes, [session('', { status: 201 })]),
    of(a.confirmCodes, [session('a wrong code', { body: () => ({ code: '0'.repeat(40) }), status: 401 })]),
    of(a.removeCodes, [session('')]),
    of(a.renewRecoveryCodes, [session('without codes', { status: 403 })]),
    of(a.passkeys, [session('')]),
    of(a.startPasskey, [session('', { status: 201, headers: local })]),
    of(a.addPasskey, [
      session('the largest credential', {
        body: () => ({ name: 'x'.repeat(100), credential }),
        status: 401,
        headers: local,
      }),
      ...hostile().map((one) => ({ ...one, headers: local })),
    ]),
    of(a.removePasskey, [session('an unknown one', { path: unknownId('/v1/passkeys'), status: 404 })]),
    of(a.keys, [session('100 keys, 10,000 uses')]),
    of(a.createKey, [
      session('a hundredth and one', { body: () => ({ name: 'x'.repeat(100) }), status: 403 }),
      ...hostile(),
    ]),
    of(a.revokeKey, [session('an unknown one', { path: unknownId('/v1/keys'), status: 404 })]),
    of(a.usage, [session('2,000 of 10,000 uses')]),
    of(a.webhooks, [session('10 webhooks')]),
    of(a.createWebhook, [
      session('an eleventh', {
        body: () => ({ name: 'x', url: 'https://example.org/x', events: ['generation', 'today', 'market'] }),
        status: 403,
      }),
      ...hostile(),
    ]),
    of(a.rotateWebhook, [session('', { path: () => `/v1/webhooks/${webhook}/secret`, status: 201 })]),
    of(a.testWebhook, [session('', { path: () => `/v1/webhooks/${webhook}/test` })]),
    of(a.removeWebhook, [session('an unknown one', { path: unknownId('/v1/webhooks'), status: 404 })]),
    of(a.connections, [session('')]),
    of(a.lookUpConnection, [
      session('8,000 characters', { body: () => ({ query: 'a&'.repeat(4_000) }), status: 400 }),
      ...hostile(),
    ]),
    of(a.createConnection, [session('8,000 characters', { body: () => ({ query: 'a&'.repeat(4_000) }), status: 400 })]),
    of(a.removeConnection, [session('an unknown one', { path: unknownId('/v1/connections'), status: 404 })]),
    of(a.pictures, [session('100 pictures')]),
    of(a.createPicture, [
      session('the largest chart', {
        body: (attempt) => ({ name: 'x', chart: largeChart(usdIds, attempt) }),
        status: 403,
      }),
      ...hostile(),
    ]),
    of(a.removePicture, [session('an unknown one', { path: unknownId('/v1/pictures'), status: 404 })]),
    of(a.writeBoard, [
      session('50 charts of 2,000 characters', {
        body: () => ({
          title: 'x'.repeat(200),
          charts: Array.from({ length: 50 }, () => ({ title: 'x'.repeat(200), address: `/${'a'.repeat(1_999)}` })),
        }),
      }),
      ...hostile(128_000),
    ]),
    of(a.board, [session('50 charts of 2,000 characters')]),
    of(a.shareBoard, [session('50 charts of 2,000 characters', { status: 201 })]),
    of(a.sharedBoard, [session('an unknown one', { path: unknownId('/v1/boards'), status: 404 })]),
    of(a.unshareBoard, [session('50 charts of 2,000 characters')]),
    of(a.alerts, [session('500 alerts')]),
    of(a.oneAlert, [session('one of 500', { path: () => `/v1/alerts/${alert}` })]),
    of(a.tryAlert, [
      ...conditions.map((condition) => session(`${condition.kind}, 1,000 characters`, { body: alertOf(condition) })),
      ...hostile(),
    ]),
    of(a.createAlert, [session('the five hundred and first', { body: alertOf(conditions[0]!), status: 403 })]),
    of(a.changeAlert, [
      session('1,000 characters', { path: () => `/v1/alerts/${alert}`, body: alertOf(conditions[0]!) }),
    ]),
    of(a.alertEvents, [session('100 events', { path: () => `/v1/alerts/${alert}/events` })]),
    of(a.testAlert, [session('', { path: () => `/v1/alerts/${alert}/test`, status: 202 })]),
    of(a.removeAlert, [session('an unknown one of 500', { path: unknownId('/v1/alerts'), status: 404 })]),
    of(a.allowRescan, [session('', { status: 403 })]),
    of(a.saveMetric, [
      session('a formula of 1,000 characters', {
        body: (attempt) => ({
          ...{ id: `mine${attempt}`, title: `Mine ${attempt}`, unit: 'ratio', description: 'Long.' },
          formula: slowFormula(attempt),
        }),
        status: 201,
      }),
    ]),
    of(a.endOtherSessions, [session('1,000 sessions')]),
    of(a.deleteAccount, [session('an account with all of these', { attempts: 1 })]),
  ])
}

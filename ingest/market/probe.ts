import { millisecondsPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { missingKey } from './fetch.ts'
import { failedRequest, type HttpClient } from './http.ts'
import type { Cells } from './observations.ts'
import type { Sample, Series } from './series.ts'
import { clientOf, type Environment } from './settings.ts'
import type { MarketSource } from './source.ts'
import { marketSources } from './sources.ts'

/** How a source answers today, beside what its documentation says. */
export type Verdict = 'works' | 'changed' | 'refused' | 'unreachable' | 'no_key'

export interface Probe {
  readonly source: string
  readonly name: string
  readonly verdict: Verdict
  /** What differs, or why it refused; what it gave where it works. */
  readonly findings: readonly string[]
}

export interface ProbeOptions {
  readonly env: Environment
  /** Ids of the sources to ask; all of them without it. */
  readonly sources?: readonly string[]
  /** Milliseconds since 1970. */
  readonly now?: number
}

/** A difference of clocks below this is common. */
const toleratedClock = 2 * 60_000
/** Prices of two markets differ by less on any day since 2014. */
const toleratedPrice = 0.2
/** What a market's open interest amounts to, in coins: below and above is another unit. */
const plausibleCoins = { from: 200, to: 1_000_000 }
/** An average rate of a stretch beyond this would be percent in place of a fraction. */
const plausibleRate = 0.003

/**
 * Asks every endpoint once and compares what comes with what is documented: shape, unit (against the price), depth and
 * clock. Stores nothing. Throws `invalid_argument` for an unknown source, `invalid_configuration` for a bad address.
 */
export async function probeSources({ env, sources, now = Date.now() }: ProbeOptions): Promise<Probe[]> {
  const unknown = sources?.find((id) => !marketSources.some((source) => source.id === id))
  if (unknown !== undefined)
    throw new CoinstrataError('invalid_argument', `there is no market data source "${unknown}"`, {
      cure: `choose from ${marketSources.map(({ id }) => id).join(', ')}`,
    })
  const chosen = marketSources.filter(({ id }) => sources?.includes(id) ?? true)
  const answers = await Promise.all(
    chosen.map(async (source) => {
      const http = clientOf(source, env, { retries: 0 })
      return { source, http, asked: http ? await ask(source, http, now) : [] }
    }),
  )
  const price = priceOf(answers.flatMap(({ asked }) => asked))
  return answers.map(({ source, http, asked }) => {
    const { id, name } = source
    if (!http) return { source: id, name, verdict: 'no_key', findings: [missingKey(source).cure] }
    return { source: id, name, ...judge(asked, price, http.clockAhead(), now) }
  })
}

/** An endpoint and its answer, or why there is none. */
type Asked = { readonly endpoint: string } & (
  | { readonly kind: string; readonly sample: Sample }
  | { readonly error: CoinstrataError }
)

async function ask(source: MarketSource, http: HttpClient, now: number): Promise<Asked[]> {
  const asked: Asked[] = []
  const attempt = async (endpoint: string, work: () => Promise<{ kind: string; sample: Sample }>) => {
    try {
      asked.push({ endpoint, ...(await work()) })
    } catch (error) {
      if (!(error instanceof CoinstrataError)) throw error
      asked.push({ endpoint, error })
    }
  }
  // Several markets at one endpoint answer alike; the newest file of a fund stands for those of all days.
  const endpoints = Map.groupBy(source.series, ({ kind }) => kind)
  for (const [kind, all] of endpoints) {
    const series: Series = all.at(source.rotates ? 0 : all.length > 1 && kind === 'etf' ? -1 : 0)!
    await attempt(kind.replace('_', ' '), async () => ({ kind, sample: await series.sample(http, now) }))
  }
  const [snapshot] = source.snapshots ?? []
  if (snapshot)
    await attempt('open interest now', async () => {
      const row = await snapshot(http, now)
      const sample = { rows: [row], first: row.time, last: row.time, from: row.time, to: now + 1, every: undefined }
      return { kind: 'open_interest', sample }
    })
  return asked
}

/** The middle of the newest closes. */
function priceOf(asked: readonly Asked[]): number | undefined {
  const closes = asked.flatMap((answer) => {
    const close = 'sample' in answer && answer.kind === 'prices' ? answer.sample.rows.at(-1)?.close : undefined
    return typeof close === 'number' ? [close] : []
  })
  return closes.sort((a, b) => a - b)[Math.floor(closes.length / 2)]
}

function judge(
  asked: readonly Asked[],
  price: number | undefined,
  clockAhead: number | undefined,
  now: number,
): Pick<Probe, 'verdict' | 'findings'> {
  const found = (verdict: Verdict, endpoint: string, what: string) => ({ verdict, text: `${endpoint}: ${what}` })
  const clock =
    clockAhead !== undefined && Math.abs(clockAhead) > toleratedClock
      ? [found('changed', 'clock', `its clock and this machine's differ by ${hours(Math.abs(clockAhead))}`)]
      : []
  const findings = asked.flatMap((answer) =>
    'error' in answer
      ? [found(verdictOf(answer.error), answer.endpoint, answer.error.message)]
      : differences(answer, price, now).map((what) => found('changed', answer.endpoint, what)),
  )
  const all = [...clock, ...findings]
  const order: readonly Verdict[] = ['unreachable', 'refused', 'changed']
  const verdict = order.find((candidate) => all.some((finding) => finding.verdict === candidate))
  if (verdict) return { verdict, findings: all.map(({ text }) => text) }
  const gave = asked.map((answer) =>
    'sample' in answer ? `${answer.endpoint}: ${answer.sample.rows.length} rows` : '',
  )
  return { verdict: 'works', findings: gave }
}

function verdictOf(error: CoinstrataError): Verdict {
  if (error.code === 'market_source_blocked') return 'refused'
  const failure = failedRequest(error)
  // The answer came, in another form.
  if (!failure) return 'changed'
  const { status } = failure
  if (status === undefined || status === 404 || status === 410 || status >= 500) return 'unreachable'
  return [401, 403, 418, 429].includes(status) ? 'refused' : 'changed'
}

function differences(
  { kind, sample }: { kind: string; sample: Sample },
  price: number | undefined,
  now: number,
): string[] {
  const { rows, first, last, from, to, every } = sample
  if (rows.length === 0 || first === undefined || last === undefined)
    return every === undefined ? [] : ['nothing in a stretch of which it should have something']
  const said: string[] = []
  const stretch = to - from
  if (last > now + toleratedClock) said.push(`clock: its newest row is ${hours(last - now)} ahead of now`)
  if (every !== undefined) {
    const lag = Math.max(3 * every, 2 * millisecondsPerDay)
    if (to - last > lag) said.push(`clock: its newest row is ${hours(to - last)} old`)
    if (first - from > Math.max(3 * every, stretch / 10))
      said.push(`depth: asked for ${hours(stretch)}, it has ${hours(to - first)}`)
  }
  return [...said, ...unitDifferences(kind, rows, price)]
}

function unitDifferences(kind: string, rows: readonly Cells[], price: number | undefined): string[] {
  const row = rows.at(-1)!
  const far = (value: number, other: number): boolean => Math.abs(value / other - 1) > toleratedPrice
  const { close, rate, amount, unit, holdings_btc: holdings, aum_usd: assets } = row
  if (typeof close === 'number' && price !== undefined && far(close, price))
    return [`unit: its price is ${close} where the middle of all is ${price}`]
  if (typeof rate === 'number') {
    const rates = rows.map((other) => Math.abs(Number(other.rate)))
    const mean = rates.reduce((sum, value) => sum + value, 0) / rates.length
    return mean > plausibleRate ? [`unit: rates of ${mean.toPrecision(2)} on average would be percent`] : []
  }
  if (kind === 'open_interest' && typeof amount === 'number') {
    if (unit === 'usd' && price === undefined) return []
    const coins = unit === 'usd' ? amount / (price ?? 1) : amount
    return coins < plausibleCoins.from || coins > plausibleCoins.to
      ? [`unit: open interest of ${Math.round(coins)} BTC, outside of ${plausibleCoins.from} to ${plausibleCoins.to}`]
      : []
  }
  if (
    typeof holdings === 'number' &&
    typeof assets === 'number' &&
    price !== undefined &&
    far(assets / holdings, price)
  )
    return [`unit: its coins and net assets give a price of ${Math.round(assets / holdings)}`]
  return []
}

const hours = (milliseconds: number): string => {
  const value = milliseconds / 3_600_000
  return value > 48 ? `${Math.round(value / 24)} days` : `${value.toPrecision(2)} hours`
}

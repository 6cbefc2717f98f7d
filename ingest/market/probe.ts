import { msPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { missingKey } from './fetch.ts'
import { failedRequest, type HttpClient } from './http.ts'
import type { Cells } from './observations.ts'
import type { Sample, Series } from './series.ts'
import type { MarketSource } from './source.ts'
import { createSourceClient, type Environment } from './source-settings.ts'
import { findSources } from './sources.ts'

export type Verdict = 'works' | 'changed' | 'refused' | 'unreachable' | 'no_key'

export interface Probe {
  readonly source: string
  readonly name: string
  readonly verdict: Verdict
  readonly findings: readonly string[]
}

export interface ProbeOptions {
  readonly env: Environment
  /** Source ids; default: all. */
  readonly sources?: readonly string[]
  readonly now?: number
}

const maxClockDifferenceMs = 2 * 60_000
/** Fraction; no two markets differed more since 2014. */
const maxPriceDifference = 0.2
/** Open interest of one market in coins; others are in another unit. */
const plausibleCoins = { from: 200, to: 1_000_000 }
/** A higher average must be in percent. */
const plausibleRate = 0.003

/**
 * Requests every endpoint once and compares shape, unit (against the price), depth and clock with
 * the documentation. Stores nothing. Fails for an unknown source or invalid address.
 */
export async function probeSources({ env, sources, now = Date.now() }: ProbeOptions): Promise<Probe[]> {
  const asked = await Promise.all(
    findSources(sources).map(async (source) => {
      const http = createSourceClient(source, env, { retries: 0 })
      return { source, http, answers: http ? await ask(source, http, now) : [] }
    }),
  )
  const price = medianClose(asked.flatMap(({ answers }) => answers))
  return asked.map(({ source, http, answers }) => {
    const { id, name } = source
    if (!http) return { source: id, name, verdict: 'no_key', findings: [missingKey(source).cure] }
    return { source: id, name, ...judge(answers, price, http.clockAheadMs(), now) }
  })
}

type Answer = { readonly endpoint: string } & (
  | { readonly kind: string; readonly sample: Sample }
  | { readonly error: CoinstrataError }
)

async function ask(source: MarketSource, http: HttpClient, now: number): Promise<Answer[]> {
  const answers: Answer[] = []
  const attempt = async (endpoint: string, work: () => Promise<{ kind: string; sample: Sample }>) => {
    try {
      answers.push({ endpoint, ...(await work()) })
    } catch (error) {
      if (!(error instanceof CoinstrataError)) throw error
      answers.push({ endpoint, error })
    }
  }
  // Markets of one endpoint answer alike; a fund's newest file represents all days.
  const endpoints = Map.groupBy(source.series, ({ kind }) => kind)
  for (const [kind, all] of endpoints) {
    const series: Series = all.at(source.rotates ? 0 : all.length > 1 && kind === 'etf' ? -1 : 0)!
    await attempt(kind.replace('_', ' '), async () => ({ kind, sample: await series.sample(http, now) }))
  }
  const [snapshot] = source.snapshots ?? []
  if (snapshot)
    await attempt('open interest now', async () => {
      const row = await snapshot(http, now)
      const sample = {
        rows: [row],
        first: row.time,
        last: row.time,
        from: row.time,
        to: now + 1,
        intervalMs: undefined,
      }
      return { kind: 'open_interest', sample }
    })
  return answers
}

function medianClose(answers: readonly Answer[]): number | undefined {
  const closes = answers.flatMap((answer) => {
    const close = 'sample' in answer && answer.kind === 'prices' ? answer.sample.rows.at(-1)?.close : undefined
    return typeof close === 'number' ? [close] : []
  })
  return closes.sort((a, b) => a - b)[Math.floor(closes.length / 2)]
}

function judge(
  answers: readonly Answer[],
  price: number | undefined,
  clockAhead: number | undefined,
  now: number,
): Pick<Probe, 'verdict' | 'findings'> {
  const found = (verdict: Verdict, endpoint: string, what: string) => ({ verdict, text: `${endpoint}: ${what}` })
  const clock =
    clockAhead !== undefined && Math.abs(clockAhead) > maxClockDifferenceMs
      ? [found('changed', 'clock', `its clock and this machine's differ by ${formatHours(Math.abs(clockAhead))}`)]
      : []
  const findings = answers.flatMap((answer) =>
    'error' in answer
      ? [found(classifyError(answer.error), answer.endpoint, answer.error.message)]
      : differences(answer, price, now).map((what) => found('changed', answer.endpoint, what)),
  )
  const all = [...clock, ...findings]
  const order: readonly Verdict[] = ['unreachable', 'refused', 'changed']
  const verdict = order.find((candidate) => all.some((finding) => finding.verdict === candidate))
  if (verdict) return { verdict, findings: all.map(({ text }) => text) }
  const gave = answers.map((answer) =>
    'sample' in answer ? `${answer.endpoint}: ${answer.sample.rows.length} rows` : '',
  )
  return { verdict: 'works', findings: gave }
}

function classifyError(error: CoinstrataError): Verdict {
  if (error.code === 'market_source_blocked') return 'refused'
  const failure = failedRequest(error)
  // A response came, in another form.
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
  const { rows, first, last, from, to, intervalMs } = sample
  if (rows.length === 0 || first === undefined || last === undefined)
    return intervalMs === undefined ? [] : ['nothing in a stretch of which it should have something']
  const differences: string[] = []
  const stretch = to - from
  if (last > now + maxClockDifferenceMs)
    differences.push(`clock: its newest row is ${formatHours(last - now)} ahead of now`)
  if (intervalMs !== undefined) {
    const lag = Math.max(3 * intervalMs, 2 * msPerDay)
    if (to - last > lag) differences.push(`clock: its newest row is ${formatHours(to - last)} old`)
    if (first - from > Math.max(3 * intervalMs, stretch / 10))
      differences.push(`depth: asked for ${formatHours(stretch)}, it has ${formatHours(to - first)}`)
  }
  return [...differences, ...unitDifferences(kind, rows, price)]
}

function unitDifferences(kind: string, rows: readonly Cells[], price: number | undefined): string[] {
  const row = rows.at(-1)!
  const far = (value: number, other: number): boolean => Math.abs(value / other - 1) > maxPriceDifference
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

const formatHours = (milliseconds: number): string => {
  const value = milliseconds / 3_600_000
  return value > 48 ? `${Math.round(value / 24)} days` : `${value.toPrecision(2)} hours`
}

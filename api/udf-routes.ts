import { z } from 'zod'
import { hoursPerDay, isoDate, secondsPerDay } from '#base/days.ts'
import { mapInTurns } from '#base/own-turn.ts'
import { startOfPeriod } from '#contract/intervals.ts'
import { rowLimit } from '#contract/parameters.ts'
import type { Answer } from '#query/answers/answer.ts'
import { requireSeries } from '#query/answers/series.ts'
import { isSeries, type Metric } from '#query/catalogue.ts'
import { parsePart, readQuery } from '#query/parse-request.ts'
import { emptyTable, inRowOrder, type Table } from '#query/table/columns.ts'
import { View } from '#query/view.ts'
import { udfPath } from './http/error-handler.ts'
import type { ParsedRequest, Route } from './http/route.ts'
import { routes } from './routes.ts'

const exchange = 'COINSTRATA'
const withoutExchange = (text: string): string => text.replace(new RegExp(`^${exchange}:`, 'i'), '')
const resolutions = { '60': '1h', D: '1d', '1D': '1d', W: '1w', '1W': '1w', M: '1m', '1M': '1m' } as const
/** Minimal and maximal days between the beginnings of bars; hours are read by whole days. */
const periods = { '1h': [1 / hoursPerDay, 1], '1d': [1, 1], '1w': [7, 7], '1m': [28, 31] } as const
const offered = ['60', '1D', '1W', '1M']

const name = z.string({ error: 'is missing' }).regex(/^[ -+\--~]{1,100}$/, 'must be the id of one metric')
const symbol = name.transform(withoutExchange)
const time = z.string({ error: 'is missing' }).regex(/^-?\d{1,12}$/, 'must be whole seconds since 1970')
const digits = z.string().regex(/^\d{1,9}$/, 'must be a whole number')
const count = digits.transform(Number)
const text = z.string().max(200, 'must have at most 200 characters').default('')
const searchQuery = z.object({ query: text.transform(withoutExchange), type: text, limit: count.default(30) })
const historyQuery = z.object({
  symbol,
  resolution: z
    .literal(['60', 'D', '1D', 'W', '1W', 'M', '1M'], `must be one of ${offered.join(', ')}`)
    .transform((code) => resolutions[code]),
  from: time.default('0').transform(Number),
  to: time.transform(Number),
  countback: count.default(0),
})

/** Writes what the first request read as JSON, or the next one if there is nothing to write. */
type Translated = readonly [(read: Answer) => string | Promise<string | undefined>, ParsedRequest, ...ParsedRequest[]]

/**
 * Answers a request of TradingView's datafeed protocol (UDF) by those of `/v1`, with their rights,
 * limits and cost. Clients send parameters beyond `query`.
 */
function udfRoute<Query extends z.ZodObject>(
  name: string,
  route: Route,
  query: Query,
  translate: (asked: z.output<Query>, view: View) => Translated,
): Route {
  const endpoint = { ...route.endpoint, path: `${udfPath}/${name}` } as const
  const parse: Route['parse'] = (_, url) => {
    const asked = parsePart(query, readQuery(url))
    return {
      ...{ endpoint, format: 'json', hasMark: false, at: { acceptsFirstPublished: false } },
      expectedMs: (published, tier) => translate(asked, new View(published, tier))[1].expectedMs(published, tier),
      answer: async (published, tier, ...others) => {
        const [write, ...requests] = translate(asked, new View(published, tier))
        for (const request of requests) {
          const read = await request.answer(published, tier, ...others)
          const json = await write(read)
          if (json !== undefined) return { ...read, json }
        }
        return { table: emptyTable, json: '{"s":"no_data"}' }
      },
    }
  }
  return { endpoint, parse }
}

const request = (route: Route, parameters: Readonly<Record<string, string>>, path = {}): ParsedRequest =>
  route.parse(path, `?${new URLSearchParams(parameters)}`)

const firstTexts = ({ table: { columns } }: Answer): string[] =>
  columns[0]?.kind === 'text' ? columns[0].values.filter((value) => value !== null) : []

export const udfRoutes: readonly Route[] = [
  udfRoute('config', routes.metricCategories, z.object({}), () => [
    (categories) =>
      JSON.stringify({
        supports_search: true,
        supports_group_request: false,
        supported_resolutions: offered,
        symbols_types: ['', ...firstTexts(categories)].map((value) => ({ name: value || 'all', value })),
      }),
    request(routes.metricCategories, {}),
  ]),
  udfRoute('symbols', routes.metric, z.object({ symbol }), ({ symbol }, view) => [
    () => JSON.stringify(describeSymbol(requireSeries(view, symbol, 'symbol'), view.generation.attributions)),
    request(routes.metric, {}, { metric_id: symbol }),
  ]),
  udfRoute('search', routes.metrics, searchQuery, ({ query: q, type, limit }, { catalogue }) => [
    (read) => {
      const found = firstTexts(read).flatMap((id) => catalogue.find(id) ?? [])
      const series = found.filter((metric) => isSeries(metric) && (type === '' || type === metric.category))
      return JSON.stringify(series.slice(0, limit).map(nameSymbol))
    },
    request(routes.metrics, { active_only: 'true', fields: 'id', variants: 'all', ...(q !== '' && { q }) }),
  ]),
  udfRoute('history', routes.series, historyQuery, (asked, { catalogue, firstDay, lastDay }) => {
    const { symbol, resolution: interval, from, to, countback } = asked
    const [minDays, maxDays] = periods[interval]
    const candle = `open,high,low,price${interval === '1h' ? '' : ',volume'}`
    // For days before the caller's history, its first day is read, and then left out.
    const end = Math.max(firstDay, Math.floor((to - 1) / secondsPerDay) + maxDays - 1)
    const readNewest = (bars: number): ParsedRequest =>
      request(routes.series, {
        metrics: catalogue.find(symbol)?.id === 'price' ? candle : symbol,
        limit: String(Math.max(1, Math.min(rowLimit, Math.ceil(bars + maxDays / minDays)))),
        ...{ interval, order: 'asc' },
        ...(end <= lastDay && { end_date: isoDate(end) }),
      })
    const bars = countback || (to - from) / secondsPerDay / minDays
    // Bars may be further back than the requested days.
    return [({ table }) => writeBars(asked, table), readNewest(bars), readNewest(rowLimit)]
  }),
]

const nameSymbol = ({ id, name, dimension, category }: Metric) => ({
  symbol: id,
  ticker: id,
  full_name: `${exchange}:${id}`,
  description: `${name} (${dimension})`,
  exchange,
  type: category,
})

/** Decimal places by unit; other units are shown as whole numbers. */
const decimals: Readonly<Record<string, number>> = { USD: 2, BTC: 8, ratio: 4, percent: 4, index: 4, days: 4 }

function describeSymbol(metric: Metric, attributions: readonly string[]): object {
  const { id, unit, dimension, description, intervals } = metric
  const digits = decimals[unit] ?? 0
  const has_intraday = intervals.includes('1h')
  return {
    ...nameSymbol(metric),
    name: id,
    long_description: [description, ...attributions].join(' '),
    listed_exchange: exchange,
    session: '24x7',
    timezone: 'Etc/UTC',
    // A volume is shortened, such as 1.2M.
    format: digits === 4 || dimension === 'USD per coin' ? 'price' : 'volume',
    minmov: 1,
    pricescale: 10 ** digits,
    volume_precision: digits,
    visible_plots_set: id === 'price' ? 'ohlcv' : 'c',
    has_intraday,
    intraday_multipliers: ['60'],
    has_weekly_and_monthly: true,
    supported_resolutions: has_intraday ? offered : offered.slice(1),
  }
}

/** Undefined if the table has no bar before the end of the request. */
async function writeBars(
  { symbol, resolution: interval, from, to, countback }: z.output<typeof historyQuery>,
  table: Table,
): Promise<string | undefined> {
  const columns = new Map(inRowOrder(table).columns.map(({ name, values }) => [name, Array.from(values, Number)]))
  const close = columns.get(symbol) ?? columns.get('price') ?? []
  const days = columns.get('date') ?? []
  const times = columns.get('time') ?? days.map((date) => startOfPeriod(date, interval) * secondsPerDay)
  const known = [...close.keys()].filter((row) => !Number.isNaN(close[row]) && times[row]! < to)
  const rows = countback > 0 ? known.slice(-countback) : known.filter((row) => times[row]! >= from)
  if (rows.length === 0) return known.length > 0 ? `{"s":"no_data","nextTime":${times[known.at(-1)!]}}` : undefined
  const [open, high, low, volume] = ['open', 'high', 'low', 'volume'].map((name) => columns.get(name))
  const isTraded = volume && !rows.some((row) => Number.isNaN(volume[row]))
  const fields = { t: times, o: open, h: high, l: low, c: close, ...(isTraded && { v: volume }) }
  // A bar whose open, high and low are unknown is flat.
  const texts = await mapInTurns(Object.entries(fields), ([name, values = close]) => {
    const shown = rows.map((row) => (Number.isNaN(values[row]) ? close[row] : values[row]))
    return `"${name}":${JSON.stringify(shown)}`
  })
  return `{"s":"ok",${texts.join()}}`
}

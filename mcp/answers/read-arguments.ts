import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { readSpokenDate, readSpokenDays } from './spoken-dates.ts'

/** Arguments that clients add to every call: Cline, n8n, Cursor, OpenHands, Letta, Antigravity. */
const clientAdditions: ReadonlySet<string> = new Set([
  ...['task_progress', 'sessionId', 'session_id', 'toolCallId', 'tool_call_id', 'chatInput', 'action', 'tool'],
  ...['random_string', 'dummy', 'explanation', 'security_risk', 'request_heartbeat', 'thinking', 'thought'],
  ...['reasoning', 'toolAction', 'toolSummary', 'waitForPreviousTools', 'wait_for_previous', 'requestId', '$schema'],
])

/** Parameters with a day, and the end of a period that they mean. */
const dateParameters: ReadonlyMap<string, 'first' | 'last'> = new Map([
  ['start_date', 'first'],
  ['end_date', 'last'],
  ['cohort_start', 'first'],
  ['cohort_end', 'last'],
  ['date', 'last'],
  ['date_processed', 'last'],
  ['x', 'first'],
])
/** As the last day of a range, the same as none. */
const newestDay = /^\s*(today|now|latest|newest|current|present|most recent)\s*$/i

const readTable = (text: string): (readonly [string, readonly string[]])[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(': '))
    .map(([ours = '', guesses = '']) => [ours, guesses.split(', ')])

/** Ours by guessed names; the first that a tool has counts. */
const otherNames = Map.groupBy(
  readTable(`
rows: limit, count, n
limit: count, rows, n, top, top_n, max_results
bands: rows, bins
interval: period, frequency, granularity, resolution
period: interval
days: limit, period, range, lookback, window, num_days, duration
metric: metric_id, metrics, id, series
metrics: metric, metric_id, metric_ids, ids, series, fields
metric_id: metric, metrics, id, name
fields: metric, metrics, columns
entity_id: id
start_date: start, from, since, from_date, date_from, begin
end_date: end, to, until, to_date, date_to
date_processed: date, day
date: day
order: sort, sort_order, direction
family: type
of: type, kind
type: family, kind
query: q, text, question
condition: query, formula, expression
entity: company, name, ticker, symbol
ticker: fund, etf, tickers, symbol, name
exchange: venue, exchanges, name
cohort: cohort_id, cohorts, name`).flatMap(([ours, guesses]) => guesses.map((guess) => ({ ours, guess }))),
  ({ guess }) => guess,
)

/** Ours by guessed values, for parameters with a list of values. */
const otherValues: ReadonlyMap<string, string> = new Map(
  readTable(`
funds: etf, etfs, spot etfs
treasuries: company, companies, corporations, governments
exchanges: venues
pools: miners, mining pools
cohorts: age bands, age cohorts
ath: all-time high, all time high, top
low: bottom
highest: desc, descending
lowest: asc, ascending
hour: hourly
day: daily, 24h
week: weekly, 7d
month: monthly, 30d
year: yearly, annual
none: 0
BTC: bitcoin, xbt, btcusd, btc/usd, btc-usd, btc/usdt, btcusdt`).flatMap(([ours, guesses]) =>
    guesses.map((guess) => [guess, ours] as const),
  ),
)

/** Without these, an answer is of all. */
const memberParameters: ReadonlySet<string> = new Set(['ticker', 'exchange', 'entity', 'category'])
const formulaParameters: ReadonlySet<string> = new Set(['condition', 'outcome', 'formula', 'expression'])

/**
 * Also reads numbers, switches and lists as text, other names, single values for lists, and dates
 * in words. Drops what clients add, and empty values of optional parameters.
 * @param notes gets a sentence for each date that was not written YYYY-MM-DD
 * @param today unix day
 */
export const readArguments = (
  schema: z.ZodObject,
  notes: string[] = [],
  today = Math.floor(Date.now() / msPerDay),
): z.ZodType =>
  z.preprocess((given) => {
    if (given === undefined || given === null) return {}
    if (typeof given !== 'object') return given
    const known = Object.fromEntries(Object.entries(given).filter(([name]) => name in schema.shape))
    for (const [name, value] of Object.entries(given)) {
      if (name in known || clientAdditions.has(name) || name.startsWith('_')) continue
      const plain = name.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase()
      const candidates = [plain, ...(otherNames.get(plain) ?? []).map(({ ours }) => ours)]
      const other = candidates.find((one) => one in schema.shape && !(one in known))
      if (other === undefined && plain === 'date' && 'start_date' in schema.shape) {
        Object.assign(known, { start_date: value, end_date: value, ...known })
      } else known[other ?? name] = value
    }
    const read = (name: string, value: unknown): unknown => {
      if (typeof value === 'string' && memberParameters.has(name) && /^(all|any|null|undefined)$/i.test(value)) {
        return undefined
      }
      if (typeof value === 'string' && formulaParameters.has(name)) return readAmounts(value)
      if (typeof value === 'string' && name === 'days' && /[a-z]/i.test(value)) {
        return readSpokenDays(value, today) ?? value
      }
      const end = dateParameters.get(name)
      if (end === undefined || (typeof value !== 'string' && typeof value !== 'number')) return value
      const text = String(value)
      if (end === 'last' && newestDay.test(text)) return undefined
      const day = readSpokenDate(text, end, today)
      if (day !== undefined && day !== text) notes.push(`${name} '${text}' is read as ${day}.`)
      return day ?? value
    }
    const present = Object.entries(known).flatMap(([name, value]) => {
      const parameter: z.core.$ZodType | undefined = schema.shape[name]
      const found = dropNulls(read(name, value), read)
      if (!parameter) return isEmpty(found) ? [] : [[name, found]]
      if (z.safeParse(parameter, found).success) return [[name, found]]
      if (isEmpty(found) && z.safeParse(parameter, undefined).success) return []
      return [[name, readForms(found).find((one) => one !== undefined && z.safeParse(parameter, one).success) ?? found]]
    })
    return Object.fromEntries(present)
  }, schema)

/** Clients with strict schemas send null for each absent field, also inside lists and objects. */
function dropNulls(value: unknown, read: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => one !== null).map((one) => dropNulls(one, read))
  if (typeof value !== 'object' || value === null) return value
  const present = Object.entries(value).filter(([, one]) => one !== null && one !== '')
  return Object.fromEntries(present.map(([name, one]) => [name, dropNulls(read(name, one), read)]))
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'string'
    ? /^\s*(null|none|undefined)?\s*$/i.test(value)
    : value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)

function readForms(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.length === 1 ? [value[0]] : []
  if (typeof value === 'number') return [otherValues.get(String(value)), String(value)]
  if (typeof value !== 'string') return []
  const word = value.trim().toLowerCase()
  const words = [otherValues.get(word) ?? word, `${word}s`, word.replace(/y$/, 'ies'), word.replace(/s$/, '')]
  const lists = [',', / and | vs\.? |,/].map((separator) => value.split(separator).map((one) => one.trim()))
  return [...[value, word].flatMap(parseIfJson), readAmount(value), ...words, ...lists]
}

const factors: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 }

/** `$60k` or `60,000`. */
function readAmount(text: string): number | undefined {
  const [, digits, factor = ''] = /^\s*\$?(\d[\d,]*(?:\.\d+)?) ?([kmb])?\s*$/i.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits.replaceAll(',', '')) * (factors[factor.toLowerCase()] ?? 1)
}

/** `price > 100k` as a formula; within parentheses, commas are between arguments. */
const readAmounts = (formula: string): string =>
  formula.replaceAll(/(?<=[<>=]\s*)[$\d][\d,.]*[kmb]?(?!\w)/gi, (text) =>
    text.includes(',') && formula.includes('(') ? text : String(readAmount(text) ?? text),
  )

function parseIfJson(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

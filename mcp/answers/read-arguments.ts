import { z } from 'zod'
import { msPerDay } from '#base/days.ts'
import { readSpokenDate } from './spoken-dates.ts'

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

/** Parameters by guessed names; the first that a tool has counts. */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    ...{
      limit: ['rows', 'days'],
      count: ['limit', 'rows'],
      rows: ['limit', 'bands'],
      period: ['interval'],
      interval: ['period'],
    },
    ...{
      metric: ['metric_id', 'metrics'],
      metrics: ['metric'],
      metric_id: ['metric', 'metrics'],
      id: ['metric_id', 'entity_id'],
    },
    start: ['start_date'],
    from: ['start_date'],
    since: ['start_date'],
    end: ['end_date'],
    to: ['end_date'],
    sort: ['order'],
    family: ['type'],
    type: ['family', 'of'],
    kind: ['of', 'type'],
    q: ['query'],
    company: ['entity'],
    name: ['entity'],
    fund: ['ticker'],
    etf: ['ticker'],
    venue: ['exchange'],
  }),
)

/** Values by guessed words, for parameters with a list of values. */
const otherValues: ReadonlyMap<string, string> = new Map(
  Object.entries({
    etf: 'funds',
    etfs: 'funds',
    company: 'treasuries',
    companies: 'treasuries',
    venues: 'exchanges',
    'spot etfs': 'funds',
    corporations: 'treasuries',
    governments: 'treasuries',
    miners: 'pools',
    'mining pools': 'pools',
    'age bands': 'cohorts',
    'age cohorts': 'cohorts',
    'all-time high': 'ath',
    top: 'ath',
    bottom: 'low',
    desc: 'highest',
    descending: 'highest',
    asc: 'lowest',
    ascending: 'lowest',
    hourly: 'hour',
    daily: 'day',
    weekly: 'week',
    monthly: 'month',
    yearly: 'year',
    '24h': 'day',
    '7d': 'week',
    '30d': 'month',
  }),
)

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
      const other = otherNames.get(name)?.find((one) => one in schema.shape && !(one in known))
      known[other ?? name] = value
    }
    const read = (name: string, value: unknown): unknown => {
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
      return [[name, readForms(found).find((one) => z.safeParse(parameter, one).success) ?? found]]
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
  if (typeof value !== 'string') return []
  const word = value.trim().toLowerCase()
  const words = [otherValues.get(word) ?? word, `${word}s`, word.replace(/y$/, 'ies'), word.replace(/s$/, '')]
  const days = word.replace(/ ?d(ays?)?$/, '')
  return [...parseIfJson(value), ...parseIfJson(days), ...words, value.split(',').map((one) => one.trim())]
}

function parseIfJson(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

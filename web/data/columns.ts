import { isoDate, parseDay } from '#base/days.ts'
import { RequestError } from '#clients/typescript/request.ts'
import type { Meta } from '#contract/envelope.ts'
import { cachedAll, fetchCached, noteGeneration, type Query, requestPath } from './client.ts'

/** One value per unix day from `firstDay` to `lastDay`; NaN if unknown. */
export interface Columns {
  readonly firstDay: number
  readonly lastDay: number
  readonly values: ReadonlyMap<string, Float64Array>
  /** Earlier days exist but are hidden from this reader. */
  readonly isCut: boolean
  /** Metrics above the reader's tier, and the tier that sees them. */
  readonly withheld: readonly string[]
  readonly withheldTier: string | undefined
}

const maxMetricsPerRequest = 50

/** Three more than labels show, which would else be rounded twice. */
export const chartDigits = 6
/** For written, added or compared numbers: the largest holder's coins to a hundredth. */
export const fullDigits = 9

interface ColumnsQuery {
  readonly from?: string
  /** Default: `chartDigits`. */
  readonly digits?: number | 'all'
}

/** Throws `insufficient_tier` if a metric needs a higher tier. */
export const readColumns = async (metrics: readonly string[], query: ColumnsQuery = {}): Promise<Columns> =>
  requireAll(await fetchColumns(metrics, query), metrics)

/** In the order of `metrics`; missing ones are requested together. */
export const readHistories = (
  metrics: readonly string[],
  query: Pick<ColumnsQuery, 'digits'> = {},
): Promise<Columns[]> =>
  cachedAll(
    [...new Set(metrics)],
    (id) => `history of ${id} ${query.digits}`,
    (missing) => {
      const answers = new Map<string, Promise<Columns>>()
      for (const part of inGroups(missing, maxMetricsPerRequest)) {
        const answer = fetchColumns(part, query)
        for (const id of part) answers.set(id, answer)
      }
      return async (id) => {
        const columns = await answers.get(id)?.catch((error: unknown) => retryAlone(id, query, error))
        return requireAll(columns ?? (await fetchColumns([id], query)), [id])
      }
    },
  )

export const daysPerYear = 365

export async function readRecentDays(metrics: readonly string[], lastDate: string, days: number): Promise<Columns> {
  const from = isoDate(parseDay(lastDate) - days)
  const [first, ...others] = await Promise.all(
    inGroups(metrics, maxMetricsPerRequest).map((part) => readColumns(part, { from, digits: fullDigits })),
  )
  if (!first) return { firstDay: 0, lastDay: 0, isCut: false, values: new Map(), withheld: [], withheldTier: undefined }
  return { ...first, values: new Map([first, ...others].flatMap(({ values }) => [...values])) }
}

/** The year up to `lastDate` (YYYY-MM-DD), with `chartDigits`. */
export const readYear = (metrics: readonly string[], lastDate: string | undefined): Promise<Columns> =>
  readColumns(metrics, lastDate === undefined ? {} : { from: isoDate(parseDay(lastDate) - daysPerYear + 1) })

export const inGroups = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))

/** A combined request may have failed because of another metric. */
function retryAlone(id: string, query: ColumnsQuery, error: unknown): Promise<Columns> {
  if (error instanceof RequestError && ['not_found', 'insufficient_tier'].includes(error.code)) {
    return fetchColumns([id], query)
  }
  throw error
}

export const historiesPath = (metrics: readonly string[]): string => requestPath('series', toQuery(metrics, {}))

const toQuery = (metrics: readonly string[], { from, digits }: ColumnsQuery): Query<'series'> => ({
  metrics: metrics.join(),
  digits: digits === 'all' ? undefined : (digits ?? chartDigits),
  format: 'csv',
  ...(from === undefined ? { limit: 10_000 } : { start_date: from }),
})

const fetchColumns = (metrics: readonly string[], query: ColumnsQuery): Promise<Columns> =>
  fetchCached('series', toQuery(metrics, query), async (response) => {
    const meta: Partial<Meta> = JSON.parse(response.headers.get('x-coinstrata-meta') ?? '{}')
    noteGeneration(meta)
    const withheld = new Set(meta.withheld)
    const names = metrics.filter((name) => !withheld.has(name))
    return parseColumns(await response.text(), names, meta)
  })

function requireAll(columns: Columns, metrics: readonly string[]): Columns {
  const lacking = columns.withheld.filter((id) => metrics.includes(id))
  if (lacking.length === 0) return columns
  const message = `${lacking.join(', ')} ${lacking.length > 1 ? 'need' : 'needs'} tier ${columns.withheldTier} or higher`
  throw new RequestError('insufficient_tier', message, { needed: columns.withheldTier })
}

/** Expects one row per day, newest first. */
function parseColumns(text: string, names: readonly string[], meta: Partial<Meta>): Columns {
  const [, ...lines] = text.trimEnd().split('\r\n')
  // A cut file ends in a line for readers that do not see `meta`.
  if (lines.at(-1)?.startsWith('"')) lines.pop()
  const lastDay = parseDay(lines[0]?.slice(0, 10) ?? '') || 0
  const firstDay = parseDay(lines.at(-1)?.slice(0, 10) ?? '') || 0
  const values = new Map(names.map((name) => [name, new Float64Array(lastDay - firstDay + 1).fill(Number.NaN)]))
  const columns = [...values.values()]
  lines.forEach((line, i) => {
    const row = lastDay - firstDay - i
    const cells = line.split(',')
    for (const [place, column] of columns.entries()) {
      const cell = cells[place + 1]
      if (cell) column[row] = Number(cell)
    }
  })
  const { history_limited_to, withheld = [], withheld_tier: withheldTier } = meta
  return { firstDay, lastDay, values, isCut: history_limited_to !== undefined, withheld, withheldTier }
}

import { dayOf, isoDate } from '#base/days.ts'
import type { Meta } from '#contract/envelope.ts'
import { cachedAll, fetchCached, noteGeneration, requestPath } from './client.ts'
import { RequestFailure } from './failure.ts'

/** Daily values of metrics, one for each unix day from `firstDay` to `lastDay`; NaN where nothing is known. */
export interface Columns {
  readonly firstDay: number
  readonly lastDay: number
  readonly values: ReadonlyMap<string, Float64Array>
  /** There are days before the first one, which this reader may not see. */
  readonly isCut: boolean
  /** Those that this reader may not see, and from which tier on they are seen. */
  readonly withheld: readonly string[]
  readonly withheldTier: string | undefined
}

/** Most metrics of one request. */
const maxMetricsPerRequest = 50

/** Enough for charts. */
const chartDigits = 5
/** Enough where numbers are written out, added up or compared: coins of the largest holder to a hundredth. */
export const fullDigits = 9

interface ColumnsQuery {
  readonly from?: string
  readonly digits?: number
}

/**
 * Daily values of metrics, and of a formula under the name `formula`, from a date on or of all days. Throws
 * `RequestFailure`, `insufficient_tier` among its codes where one of them may not be seen.
 */
export const readColumns = async (metrics: readonly string[], query: ColumnsQuery = {}): Promise<Columns> =>
  requireAll(await fetchColumns(metrics, query), metrics)

/**
 * The whole histories of metrics, one `Columns` for each of them, in their order: those that are not known yet are asked for
 * together. Throws what `readColumns` throws.
 */
export const readHistories = (metrics: readonly string[]): Promise<Columns[]> =>
  cachedAll(
    [...new Set(metrics)],
    (id) => `history of ${id}`,
    (missing) => {
      const answers = new Map<string, Promise<Columns>>()
      for (let i = 0; i < missing.length; i += maxMetricsPerRequest) {
        const part = missing.slice(i, i + maxMetricsPerRequest)
        const answer = fetchColumns(part, {})
        for (const id of part) answers.set(id, answer)
      }
      return async (id) => {
        const columns = await answers.get(id)?.catch((error: unknown) => retryAlone(id, error))
        return requireAll(columns ?? (await fetchColumns([id], {})), [id])
      }
    },
  )

export const daysPerYear = 365

/** Values of as many metrics as there are, of some days and the last one. Throws `RequestFailure`. */
export async function readRecentDays(metrics: readonly string[], lastDate: string, days: number): Promise<Columns> {
  const from = isoDate(dayOf(lastDate) - days)
  const parts = Array.from({ length: Math.ceil(metrics.length / maxMetricsPerRequest) }, (_, i) =>
    readColumns(metrics.slice(i * maxMetricsPerRequest, (i + 1) * maxMetricsPerRequest), { from, digits: fullDigits }),
  )
  const [first, ...others] = await Promise.all(parts)
  if (!first) return { firstDay: 0, lastDay: 0, isCut: false, values: new Map(), withheld: [], withheldTier: undefined }
  return { ...first, values: new Map([first, ...others].flatMap(({ values }) => [...values])) }
}

/** The last year of metrics before a date (YYYY-MM-DD), with digits for charts. Throws `RequestFailure`. */
export const readYear = (metrics: readonly string[], lastDate: string | undefined): Promise<Columns> =>
  readColumns(metrics, lastDate === undefined ? {} : { from: isoDate(dayOf(lastDate) - daysPerYear + 1) })

/** What a request for several metrics fails by may concern another one of them. */
function retryAlone(id: string, error: unknown): Promise<Columns> {
  if (error instanceof RequestFailure && ['not_found', 'insufficient_tier'].includes(error.code)) {
    return fetchColumns([id], {})
  }
  throw error
}

/** Where the whole histories of metrics are asked for. */
export const historiesPath = (metrics: readonly string[]): string => columnsPath(metrics, {})

const columnsPath = (metrics: readonly string[], { from, digits }: ColumnsQuery): string =>
  requestPath('series', {
    metrics: metrics.join(),
    digits: digits ?? chartDigits,
    format: 'csv',
    ...(from === undefined ? { limit: 10_000 } : { start_date: from }),
  })

const fetchColumns = (metrics: readonly string[], query: ColumnsQuery): Promise<Columns> =>
  fetchCached(columnsPath(metrics, query), async (response) => {
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
  throw new RequestFailure('insufficient_tier', message, 403, { needed: columns.withheldTier })
}

/** Lines of a CSV file come newest first, and none is left out. */
function parseColumns(text: string, names: readonly string[], meta: Partial<Meta>): Columns {
  const [, ...lines] = text.trimEnd().split('\r\n')
  const lastDay = dayOf(lines[0]?.slice(0, 10) ?? '') || 0
  const firstDay = dayOf(lines.at(-1)?.slice(0, 10) ?? '') || 0
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

/** A file of these values, for saving. */
export const downloadPath = (
  metrics: readonly string[],
  format: 'csv' | 'json',
  query: { readonly from?: number; readonly to?: number; readonly formula?: string },
): string =>
  requestPath('series', {
    metrics: metrics.length > 0 ? metrics.join() : undefined,
    formula: query.formula,
    ...(query.from === undefined ? { limit: 10_000 } : { start_date: isoDate(query.from) }),
    end_date: query.to === undefined ? undefined : isoDate(query.to),
    format,
  })

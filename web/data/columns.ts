import type { Meta } from '#contract/envelope.ts'
import { dayOf, isoDate } from '#root/days.ts'
import { addressOfRequest, fetchOnce, request } from './client.ts'
import { RequestFailure } from './failure.ts'

/** Daily values of metrics, one for each unix day from `firstDay` to `lastDay`; NaN where nothing is known. */
export interface Columns {
  readonly firstDay: number
  readonly lastDay: number
  readonly values: ReadonlyMap<string, Float64Array>
  /** There are days before the first one, which this reader may not see. */
  readonly isCut: boolean
}

/** Enough for charts. */
const usualDigits = 5
/** Enough where numbers are written out, added up or compared: coins of the largest holder to a hundredth. */
export const allDigits = 9

/**
 * Daily values of metrics, and of a formula under the name `formula`, from a date on or of all days. Throws
 * `RequestFailure`, `insufficient_tier` among its codes where one of them may not be seen.
 */
export function readColumns(
  metrics: readonly string[],
  asked: { readonly from?: string; readonly formula?: string; readonly digits?: number } = {},
): Promise<Columns> {
  const address = addressOfRequest('series', {
    metrics: metrics.length > 0 ? metrics.join() : undefined,
    formula: asked.formula,
    digits: asked.digits ?? usualDigits,
    format: 'csv',
    ...(asked.from === undefined ? { limit: 10_000 } : { start_date: asked.from }),
  })
  return fetchOnce(address, async (response) => {
    const meta = JSON.parse(response.headers.get('x-coinstrata-meta') ?? '{}') as Partial<Meta>
    if (meta.withheld) {
      const message = `${meta.withheld.join(', ')} ${meta.withheld.length > 1 ? 'need' : 'needs'} tier ${meta.withheld_tier} or higher`
      throw new RequestFailure('insufficient_tier', message, 403, { needed: meta.withheld_tier })
    }
    const names = asked.formula === undefined ? metrics : [...metrics, 'formula']
    return parseColumns(await response.text(), names, meta.history_limited_to)
  })
}

/** Lines of a CSV file come newest first, and none is left out. */
function parseColumns(text: string, names: readonly string[], cutAt: string | undefined): Columns {
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
  return { firstDay, lastDay, values, isCut: cutAt !== undefined }
}

/** A file of these values, for saving. */
export const fileOfColumns = (
  metrics: readonly string[],
  format: 'csv' | 'json',
  asked: { readonly from?: number; readonly to?: number; readonly formula?: string },
): string =>
  addressOfRequest('series', {
    metrics: metrics.length > 0 ? metrics.join() : undefined,
    formula: asked.formula,
    ...(asked.from === undefined ? { limit: 10_000 } : { start_date: isoDate(asked.from) }),
    end_date: asked.to === undefined ? undefined : isoDate(asked.to),
    format,
  })

/** Fetches before it is asked for. */
export const prefetch = (address: string): void => void request(address).catch(() => undefined)

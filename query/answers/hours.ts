import { hoursPerDay, parseDay, secondsPerDay } from '#base/days.ts'
import { ApiError } from '#contract/api-error.ts'
import { type HourlySource, hourlySource } from '#contract/hours.ts'
import type { SeriesInterval } from '#contract/intervals.ts'
import { type Range, rowLimit } from '#contract/parameters.ts'
import { evaluateFormula, requiredHistory } from '#sql/formula/evaluate.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import { quotedIdentifier } from '#sql/quote.ts'
import type { Metric } from '../catalogue.ts'
import type { View } from '../view.ts'
import { dateValues } from './newest-rows.ts'

/** Ascending; `times` are the beginnings of hours in unix seconds. */
export interface Hours {
  readonly times: Float64Array
  readonly columns: ReadonlyMap<string, Float64Array>
}

/** Refuses functions over several rows: they count days. */
export function requireOneRow(formula: string): void {
  if (requiredHistory(parseFormula(formula)) === 0) return
  const message = 'functions over several rows count days: use none of them with hours and blocks'
  throw new ApiError('invalid_parameter', `parameter 'formula': ${message}`, { parameter: 'formula' })
}

export function lacksInterval({ id, intervals }: Metric, interval: SeriesInterval): ApiError {
  const message = `parameter 'interval': '${id}' has no values by ${interval}; its intervals are ${intervals.join(', ') || 'none'}`
  return new ApiError('invalid_parameter', message, { parameter: 'interval', allowed: intervals })
}

/**
 * Whole days with the requested page. Blocks are in the hour, as in the day, of the latest header
 * time so far, so hours add up to days.
 */
export async function readHours(view: View, metrics: readonly Metric[], range: Range): Promise<Hours> {
  const { first, last, rows, ascending } = view.page(range)
  const known = metrics.map(({ first_date }) => (first_date === null ? Number.POSITIVE_INFINITY : parseDay(first_date)))
  const from = known.length === 0 ? first : Math.max(first, Math.min(...known))
  const days = Math.ceil(rows / hoursPerDay)
  const [oldest, newest] = ascending ? [from, Math.min(last, from + days - 1)] : [Math.max(from, last - days + 1), last]
  if (oldest > newest)
    return { times: new Float64Array(), columns: new Map(metrics.map(({ id }) => [id, new Float64Array()])) }

  const find = (id: string): Metric => view.catalogue.find(id)!
  const formulas = new Map(metrics.map(({ id, formula }) => [id, formula === null ? undefined : parseFormula(formula)]))
  for (const formula of formulas.values()) {
    for (const id of formula?.references.keys() ?? []) {
      const text = find(id).formula
      // Maps also iterate over later additions.
      if (!formulas.has(id)) formulas.set(id, text === null ? undefined : parseFormula(text))
    }
  }
  const sources = [...formulas].flatMap(([id, formula]) => (formula ? [] : [[id, hourlySource(find(id))!] as const]))
  const { time, ...read } = await view.columns(hoursSql(view, sources), dateValues({ first: oldest, last: newest }))
  const columns = new Map<string, Float64Array>()
  const valuesOf = (id: string): Float64Array => {
    const formula = formulas.get(id)
    const values =
      columns.get(id) ?? (formula ? evaluateFormula(formula, time!.length, valuesOf) : Float64Array.from(read[id]!))
    columns.set(id, values)
    return values
  }
  for (const { id } of metrics) valuesOf(id)
  return { times: Float64Array.from(time!), columns }
}

/** In the hours that begin at `times`, ascending; unknown if not published. */
export async function hoursAt(view: View, metrics: readonly Metric[], times: Float64Array): Promise<Hours> {
  const [first, last] = [times[0], times.at(-1)]
  const range = { limit: rowLimit, start_date: dayOf(first), end_date: dayOf(last), order: 'asc' } as const
  const hours = metrics.length > 0 ? await readHours(view, metrics, range) : undefined
  const rowByTime = new Map(Array.from(hours?.times ?? [], (time, row) => [time, row]))
  const rows = Int32Array.from(times, (time) => rowByTime.get(time) ?? -1)
  const columns = [...(hours?.columns ?? [])].map(
    ([id, values]) => [id, times.map((_, i) => values[rows[i]!] ?? Number.NaN)] as const,
  )
  return { times, columns: new Map(columns) }
}

const dayOf = (time = 0): number => Math.floor(time / secondsPerDay)

function hoursSql(view: View, sources: readonly (readonly [id: string, source: HourlySource])[]): string {
  const table = (name: 'blocks' | 'days' | 'prices_hourly'): string => view.table(name, 'a series of hours')
  const ofBlocks = sources.filter(([, { from }]) => from !== 'price')
  const sums = ofBlocks.map(([id, { from, sql }]) => `${from === 'last' ? `arg_max(${sql}, height)` : sql} AS ${id}`)
  const columns = sources.map(
    ([id, { from, sql }]) => `(${hourColumn(id, from, sql)})::DOUBLE AS ${quotedIdentifier(id)}`,
  )
  return `
    WITH placed AS (
      SELECT *, date_trunc('hour', max(time) OVER (ORDER BY height)) AS hour
      FROM ${table('blocks')} WHERE date BETWEEN $first AND $last
    ),
    sums AS (SELECT ${['hour', ...sums].join(', ')} FROM placed GROUP BY hour),
    days AS (FROM ${table('days')} WHERE date BETWEEN $first - 1 AND $last),
    hours AS (
      SELECT unnest(generate_series($first::TIMESTAMP, $last::TIMESTAMP + INTERVAL 23 HOUR, INTERVAL 1 HOUR)) AS hour
    )
    SELECT ${['epoch(hour)::DOUBLE AS time', ...columns].join(', ')}
    FROM hours LEFT JOIN sums USING (hour) LEFT JOIN days ON days.date = hour::DATE
      ${ofBlocks.length < sources.length ? `LEFT JOIN ${table('prices_hourly')} AS prices ON prices.time = hour` : ''}
    WINDOW
      later AS (PARTITION BY hour::DATE ORDER BY hour ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
      so_far AS (ORDER BY hour ROWS UNBOUNDED PRECEDING)
    ORDER BY hour`
}

function hourColumn(id: string, from: HourlySource['from'], sql: string): string {
  switch (from) {
    case 'sum':
      return `coalesce(sums.${id}, 0)`
    case 'level':
      return `days.${id} - coalesce(sum(sums.${id}) OVER later, 0)`
    case 'last':
      return `coalesce(last_value(sums.${id} IGNORE NULLS) OVER so_far, (SELECT ${sql} FROM days WHERE date = $first - 1))`
    case 'price':
      return `prices.${sql}`
  }
}

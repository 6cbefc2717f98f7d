import { readFileSync } from 'node:fs'
import path from 'node:path'
import { DuckDBDateValue } from '@duckdb/node-api'
import { z } from 'zod'
import { satsToBtc } from '#base/bitcoin.ts'
import { dayAt, parseDay } from '#base/days.ts'
import { ownTurn, pacedTurns } from '#base/own-turn.ts'
import { ApiError } from '#contract/api-error.ts'
import { maxFinePoints } from '#contract/chart-options.ts'
import { isoDate as isoDateText } from '#contract/envelope.ts'
import { type BinChoice, selectBins } from '#query/answers/cost-basis.ts'
import { readFine, requireMetric, requireSeries } from '#query/answers/series.ts'
import { isSeries, type Metric } from '#query/catalogue.ts'
import { evaluateFor } from '#query/threads.ts'
import type { View } from '#query/view.ts'
import { formatDay } from '#render/draw/calendar.ts'
import type { ChartMetric, ChartSource } from '#render/request/chart-source.ts'
import type { RequestedHeatmap } from '#render/request/request.ts'
import { requireTemplate } from '#render/request/templates.ts'

const events = z
  .array(z.strictObject({ date: isoDateText, label: z.string().max(30), about: z.string(), source: z.url() }))
  .parse(JSON.parse(readFileSync(path.join(import.meta.dirname, '../../data/reference/events.json'), 'utf8')))
  .map(({ date, label }) => ({ day: parseDay(date), label }))

/** `publicUrl` is the instance's address for users. */
export function publishedSource(view: View, publicUrl?: string): ChartSource {
  const requireVisible = (ids: readonly string[]): Metric[] => {
    const metrics = ids.map((id) => requireSeries(view, id, 'metrics'))
    const above = metrics.filter((metric) => !view.maySee(metric))
    view.requireGrades(above, `a chart of ${above.map(({ id }) => id).join(', ')}`)
    return metrics
  }
  return {
    firstDay: view.firstDay,
    lastDay: view.lastDay,
    isCut: view.isCut,
    sourceLine: sourceLine(view),
    address: publicUrl?.replace(/^https?:\/\//, '').replace(/\/$/, ''),
    events,
    template: requireTemplate,
    ids: view.catalogue.ids,
    series: (id, parameter) => chartMetric(requireSeries(view, id, parameter)),
    distribution: (id, parameter) => {
      const metric = requireMetric(view, id, parameter)
      if (!isSeries(metric)) return chartMetric(metric)
      const message = `'${id}' is not a distribution; cost_basis_distribution and spent_output_price_distribution are`
      throw new ApiError('invalid_parameter', message, { parameter })
    },
    readValues: async (ids, interval) => view.valuesOf(requireVisible(ids), interval),
    readFine: async (ids, interval, range) => {
      const metrics = requireVisible(ids)
      const { times, columns, meta } = await readFine(view, metrics, {
        ...range,
        limit: maxFinePoints,
        interval: interval === 'hour' ? '1h' : interval,
      })
      const { available_from } = meta
      return {
        times,
        columns,
        remarks: available_from === undefined ? [] : [`rows after blocks begin at ${available_from}`],
      }
    },
    cycleStarts: async (family) => {
      const [days, provisional] = await view.query(
        `SELECT start_date, provisional FROM ${view.table('cycles', 'a chart of cycles')} WHERE family = $family ORDER BY cycle`,
        { family },
      )
      return {
        firstDays: Array.from(days?.values ?? [], Number),
        isLastProvisional: provisional?.values.at(-1) === true,
      }
    },
    readCells: (id, days, bins, scale) => heatmapCells(view, id, days, { bins, scale }),
    pause: pacedTurns(),
    evaluate: async (formula, length, lookup, periods) => {
      // Lets other requests run between the formulas of a chart.
      await ownTurn()
      return evaluateFor(view.work, formula, length, lookup, periods)
    },
  }
}

const chartMetric = (metric: Metric): ChartMetric => ({
  ...metric,
  firstDay: metric.first_date ? parseDay(metric.first_date) : undefined,
})

/** The end of a generation's id names the tip. */
function sourceLine({ generation: { id, network, simulated, created_at } }: View): string {
  const data = simulated ? 'Simulated data' : `Bitcoin ${network}`
  return `${data} · generation ${id.replace(/^[^-]*-/, '')} of ${formatDay(dayAt(Date.parse(created_at)))}`
}

/** Days are unix days, ascending and evenly spaced; each has a column of bins. */
async function heatmapCells(
  view: View,
  id: string,
  days: Int32Array,
  choice: BinChoice,
): Promise<Omit<RequestedHeatmap, 'id'>> {
  const table = view.table('cost_basis', `a chart of ${id}`)
  const { column_name } = requireMetric(view, id, 'heatmap.metric')
  const step = days.length > 1 ? days[1]! - days[0]! : 1
  const range = { first: days[0]!, last: days.at(-1)! }
  const binned = await selectBins(view, table, choice, range)
  const cells = await view.columns(
    `SELECT date, bin, lower_price, upper_price, ${column_name}::DOUBLE AS sats FROM (${binned.sql})
     WHERE date BETWEEN $first AND $last AND (date - $first) % $step = 0 AND bin > 0 ORDER BY bin`,
    { first: new DuckDBDateValue(range.first), last: new DuckDBDateValue(range.last), step, ...binned.values },
  )
  const { date, bin, lower_price, upper_price, sats } = cells
  if (!date || !bin || !lower_price || !upper_price || !sats || date.length === 0) {
    throw new ApiError('not_found', `${id} has no values on these days`, { parameter: 'start_date' })
  }
  const bins: number[] = []
  const [binLower, binUpper]: [number[], number[]] = [[], []]
  for (let row = 0; row < bin.length; row++) {
    if (bin[row] === bins.at(-1)) continue
    bins.push(bin[row]!)
    binLower.push(lower_price[row]!)
    binUpper.push(upper_price[row]!)
  }
  const places = new Map(bins.map((number, place) => [number, place]))
  const values = new Float64Array(days.length * bins.length)
  const turn = pacedTurns()
  for (let row = 0; row < bin.length; row++) {
    const day = (date[row]! - days[0]!) / step
    values[day * bins.length + places.get(bin[row]!)!] = satsToBtc(sats[row]!)
    if (row % 1_000 === 0) await turn()
  }
  const what = column_name === 'spent_sats' ? 'Spent' : 'Supply'
  return {
    label:
      choice.scale === 'linear' && choice.bins !== undefined
        ? `${what} per range of prices`
        : `${what} per ${binSize(binLower, binUpper)} of price`,
    unit: 'BTC',
    binLower: Float64Array.from(binLower),
    binUpper: Float64Array.from(binUpper),
    values,
  }
}

/** Equal on a logarithmic scale: 1.2 % */
function binSize([lower = 1]: readonly number[], [upper = 1]: readonly number[]): string {
  return `${Number((100 * (upper / lower - 1)).toPrecision(2))}\u00a0%`
}

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { dayAt, parseDay } from '#base/days.ts'
import { ApiError } from '#contract/api-error.ts'
import { isoDate as isoDateText } from '#contract/envelope.ts'
import { requireMetric, requireSeries } from '#query/answers/series.ts'
import { isSeries, type Metric } from '#query/catalogue.ts'
import type { View } from '#query/view.ts'
import { formatDay } from '#render/draw/calendar.ts'
import { type ChartMetric, type ChartSource, toChartMetric } from '#render/request/chart-source.ts'
import { templates } from '#render/request/templates.ts'
import { heatmapCells } from './heatmap.ts'

/** Market events, which charts can show as lines. */
const events = z
  .array(z.strictObject({ date: isoDateText, label: z.string().max(30), about: z.string(), source: z.url() }))
  .parse(JSON.parse(readFileSync(path.join(import.meta.dirname, '../../data/reference/events.json'), 'utf8')))
  .map(({ date, label }) => ({ day: parseDay(date), label }))

/** Reads the columns of charts through a view. `publicUrl` is the address of the instance as its users reach it. */
export function publishedSource(view: View, publicUrl?: string): ChartSource {
  return {
    firstDay: view.firstDay,
    lastDay: view.lastDay,
    isCut: view.isCut,
    sourceLine: sourceLine(view),
    address: publicUrl?.replace(/^https?:\/\//, '').replace(/\/$/, ''),
    events,
    templates,
    ids: view.catalogue.ids,
    series: (id, parameter) => chartMetric(requireSeries(view, id, parameter)),
    distribution: (id, parameter) => {
      const metric = requireMetric(view, id, parameter)
      if (!isSeries(metric)) return chartMetric(metric)
      const message = `'${id}' is not a distribution; cost_basis_distribution is`
      throw new ApiError('invalid_parameter', message, { parameter })
    },
    readValues: (ids) => {
      const metrics = ids.map((id) => requireSeries(view, id, 'metrics'))
      const above = metrics.filter((metric) => !view.maySee(metric))
      view.requireGrades(above, `a chart of ${above.map(({ id }) => id).join(', ')}`)
      return view.valuesOf(metrics)
    },
    cycleStarts: async (family) => {
      const starts = await view.query(
        `SELECT start_date FROM ${view.table('cycles', 'a chart of cycles')} WHERE family = $family ORDER BY cycle`,
        { family },
      )
      return Array.from(starts[0]?.values ?? [], Number)
    },
    readCells: (id, days) => heatmapCells(view, id, days),
    pause: view.pauses.pauseComputing,
  }
}

const chartMetric = (metric: Metric): ChartMetric =>
  toChartMetric(metric, metric.first_date ? parseDay(metric.first_date) : undefined)

/** Source and generation; the end of the generation's id names the tip. */
function sourceLine({ generation: { id, network, simulated, created_at } }: View): string {
  const data = simulated ? 'Simulated data' : `Bitcoin ${network}`
  return `${data} · generation ${id.replace(/^[^-]*-/, '')} of ${formatDay(dayAt(Date.parse(created_at)))}`
}

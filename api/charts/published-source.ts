import { setImmediate } from 'node:timers/promises'
import type { ChartMetric, ChartSource } from '#render/request/source.ts'
import { dayOf } from '#root/days.ts'
import { requireMetric, requireSeries } from '../answers/series.ts'
import { ApiError } from '../api-error.ts'
import { isSeries, type Metric } from '../published/catalogue.ts'
import type { View } from '../published/view.ts'
import { heatmapCells } from './heatmap.ts'

/** The columns of charts out of the published tables, as far as a view shows them. */
export function publishedSource(view: View): ChartSource {
  return {
    firstDay: view.firstDay,
    lastDay: view.lastDay,
    isCut: view.isCut,
    sourceLine: sourceLine(view),
    ids: view.catalogue.ids,
    series: (id, parameter) => chartMetric(requireSeries(view, id, parameter)),
    distribution: (id, parameter) => {
      const metric = requireMetric(view, id, parameter)
      if (!isSeries(metric)) return chartMetric(metric)
      const message = `'${id}' is no distribution; cost_basis_distribution is one`
      throw new ApiError('invalid_parameter', message, { parameter })
    },
    valuesOf: (ids) => {
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
    cells: (id, days) => heatmapCells(view, id, days),
    // So that other requests come in between.
    pause: () => setImmediate(),
  }
}

const chartMetric = ({ id, name, unit, style, first_date }: Metric): ChartMetric => ({
  id,
  name,
  unit,
  style,
  firstDay: first_date ? dayOf(first_date) : undefined,
})

function sourceLine({ generation: { network, simulated } }: View): string {
  if (simulated) return 'Coinstrata, simulated data'
  return network === 'mainnet' ? 'Coinstrata' : `Coinstrata, ${network}`
}

import { z } from 'zod'
import { isLoopback } from '#base/socket-address.ts'
import { chartMetadata } from '#contract/chart-metadata.ts'
import { formulaLanguage } from '#contract/formula-language.ts'
import { paths, renderPath } from '#contract/paths.ts'
import { chartArguments, snapshotRequest } from '../answers/chart-arguments.ts'
import { historyNote, simulatedNote, withNotes } from '../answers/notes.ts'
import { significant } from '../answers/rows.ts'
import type { Call } from '../client/call.ts'
import { AnswerWithBlocks, defineTool } from './tool.ts'

const renderTimeoutMs = 60_000
const progressIntervalMs = 1_000
/** As base64 in JSON they are a third longer; clients refuse answers above a megabyte. */
const maxImageBytes = 700_000
const mimeTypes = { png: 'image/png', svg: 'image/svg+xml' } as const

const shownSeries = chartMetadata.shape.series.element.pick({
  id: true,
  label: true,
  unit: true,
  first: true,
  last: true,
  min: true,
  max: true,
  count: true,
})

type Metadata = z.output<typeof chartMetadata>
type Point = Metadata['series'][number]['min']

export const renderChart = defineTool({
  name: 'render_chart',
  title: 'Draw a chart',
  description:
    'A chart of metrics, formulas, a ready template or a distribution as an image, with links that expire after an hour, and per series first, last, min and max. Exactly one of metric, metrics, template, heatmap, histogram, calendar, or formulas alone. Needs a key of tier pro or higher.',
  more: formulaLanguage,
  listedDescriptions: {
    metrics: 'Ids, or objects',
    template: 'Such as mvrv_ratio, hodl_waves, nupl, cycle_perf_halving, etf_flows',
    days: 'Newest days (365)',
    x_axis: 'day_offset: cycles over each other',
    formulas: 'm1, m2 are the metrics in their order; metric ids work, too',
    format: 'png by default; svg: an image, but some clients show only png; json: a description without an image',
    y_axes: 'Axes besides left and right',
    heatmap: 'For cost_basis_distribution or spent_output_price_distribution',
    calendar: 'By month and year',
    histogram: 'For cost_basis_distribution, on one day',
    crossings: 'Marks where lines cross',
    overlay: 'The price, on the axis of other prices if there are any',
  },
  input: chartArguments,
  output: z.object({
    notes: z.array(z.string()).optional(),
    title: z.string(),
    x: chartMetadata.shape.x,
    series: z.array(shownSeries),
    heatmap: z.object({ id: z.string(), label: z.string() }).optional(),
    remarks: z.array(z.string()).optional(),
    png_url: z.string(),
    svg_url: z.string(),
  }),
  run: async (request, call) => {
    return withProgress(call, async () => {
      const { rest, signal, publicUrl } = call
      const described = await rest.post(paths.chart, snapshotRequest(request), chartMetadata, signal, {
        timeoutMs: renderTimeoutMs,
      })
      const picturePath = renderPath(described.render_id)
      const url = `${publicUrl}${picturePath}`
      const answer = { ...summarize(described), png_url: `${url}.png`, svg_url: `${url}.svg` }
      const { format } = request
      if (format === 'json') return answer
      const { body } = await rest.send(`${picturePath}.${format}`, signal, { timeoutMs: renderTimeoutMs })
      if (body.length > maxImageBytes) {
        const note = `The ${format} is too long for an answer (${body.length} bytes): open ${format}_url, or ask for png.`
        return { ...answer, notes: [...(answer.notes ?? []), note] }
      }
      const data = body.toString('base64')
      const mimeType = mimeTypes[format]
      const link = { type: 'resource_link' as const, uri: `${url}.${format}`, name: `${described.title}.${format}` }
      // Clients elsewhere cannot open it; one on this machine would show the image twice.
      const links = isLoopback(new URL(publicUrl).hostname.replace(/[[\]]/g, '')) ? [] : [{ ...link, mimeType }]
      return new AnswerWithBlocks(answer, [{ type: 'image', data, mimeType }], links)
    })
  },
})

function summarize({ title, x, series, heatmap, remarks, simulated, history_limited_to: cutAt }: Metadata) {
  const cutNotes = cutAt === undefined ? [] : [historyNote(cutAt)]
  const rounded = <At extends Point>(at: At) => at && { ...at, value: significant(at.value) }
  return {
    ...withNotes([...(simulated ? [simulatedNote] : []), ...cutNotes]),
    title,
    x,
    series: series.map(({ id, label, unit, first, last, min, max, count }) => ({
      id,
      label,
      unit,
      first: rounded(first),
      last: rounded(last),
      min: rounded(min),
      max: rounded(max),
      count,
    })),
    ...(heatmap && { heatmap: { id: heatmap.id, label: heatmap.label } }),
    ...(remarks.length > 0 && { remarks: remarks.map((text) => text.replace('y_axis_id (GET: axes)', 'axis_id')) }),
  }
}

async function withProgress<T>({ progress }: Call, draw: () => Promise<T>): Promise<T> {
  let seconds = 0
  const timer = setInterval(() => {
    seconds++
    // If the assistant disconnected, the request itself fails.
    progress(seconds, `drawing for ${seconds} s`).catch(() => {})
  }, progressIntervalMs)
  try {
    return await draw()
  } finally {
    clearInterval(timer)
  }
}

import { z } from 'zod'
import { chartMetadata } from '#contract/chart-metadata.ts'
import { pathOfRender, paths } from '#contract/paths.ts'
import { chartArguments, snapshotRequest } from '../answers/chart-arguments.ts'
import { historyNote, simulatedNote } from '../answers/notes.ts'
import type { Call } from '../client/call.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'

const renderTimeout = 60_000
const progressMilliseconds = 1_000
const mimeTypes = { png: 'image/png', svg: 'image/svg+xml' } as const

export const renderChart = defineTool({
  name: 'render_chart',
  title: 'Draw a chart',
  description:
    'A chart of metrics, formulas, a ready template or a distribution as an image (png or svg), with addresses where it stays for an hour, open to everyone who has them, and what it shows: per series first, last, min and max. Needs an API key of tier pro or higher.',
  input: chartArguments,
  output: chartMetadata.extend({ notes: z.array(z.string()) }),
  run: async (asked, call) => {
    if ([asked.metric, asked.metrics, asked.template, asked.heatmap].filter((one) => one !== undefined).length !== 1) {
      throw new ToolError('there must be exactly one of metric, metrics, template and heatmap', 'give one of them')
    }
    return withProgress(call, async () => {
      const { rest, signal, publicUrl } = call
      const described = await rest.post(paths.chart, snapshotRequest(asked), chartMetadata, signal, renderTimeout)
      const picturePath = pathOfRender(described.render_id)
      const url = `${publicUrl}${picturePath}`
      const { simulated, history_limited_to: limit } = described
      const notes = [...(simulated ? [simulatedNote] : []), ...(limit === undefined ? [] : [historyNote(limit)])]
      const structured = { ...described, png_url: `${url}.png`, svg_url: `${url}.svg`, notes }
      const { format } = asked
      if (format === 'json') return { structured }
      const picture = await rest.send(`${picturePath}.${format}`, signal, {
        milliseconds: renderTimeout,
      })
      const data = (await rest.bytes(picture)).toString('base64')
      return { structured, before: [{ type: 'image' as const, data, mimeType: mimeTypes[format] }] }
    })
  },
})

/** Tells every second that a drawing is still being made. */
async function withProgress<T>({ progress }: Call, work: () => Promise<T>): Promise<T> {
  let seconds = 0
  const timer = setInterval(() => {
    seconds++
    // An assistant that has gone is noticed by the request itself.
    progress(seconds, `drawing for ${seconds} s`).catch(() => {})
  }, progressMilliseconds)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

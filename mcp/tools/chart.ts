import { z } from 'zod'
import { chartArguments, snapshotRequest } from '../chart-arguments.ts'
import { type Call, defineTool } from '../tool.ts'
import { ToolError } from '../tool-error.ts'

const snapshotPath = '/v1/chart/snapshot'
const rendersPath = '/v1/chart/renders'
const renderTimeout = 60_000
const progressMilliseconds = 1_000

const point = z.looseObject({ date: z.string(), value: z.number() }).nullable()

/** What the API tells of a chart; it may tell more. */
const metadata = z.looseObject({
  title: z.string(),
  render_id: z.string().regex(/^[\w-]{16,64}$/),
  series: z.array(
    z.looseObject({
      id: z.string(),
      label: z.string(),
      unit: z.string(),
      first: point,
      last: point,
      min: point,
      max: point,
    }),
  ),
})

const chart = metadata.extend({
  png_url: z.string().describe('Open to everyone who has it, for an hour'),
  svg_url: z.string().describe('Open to everyone who has it, for an hour'),
})

const mimeTypes = { png: 'image/png', svg: 'image/svg+xml' } as const

export const renderChart = defineTool({
  name: 'render_chart',
  title: 'Draw a chart',
  description:
    'A chart of metrics, formulas, a ready template or a distribution as an image (png or svg) with addresses where it stays for an hour, and what it shows: per series first, last, min and max. Needs an API key of tier pro or higher.',
  input: chartArguments,
  output: chart,
  run: async (asked, call) => {
    if ([asked.metric, asked.metrics, asked.template, asked.heatmap].filter((one) => one !== undefined).length !== 1) {
      throw new ToolError('there must be exactly one of metric, metrics, template and heatmap', 'give one of them')
    }
    return withProgress(call, async () => {
      const { rest, signal } = call
      const described = await rest.post(snapshotPath, snapshotRequest(asked), metadata, signal, renderTimeout)
      const url = `${call.publicUrl}${rendersPath}/${described.render_id}`
      const structured = { ...described, png_url: `${url}.png`, svg_url: `${url}.svg` }
      if (asked.format === 'json') return { structured }
      const { format } = asked
      const image = await rest.send(`${rendersPath}/${described.render_id}.${format}`, signal, {
        milliseconds: renderTimeout,
      })
      const data = Buffer.from(await image.arrayBuffer()).toString('base64')
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

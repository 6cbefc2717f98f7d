import { hash } from 'node:crypto'
import { type Express, json, type Request, type RequestHandler, type Response } from 'express'
import type { z } from 'zod'
import type { chartMetadata } from '#contract/chart-metadata.ts'
import { type ChartAsk, chartBody, chartQuery, plainChart } from '#contract/charts.ts'
import { pathOfRender, paths } from '#contract/paths.ts'
import type { Tier } from '#contract/tiers.ts'
import { describeChart } from '#render/output/metadata.ts'
import { composeAskedChart } from '#render/request/compose-asked.ts'
import { parseBody, requireJson } from '../accounts/routes.ts'
import { ApiError } from '../api-error.ts'
import type { Calls } from '../http/calls.ts'
import { requirePro } from '../http/serve-data.ts'
import { parsePart, readQuery } from '../parse-request.ts'
import type { Generations } from '../published/generations.ts'
import { View } from '../published/view.ts'
import { publishedSource } from './published-source.ts'
import type { RenderStore } from './render-store.ts'

export interface ChartServices {
  readonly generations: Generations
  readonly calls: Calls
  readonly renders: RenderStore
  /** Callers without a key may draw what they may see. */
  readonly demo: boolean
  /** Address of the API as the world reaches it; without it links are made of the address that was asked. */
  readonly publicUrl: string | undefined
}

const contentTypes = { png: 'image/png', svg: 'image/svg+xml; charset=utf-8' } as const

/** Adds the chart endpoints; `guard` gives the steps that every request to an endpoint goes through first. */
export function addChartRoutes(
  app: Express,
  { generations, calls, renders, demo, publicUrl }: ChartServices,
  guard: (endpoint: string) => RequestHandler[],
): void {
  const answer = async (request: Request, response: Response, ask: ChartAsk): Promise<void> => {
    const { caller } = calls.of(request)
    if (!(demo && caller.tier === 'demo')) requirePro(caller, paths.chart)
    const id = await ensureRender(ask, caller.tier)
    response.set({ 'X-Render-Id': id, 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Accept' })
    const format = ask.format ?? acceptedFormat(request)
    if (format !== 'json') return sendPicture(response, id, format)
    const chart = await renders.find(id)
    if (!chart) throw gone()
    const url = `${publicUrl ?? `${request.protocol}://${request.host}`}${pathOfRender(id)}`
    const metadata: z.input<typeof chartMetadata> = {
      ...describeChart(chart.specification),
      generation: chart.generation,
      ...(chart.simulated && { simulated: true }),
      ...(chart.historyLimitedTo !== undefined && { history_limited_to: chart.historyLimitedTo }),
      render_id: id,
      png_url: `${url}.png`,
      svg_url: `${url}.svg`,
    }
    response.json(metadata)
  }

  /** Charts of one generation, tier and request are one; their pictures are made when they are first asked for. */
  const ensureRender = (ask: ChartAsk, tier: Tier): Promise<string> =>
    generations.read(async (published) => {
      const { id: generation, simulated } = published.generation
      const { format: _, ...decisive } = ask
      const key = hash('sha256', JSON.stringify([generation, tier, decisive]))
      return renders.keep(key, async () => ({
        ...(await composeAskedChart(publishedSource(new View(published, tier), publicUrl), ask)),
        generation,
        simulated,
      }))
    })

  const sendPicture = async (response: Response, id: string, format: 'png' | 'svg'): Promise<void> => {
    const picture = await renders.picture(id, format)
    if (!picture) throw gone()
    response.set('Content-Type', contentTypes[format]).send(picture)
  }

  app.get(paths.chart, ...guard(paths.chart), (request, response) => {
    const { originalUrl } = request
    const query = readQuery(originalUrl.includes('?') ? originalUrl.slice(originalUrl.indexOf('?')) : '')
    return answer(request, response, { ...plainChart, ...parsePart(chartQuery, query) })
  })
  app.post(
    paths.chart,
    ...guard(paths.chart),
    requireJson,
    json({ limit: '256kb', strict: false }),
    (request, response) => answer(request, response, parseBody(chartBody, request.body)),
  )
  app.get(paths.render.replace('{file}', ':file'), ...guard(paths.render), async (request, response) => {
    const [, id, format] = /^([0-9a-f]{32})\.(png|svg)$/.exec(String(request.params.file)) ?? []
    if (id === undefined || (format !== 'png' && format !== 'svg')) throw gone()
    response.set({ 'Cache-Control': 'private, max-age=3600', 'X-Render-Id': id })
    await sendPicture(response, id, format)
  })
}

/** By the Accept header: the first of SVG, PNG and JSON that it names. */
function acceptedFormat(request: Request): 'svg' | 'png' | 'json' {
  const { accept = '' } = request.headers
  if (accept.includes('image/svg+xml')) return 'svg'
  if (accept.includes('image/png')) return 'png'
  return accept.includes('application/json') ? 'json' : 'png'
}

const gone = (): ApiError =>
  new ApiError('not_found', 'there is no such picture: they are kept for an hour, so ask for the chart again')

import { hash } from 'node:crypto'
import { type Express, json, type Request, type RequestHandler, type Response } from 'express'
import type { z } from 'zod'
import type { AccountStores } from '#accounts/services.ts'
import { limitJson } from '#base/json-limits.ts'
import { ownTurn } from '#base/own-turn.ts'
import { socketUrl } from '#base/socket-address.ts'
import { ApiError } from '#contract/api-error.ts'
import type { Caller } from '#contract/caller.ts'
import type { chartMetadata } from '#contract/chart-metadata.ts'
import { isFine } from '#contract/chart-options.ts'
import { type ChartBody, chartBody, chartQuery } from '#contract/charts.ts'
import { toBody } from '#contract/default-chart.ts'
import { parseBody } from '#contract/parse-body.ts'
import { paths, renderPath } from '#contract/paths.ts'
import type { Admission } from '#limits/admission.ts'
import { accountCaller } from '#limits/counters.ts'
import type { Generations } from '#query/generations.ts'
import { parsePart, readQuery } from '#query/parse-request.ts'
import type { Published } from '#query/published.ts'
import { View } from '#query/view.ts'
import { describeChart, type SeriesMetadata } from '#render/output/metadata.ts'
import { asciiJson } from '../http/answer-cache.ts'
import type { Identify, IdentifyAddress } from '../http/caller.ts'
import { requireCall } from '../http/calls.ts'
import { CompressedBodies } from '../http/compression.ts'
import { picturePolicy } from '../http/content-policy.ts'
import { requireJson } from '../http/guard.ts'
import { addBudgetHeaders } from '../http/limit-headers.ts'
import { preferredType } from '../http/preferred-type.ts'
import { countBytes, isNotModified, varyHeader } from '../http/send-answer.ts'
import { requirePro } from '../http/serve-data.ts'
import type { ServiceAddress } from '../http/service-address.ts'
import { composePublished } from './published-chart.ts'
import type { KeptChart, RenderStore } from './render-store.ts'

export interface ChartServices extends Pick<AccountStores, 'pictures'>, ServiceAddress {
  readonly generations: Generations
  readonly renders: RenderStore
  readonly admission: Admission
  readonly identifyAddress: IdentifyAddress
  /** Callers without a key may draw the data that they see. */
  readonly demo: boolean
  /** Part of ETags: another version may draw differently. */
  readonly version: string
}

const contentTypes = {
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  rows: 'application/json; charset=utf-8',
  spec: 'application/json; charset=utf-8',
} as const
type AnswerFormat = keyof typeof contentTypes

/** The drawn file, without addresses and generation. */
const isPlain = (format: AnswerFormat): format is 'png' | 'svg' | 'csv' => ['png', 'svg', 'csv'].includes(format)

export function addChartRoutes(
  app: Express,
  { generations, renders, admission, pictures, identifyAddress, demo, publicUrl, basePath, version }: ChartServices,
  guard: (endpoint: string, identify?: Identify) => RequestHandler[],
): void {
  const compressed = new CompressedBodies()

  const answer = async (request: Request, response: Response, ask: ChartBody, isRepeated = false): Promise<void> => {
    const { caller } = requireCall(request)
    const kept = await ensureRender(ask, caller)
    const { id, key, generation, remarks } = kept
    const format = ask.format ?? acceptedFormat(request.headers.accept)
    response.set({ 'X-Render-Id': id, 'X-Generation': generation, 'Cache-Control': 'private, no-cache' })
    if (remarks.length > 0) response.set('X-Chart-Remarks', asciiJson(remarks))
    const url = `${publicUrl ?? `${socketUrl(request.socket)}${basePath}`}${renderPath(id)}`
    // A picture drawn again is the same; a body that contains its URL is not.
    const decisive = isPlain(format) ? key : `${key} ${url}`
    if (await send(request, response, format, decisive, () => bodyOf(caller, kept, format, url))) return
    // Its file was damaged and is removed.
    if (isRepeated) throw gone()
    await answer(request, response, ask, true)
  }

  const viewOf = (published: Published, caller: Caller): View =>
    new View(published, caller.tier, admission.workFor(caller))

  /** Requests of one generation and tier share a chart; pictures are drawn on request. */
  const ensureRender = (ask: ChartBody, caller: Caller): Promise<KeptChart & { key: string; generation: string }> =>
    generations.read(async (published) => {
      const { id: generation, simulated } = published.generation
      const { format: _, generation: __, as_of: ___, ...decisive } = ask
      // Rows after blocks change between publications.
      const kept = isFine(ask.interval ?? 'day') && published.keptRows.at(-1)
      const key = hash(
        'sha256',
        JSON.stringify([published.state, caller.tier, decisive, ...(kept ? [kept.sha256] : [])]),
      )
      const chart = await renders.keep(caller, key, async () => ({
        ...(await composePublished(viewOf(published, caller), ask, publicUrl)),
        generation,
        simulated,
        embedFont: ask.embed_font,
      }))
      return { ...chart, key, generation }
    }, ask)

  const bodyOf = async (
    caller: Caller,
    { id, remarks }: KeptChart,
    format: AnswerFormat,
    url: string,
  ): Promise<Buffer | undefined> => {
    if (isPlain(format)) return renders.picture(caller, id, format)
    const file = format === 'json' ? undefined : await renders.picture(caller, id, format)
    const chart = await renders.find(id)
    if (!chart) return undefined
    const origin = {
      generation: chart.generation,
      ...(chart.simulated && { simulated: true as const }),
      ...(chart.historyLimitedTo !== undefined && { history_limited_to: chart.historyLimitedTo }),
      render_id: id,
      png_url: `${url}.png`,
      svg_url: `${url}.svg`,
    }
    if (file !== undefined) {
      const rest = Buffer.from(`,${JSON.stringify(origin).slice(1)}`)
      if (format === 'rows') return Buffer.concat([file.subarray(0, -1), rest])
      return Buffer.concat([Buffer.from('{"specification":'), file, rest])
    }
    await ownTurn()
    const { series, ...described } = describeChart(chart.specification, remarks)
    const metadata: z.input<typeof chartMetadata> = {
      ...described,
      series: series.map((one) => limitExtremes(one, chart.historyLimitedTo)),
      ...origin,
    }
    return Buffer.from(JSON.stringify(metadata))
  }

  /**
   * 304 if the client already has the body, which `decisive` identifies. Returns false if there is
   * none.
   */
  const send = async (
    request: Request,
    response: Response,
    format: AnswerFormat,
    decisive: string,
    bodyOf: () => Promise<Buffer | undefined>,
  ): Promise<boolean> => {
    const tag = hash('sha256', `${version} ${format} ${decisive}`).slice(0, 32)
    response.set({ ETag: `W/"${tag}"`, Vary: varyHeader })
    if (isNotModified(request, `W/"${tag}"`)) {
      response.status(304).end()
      return true
    }
    const { caller } = requireCall(request)
    await admission.run(caller, 0, () => {})
    const bytes = await bodyOf()
    if (!bytes) return false
    response.setHeader('Content-Type', contentTypes[format])
    if (format === 'svg') response.setHeader('Content-Security-Policy', picturePolicy)
    // PNG is already compressed.
    const encodings = format === 'png' ? undefined : request.headers['accept-encoding']
    const { encoding, body } = await compressed.for(encodings, tag, bytes)
    if (encoding !== undefined) response.setHeader('Content-Encoding', encoding)
    response.setHeader('Content-Length', body.length)
    addBudgetHeaders(response, admission.left(caller))
    countBytes(body.length, { response, caller, admission })
    response.end(body)
    return true
  }

  const requireRights: RequestHandler = (request, _, next) => {
    const { caller } = requireCall(request)
    if (!(demo && caller.tier === 'demo')) requirePro(caller, paths.chart)
    next()
  }
  app.get(paths.chart, ...guard(paths.chart), requireRights, (request, response) => {
    return answer(request, response, toBody(parsePart(chartQuery, readQuery(request.originalUrl))))
  })
  app.post(
    paths.chart,
    ...guard(paths.chart),
    requireRights,
    requireJson,
    json({ limit: '256kb', strict: false, verify: limitJson }),
    (request, response) => answer(request, response, parseBody(chartBody, request.body)),
  )
  /** Requests for a public picture count for its owner's account. */
  const ownerOf: Identify = async (request) => {
    const picture = await pictures.find(readFileName(request)?.id ?? '')
    const asker = identifyAddress(request)
    if (!picture) return { ...asker, refusal: noPicture() }
    const { account_id: accountId, tier } = picture
    return {
      ...asker,
      name: accountCaller(accountId),
      accountId,
      by: 'session',
      tier: asker.isUnlimited ? asker.tier : tier,
    }
  }
  app.get(
    paths.picture.replace('{file}', ':file'),
    ...guard(paths.picture, ownerOf),
    requireRights,
    async (request, response) => {
      const { id = '', format } = readFileName(request) ?? {}
      const picture = await pictures.find(id)
      if (!picture || !format) throw noPicture()
      await answer(request, response, { ...parseBody(chartBody, picture.request), format })
    },
  )

  app.get(paths.render.replace('{file}', ':file'), ...guard(paths.render), async (request, response) => {
    const [, id, format] = /^([0-9a-f]{32})\.(png|svg)$/.exec(String(request.params.file)) ?? []
    if (id === undefined || (format !== 'png' && format !== 'svg') || !(await renders.has(id))) throw gone()
    response.set({ 'Cache-Control': 'private, max-age=3600', 'X-Render-Id': id })
    const { caller } = requireCall(request)
    if (!(await send(request, response, format, id, () => renders.picture(caller, id, format)))) throw gone()
  })
}

function readFileName(request: Request): { readonly id: string; readonly format: 'png' | 'svg' } | undefined {
  const [, id, format] = /^([\w-]{24})\.(png|svg)$/.exec(String(request.params.file)) ?? []
  return id !== undefined && (format === 'png' || format === 'svg') ? { id, format } : undefined
}

const noPicture = (): ApiError => new ApiError('not_found', 'there is no such picture, or its owner removed it')

const acceptedTypes = { 'image/svg+xml': 'svg', 'image/png': 'png', 'application/json': 'json' } as const

/** On a tie SVG, PNG, JSON; PNG if Accept names none of them. */
function acceptedFormat(accept = ''): 'svg' | 'png' | 'json' {
  const types = ['image/svg+xml', 'image/png', 'application/json'] as const
  const isNamed = types.some((type) => accept.includes(type))
  const best = preferredType(accept, isNamed ? types : ['image/png', 'image/svg+xml', 'application/json'])
  return best === undefined ? 'png' : acceptedTypes[best]
}

const gone = (): ApiError =>
  new ApiError('not_found', 'there is no such picture: they are kept for an hour, so ask for the chart again')

/** If the caller sees no earlier days. */
function limitExtremes({ min, max, ...series }: SeriesMetadata, firstSeen: string | undefined) {
  const limit = firstSeen === undefined ? {} : { only_since: firstSeen }
  return { ...series, min: min && { ...min, ...limit }, max: max && { ...max, ...limit } }
}

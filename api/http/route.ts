import type { z } from 'zod'
import { ApiError } from '#contract/api-error.ts'
import type { Endpoint, EndpointParameters } from '#contract/endpoint.ts'
import {
  type CommonParameters,
  type DataQuery,
  type Format,
  fileRowLimit,
  isAscending,
  type PointInTime,
  rowLimit,
} from '#contract/parameters.ts'
import type { Tier } from '#contract/tiers.ts'
import type { CallerWork } from '#limits/admission.ts'
import type { Answer, Answerer, RetainedViews } from '#query/answers/answer.ts'
import { expectedMs } from '#query/answers/cost.ts'
import { describeCut, explainNoRows, selectPage } from '#query/answers/page.ts'
import { Fields } from '#query/fields.ts'
import { FirstPublished } from '#query/first-published.ts'
import type { Generations } from '#query/generations.ts'
import { parseParameters } from '#query/parse-request.ts'
import type { Published } from '#query/published.ts'
import { UnrestrictedView, View } from '#query/view.ts'

export interface Route {
  readonly endpoint: Endpoint
  readonly parse: (path: Readonly<Record<string, string>>, url: string) => ParsedRequest
}

export interface ParsedRequest {
  readonly endpoint: Endpoint
  readonly format: Format | undefined
  /** CSV begins with a byte order mark. */
  readonly hasMark: boolean
  readonly at: PointInTime & { readonly acceptsFirstPublished: boolean }
  readonly expectedMs: (published: Published, tier: Tier) => number
  readonly answer: (
    published: Published,
    tier: Tier,
    generations: Generations,
    work: CallerWork,
    format: Format,
  ) => Promise<Answer>
}

type DataEndpoint = Endpoint<z.ZodObject, DataQuery>

export function route<E extends DataEndpoint>(endpoint: E, answer: Answerer<E>): Route
export function route(
  endpoint: DataEndpoint,
  answer: (
    view: UnrestrictedView,
    parameters: EndpointParameters<DataEndpoint>,
    fields: Fields,
    retained: RetainedViews,
  ) => Answer | Promise<Answer>,
): Route {
  return {
    endpoint,
    parse: (path, url) => {
      const { access, undated, history } = endpoint
      const { parameters, common, given } = parseParameters(endpoint, path, url)
      const fields = new Fields(endpoint, parameters.fields)
      return {
        endpoint,
        format: parameters.format,
        hasMark: parameters.bom,
        // Each daily metric can be replaced by its first published value.
        at: { ...common, acceptsFirstPublished: 'aggregate' in endpoint.query.shape },
        expectedMs: (published, tier) => expectedMs(new View(published, tier), endpoint, common, fields),
        answer: async (published, tier, generations, work, file) => {
          if (published instanceof FirstPublished) published.requireDays(common)
          const isFile = file !== 'json'
          const maxRows = isFile && given.limit === undefined ? fileRowLimit : rowLimit
          const view = new UnrestrictedView(published, tier, work, maxRows)
          if (access !== 'anyone' && undated === undefined && !(history && 'all' in history))
            requireVisible(view, common)
          const answered = await answer(view, parameters, fields, retainedViews(generations, tier))
          const page = selectPage(endpoint, common, explainNoRows(view, common, answered), maxRows)
          const selected = fields.select(page)
          const isFromStart = common.start_date !== undefined
          // Readers of files do not see where the next page begins.
          const place = isFile && isFromStart ? undefined : (given.limit ?? given.cursor ?? given.offset)
          const cut = describeCut(selected, place !== undefined || !(isFromStart || parameters.strict))
          if (cut !== undefined && parameters.strict) {
            work.spend(selected.table.rows * selected.table.columns.length)
            throw partialAnswer(cut, selected)
          }
          return { ...selected, cut }
        },
      }
    },
  }
}

/** Refuses what `strict` does not accept. */
function partialAnswer(cut: string, { meta = {} }: Answer): ApiError {
  const { history_limited_to: first_date, withheld, withheld_tier = 'pro' } = meta
  const isAboveTier = first_date !== undefined || withheld !== undefined
  const details = isAboveTier ? { needed: withheld_tier, first_date, withheld } : { parameter: 'strict' }
  return new ApiError(
    isAboveTier ? 'insufficient_tier' : 'invalid_parameter',
    `with strict=true this is refused, since only a part could be answered: ${cut}`,
    details,
  )
}

/** Throws `insufficient_tier` if all requested days are before the caller's history. */
function requireVisible(view: View, parameters: CommonParameters): void {
  const { start_date, order, cursor } = parameters
  for (const name of ['date_processed', 'date', 'end_date'] as const) view.requireDays(parameters[name], name)
  // Descending pages end at the cursor.
  if (!isAscending({ start_date, order })) view.requireDays(cursor?.day, 'cursor')
}

const retainedViews = (generations: Generations, tier: Tier): RetainedViews => ({
  readEarlier: async (than, work, id = generations.before(than)) =>
    id === undefined ? undefined : generations.read((published) => work(new View(published, tier)), { generation: id }),
})

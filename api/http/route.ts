import type { z } from 'zod'
import type { Endpoint, ParametersOf } from '#contract/endpoint.ts'
import { type DataQuery, type Format, type PointInTime, pointOfRequest } from '#contract/parameters.ts'
import type { Tier } from '#contract/tiers.ts'
import type { Pauses } from '#limits/work.ts'
import type { Answer, Answerer, KeptViews } from '#query/answers/answer.ts'
import { withReason } from '#query/answers/no-rows.ts'
import { pageOf } from '#query/answers/page.ts'
import { Fields } from '#query/fields.ts'
import type { Generations } from '#query/generations.ts'
import { parseParameters } from '#query/parse-request.ts'
import type { Published } from '#query/published.ts'
import { View, ViewOfAll } from '#query/view.ts'

/** An endpoint with what answers it. */
export interface Route {
  readonly endpoint: Endpoint
  readonly parse: (path: Readonly<Record<string, string>>, queryString: string) => ParsedRequest
}

export interface ParsedRequest {
  readonly endpoint: Endpoint
  readonly format: Format | undefined
  readonly at: PointInTime
  readonly answer: (published: Published, tier: Tier, generations: Generations, pauses: Pauses) => Promise<Answer>
}

type DataEndpoint = Endpoint<z.ZodObject, DataQuery>

/** Joins an endpoint with what answers it. */
export function route<E extends DataEndpoint>(endpoint: E, answer: Answerer<E>): Route
export function route(
  endpoint: DataEndpoint,
  answer: (
    view: ViewOfAll,
    parameters: ParametersOf<DataEndpoint>,
    fields: Fields,
    kept: KeptViews,
  ) => Answer | Promise<Answer>,
): Route {
  return {
    endpoint,
    parse: (path, queryString) => {
      const parameters = parseParameters(endpoint, path, queryString)
      const fields = new Fields(endpoint, parameters.fields)
      return {
        endpoint,
        format: parameters.format,
        at: pointOfRequest.parse(parameters),
        answer: async (published, tier, generations, pauses) => {
          const view = new ViewOfAll(published, tier, pauses)
          const answered = await answer(view, parameters, fields, keptViews(generations, tier))
          return fields.select(pageOf(endpoint, parameters, withReason(view, parameters, answered)))
        },
      }
    },
  }
}

const keptViews = (generations: Generations, tier: Tier): KeptViews => ({
  earlier: async (than, id = generations.before(than)) =>
    id === undefined ? undefined : generations.read(async (published) => new View(published, tier), { generation: id }),
})

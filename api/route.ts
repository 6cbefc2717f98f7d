import type { z } from 'zod'
import type { Endpoint, ParametersOf } from '#contract/endpoint.ts'
import type { DataQuery, Format } from '#contract/parameters.ts'
import type { Tier } from '#contract/tiers.ts'
import type { Answer, Answerer } from './answers/answer.ts'
import { parseParameters } from './parse-request.ts'
import type { Published } from './published/published.ts'
import { ViewOfAll } from './published/view.ts'

/** An endpoint with what answers it. */
export interface Route {
  readonly endpoint: Endpoint
  readonly parse: (path: Readonly<Record<string, string>>, queryString: string) => ParsedRequest
}

export interface ParsedRequest {
  readonly endpoint: Endpoint
  readonly format: Format | undefined
  readonly answer: (published: Published, tier: Tier) => Answer | Promise<Answer>
}

type DataEndpoint = Endpoint<z.ZodObject, DataQuery>

/** Joins an endpoint with what answers it. */
export function route<E extends DataEndpoint>(endpoint: E, answer: Answerer<E>): Route
export function route(
  endpoint: DataEndpoint,
  answer: (view: ViewOfAll, parameters: ParametersOf<DataEndpoint>) => Answer | Promise<Answer>,
): Route {
  return {
    endpoint,
    parse: (path, queryString) => {
      const parameters = parseParameters(endpoint, path, queryString)
      return {
        endpoint,
        format: parameters.format,
        answer: (published, tier) => answer(new ViewOfAll(published, tier), parameters),
      }
    },
  }
}

import type { z } from 'zod'
import type { Endpoint } from '#contract/endpoint.ts'
import type { DataQuery, Format } from '#contract/parameters.ts'
import type { Tier } from '#contract/tiers.ts'
import type { Answer, Answerer } from './answers/answer.ts'
import { parseParameters } from './parse-request.ts'
import type { Published } from './published/published.ts'

/** An endpoint with what answers it. */
export interface Route {
  readonly endpoint: Endpoint
  readonly parse: (path: Readonly<Record<string, string>>, queryString: string) => ParsedRequest
}

export interface ParsedRequest {
  readonly format: Format | undefined
  readonly answer: (published: Published, tier: Tier) => Answer | Promise<Answer>
}

/** Joins an endpoint with what answers it. */
export function route<Path extends z.ZodObject, Query extends DataQuery, Row extends z.ZodType>(
  endpoint: Endpoint<Path, Query, Row>,
  answer: Answerer<Endpoint<Path, Query, Row>>,
): Route {
  return {
    endpoint,
    parse: (path, queryString) => {
      const parameters = parseParameters(endpoint, path, queryString)
      return { format: parameters.format, answer: (published, tier) => answer(published, tier, parameters) }
    },
  }
}

import type { z } from 'zod'
import { ApiError, invalidParameter, shorten } from '#contract/api-error.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { type CommonParameters, commonParameters } from '#contract/parameters.ts'

export function parseParameters<Path extends z.ZodObject, Query extends z.ZodObject>(
  endpoint: Endpoint<Path, Query>,
  path: Readonly<Record<string, string>>,
  url: string,
): {
  readonly parameters: z.output<Path> & z.output<Query>
  readonly common: CommonParameters
  /** Without defaults. */
  readonly given: Readonly<Record<string, string>>
} {
  const query = readQuery(url)
  const parameters = { ...parsePart(endpoint.pathParameters, path), ...parsePart(endpoint.query, query) }
  const common = commonParameters.parse(parameters)
  for (const [start, end] of ranges) {
    const [first, last] = [common[start], common[end]]
    if (first === undefined || last === undefined || first <= last) continue
    throw invalidParameter(start, `must not be later than ${end}, which is '${query[end]}'`, query[start])
  }
  return { parameters, common, given: query }
}

const ranges = [
  ['start_date', 'end_date'],
  ['cohort_start', 'cohort_end'],
] as const

/** Refuses a parameter that occurs twice. */
export function readQuery(url: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(url.replace(/^[^?]*/, ''))) {
    if (name in query) throw invalidParameter(name, 'is given more than once: give it once')
    query[name] = value
  }
  return query
}

/** Throws `invalid_parameter` with the name of the first invalid value. */
export function parsePart<Schema extends z.ZodObject>(
  schema: Schema,
  given: Readonly<Record<string, unknown>>,
): z.output<Schema> {
  const result = schema.safeParse({ ...given })
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (issue?.code === 'unrecognized_keys') {
    const name = shorten(issue.keys[0]!)
    const allowed = Object.keys(schema.shape)
    throw new ApiError('invalid_parameter', `unknown parameter '${name}'; this endpoint has ${allowed.join(', ')}`, {
      parameter: name,
      allowed,
    })
  }
  const name = String(issue?.path[0])
  const isMissing = issue?.code === 'invalid_type' && given[name] === undefined
  throw invalidParameter(name, isMissing ? 'is missing' : (issue?.message ?? 'cannot be used'), given[name])
}

import type { z } from 'zod'
import { invalidParameter } from './api-error.ts'

/** Throws `invalid_parameter` with the first invalid field. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body, { reportInput: true })
  if (result.success) return result.data
  const issue = firstIssue(result.error.issues)
  if (issue?.code === 'unrecognized_keys') {
    throw invalidParameter([...issue.path, issue.keys[0]].join('.'), 'is unknown here: leave it out')
  }
  const name = issue?.path.join('.') || 'body'
  throw invalidParameter(
    name,
    issue?.code === 'invalid_type' && issue.input === undefined ? 'is missing' : issue!.message,
  )
}

/** For a union, the first issue of the best match. */
function firstIssue([issue]: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue
  const inner = issue.errors.map(firstIssue).find((one) => one !== undefined && one.path.length > 0)
  return inner ? { ...inner, path: [...issue.path, ...inner.path] } : issue
}

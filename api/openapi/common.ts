import { z } from 'zod'
import { failureSchema } from '#contract/envelope.ts'
import { exampleOf } from './examples.ts'

export const binary = z.string().meta({ format: 'binary' })

/** Security requirement: an API key in either header. */
export const byKey = [{ key: [] }, { keyHeader: [] }]

const commonFailures: Readonly<Record<number, string>> = {
  400: 'A parameter is not valid',
  401: 'The key is not valid, or a key is needed',
  403: "The caller's tier is too low",
  404: 'Unknown id, cohort, exchange or path',
  405: 'The path does not support this method',
  406: 'Accept names no format that is served',
  413: 'The body is too long',
  414: 'The address is too long',
  415: 'The body is not JSON',
  429: 'Requests per minute, requests per day or a budget exceeded (error.details.budget names it). Retry-After says when to try again',
  431: 'The headers are too long',
  500: 'An error in the service',
  503: 'No data is published yet, or too many callers are waiting',
  504: 'Drawing takes too long',
}
/** Statuses of operations with a body, and of those that draw. */
export const ofBodies = [413, 415]
export const ofDrawing = [504]

export const failureContent = { 'application/json': { schema: failureSchema, example: exampleOf(failureSchema) } }

export const failureResponses = new Map(
  Object.entries(commonFailures).map(([status, description]) => [
    Number(status),
    { id: `Failure${status}`, description, content: failureContent },
  ]),
)
const ofSome = new Set([...ofBodies, ...ofDrawing])
/** The failures of all operations, plus `others`. */
export const failures = (others: readonly number[] = []) =>
  Object.fromEntries([...failureResponses].filter(([status]) => !ofSome.has(status) || others.includes(status)))

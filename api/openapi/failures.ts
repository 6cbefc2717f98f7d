import { failureSchema } from '#contract/envelope.ts'
import { exampleOf } from './examples.ts'

const commonFailures: Readonly<Record<number, string>> = {
  400: 'A parameter cannot be used',
  401: 'The key is not valid, or a key is needed',
  403: "The caller's tier is too low",
  404: 'Unknown id, cohort, exchange or path',
  405: 'The path is not served by this method',
  406: 'Accept names no format that is served',
  413: 'The body is too long',
  414: 'The address is too long',
  415: 'The body is not JSON',
  429: 'Limit of the minute, quota of the day or a budget of work exceeded (error.details.budget names it); Retry-After says when to try again',
  431: 'The headers are too long',
  500: 'A defect of the service',
  503: 'No data is published yet, or too many callers wait',
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

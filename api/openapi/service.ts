import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { healthSchema, probeSchema } from '#contract/health.ts'
import { statusSchema } from '#contract/status.ts'
import { widgetSchema } from '#contract/widget.ts'
import { failureResponses, failures } from './common.ts'
import { exampleOf } from './examples.ts'

/** An operation of the service itself, without a key. */
const operation = (
  operationId: string,
  summary: string,
  description: string,
  responses: ZodOpenApiOperationObject['responses'],
): ZodOpenApiOperationObject => ({ operationId, tags: ['Service'], summary, description, security: [], responses })

const jsonResponse = (description: string, schema: z.ZodObject) => ({
  description,
  content: { 'application/json': { schema, example: exampleOf(schema) } },
})

const textResponse = (description: string, type: 'text/plain' | 'text/markdown', example: string) => ({
  description,
  content: { [type]: { schema: z.string(), example } },
})

const notFound = { 404: failureResponses.get(404)! }
const wrongMethod = { 405: failureResponses.get(405)! }

export const changelogOperation = operation(
  'changelog',
  'Changes by version',
  'In Markdown, newest version of the program (info.version) first; says what clients must do.',
  { 200: textResponse('The changelog', 'text/markdown', '# Changelog'), ...failures() },
)

export const guidesOperation = operation(
  'guides',
  'List of the guides with their addresses',
  'For programs that read for an assistant, in the form of llmstxt.org. Needs no key and has no limits.',
  { 200: textResponse('The list', 'text/plain', '# Coinstrata'), ...notFound, ...wrongMethod },
)

export const guideOperation: ZodOpenApiOperationObject = {
  ...operation('guide', 'A guide in Markdown', 'A guide listed in /llms.txt. Needs no key and has no limits.', {
    200: textResponse('The guide', 'text/markdown', '# The API'),
    ...notFound,
    ...wrongMethod,
  }),
  requestParams: {
    path: z.object({ guide: z.string().meta({ description: 'Name of the guide', example: 'api' }) }),
  },
}

export const healthOperation = operation(
  'health',
  'Which data are served; needs no key and has no limits',
  'For monitoring: 200 while data are served, 503 until the first publication.',
  {
    200: jsonResponse('Data are served', healthSchema),
    503: jsonResponse('No data are published yet', healthSchema),
    ...wrongMethod,
  },
)

export const probeOperation = (operationId: string, summary: string, success: string): ZodOpenApiOperationObject =>
  operation(operationId, summary, 'For process managers. Needs no key and has no limits.', {
    200: jsonResponse(success, probeSchema),
    ...wrongMethod,
    503: jsonResponse('Nothing can be served', probeSchema),
  })

export const widgetOperation = operation(
  'widget',
  'Four numbers for the dashboard of a home server',
  'In the form of four-stats widgets of umbrelOS. Needs no key and has no limits.',
  { 200: jsonResponse('Price, MVRV, newest block and state', widgetSchema), ...wrongMethod },
)

export const statusOperation = operation(
  'status',
  'Generations, runs, and how far market data reach; needs no key',
  'The same as `coinstrata status` on the machine itself.',
  { 200: jsonResponse('The state of the service', statusSchema), ...failures() },
)

import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { healthSchema, probeSchema } from '#contract/health.ts'
import { statusSchema } from '#contract/status.ts'
import { widgetSchema } from '#contract/widget.ts'
import { exampleOf } from './examples.ts'
import { failureResponses, failures } from './failures.ts'

const keyless: Pick<ZodOpenApiOperationObject, 'security' | 'tags'> = { security: [], tags: ['Service'] }

const answerOf = (description: string, schema: z.ZodObject) => ({
  description,
  content: { 'application/json': { schema, example: exampleOf(schema) } },
})

export const changelogOperation: ZodOpenApiOperationObject = {
  operationId: 'changelog',
  description: 'In Markdown, by version of the program (info.version), newest first; it says what clients must do.',
  ...keyless,
  summary: 'What changed, by version',
  responses: {
    200: { description: 'The changelog', content: { 'text/markdown': { schema: z.string(), example: '# Changelog' } } },
    ...failures(),
  },
}

/** A text response and 404. */
const textResponses = (description: string, type: 'text/plain' | 'text/markdown', example: string) => ({
  200: { description, content: { [type]: { schema: z.string(), example } } },
  404: failureResponses.get(404)!,
  405: failureResponses.get(405)!,
})

export const guidesOperation: ZodOpenApiOperationObject = {
  operationId: 'guides',
  description:
    'For programs that read for an assistant, in the form of llmstxt.org; it needs no key and has no limits.',
  ...keyless,
  summary: 'The list of the guides, with their addresses',
  responses: textResponses('The list', 'text/plain', '# Coinstrata'),
}

export const guideOperation: ZodOpenApiOperationObject = {
  operationId: 'guide',
  description: 'One that /llms.txt lists; it needs no key and has no limits.',
  ...keyless,
  summary: 'A guide in Markdown',
  requestParams: {
    path: z.object({ guide: z.string().meta({ description: 'Name of the guide', example: 'api' }) }),
  },
  responses: textResponses('The guide', 'text/markdown', '# The API'),
}

export const healthOperation: ZodOpenApiOperationObject = {
  operationId: 'health',
  description: 'For monitoring: 200 while data are served, 503 until the first publication.',
  ...keyless,
  summary: 'Which data are served; needs no key and has no limits',
  responses: {
    200: answerOf('Data are served', healthSchema),
    503: answerOf('No data are published yet', healthSchema),
    405: failureResponses.get(405)!,
  },
}

export const probeOperation = (
  operationId: string,
  summary: string,
  description: string,
): ZodOpenApiOperationObject => ({
  operationId,
  tags: ['Service'],
  summary,
  description: 'For what starts and stops the process; it needs no key and has no limits.',
  security: [],
  responses: {
    200: answerOf(description, probeSchema),
    405: failureResponses.get(405)!,
    503: answerOf('Nothing can be served', probeSchema),
  },
})

export const widgetOperation: ZodOpenApiOperationObject = {
  operationId: 'widget',
  tags: ['Service'],
  summary: 'Four numbers for the home screen of a server at home',
  description: 'In the form of four-stats widgets of umbrelOS; it needs no key and has no limits.',
  security: [],
  responses: {
    200: answerOf('Price, MVRV, newest block and state', widgetSchema),
    405: failureResponses.get(405)!,
  },
}

export const statusOperation: ZodOpenApiOperationObject = {
  operationId: 'status',
  description: 'What `coinstrata status` tells on the machine itself.',
  ...keyless,
  summary: 'What is published and kept, which runs there were, and how far market data reach; needs no key',
  responses: {
    200: answerOf('The state of the service', statusSchema),
    ...failures(),
  },
}

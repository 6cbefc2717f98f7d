import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { accountActions } from '#contract/accounts/actions.ts'
import { eventData, eventNames } from '#contract/events.ts'
import { healthSchema, probeSchema } from '#contract/health.ts'
import { statusSchema } from '#contract/status.ts'
import { widgetSchema } from '#contract/widget.ts'
import { failureResponses, failures, jsonContent } from './common.ts'

/** Needs no key. */
const operation = (
  operationId: string,
  summary: string,
  description: string,
  responses: ZodOpenApiOperationObject['responses'],
): ZodOpenApiOperationObject => ({ operationId, tags: ['Service'], summary, description, security: [], responses })

const jsonResponse = (description: string, schema: z.ZodObject) => ({ description, content: jsonContent(schema) })

const textResponse = (description: string, type: 'text/plain' | 'text/markdown', example: string) => ({
  description,
  content: { [type]: { schema: z.string(), example } },
})

const notFound = { 404: failureResponses.get(404)! }
const wrongMethod = { 405: failureResponses.get(405)! }

export const changelogOperation = operation(
  'changelog',
  'Changes by version',
  'In Markdown, newest version of the program (info.version) first; with what clients must change.',
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
  'Generations, runs, and the last days of market data; needs no key',
  'The same as `coinstrata status` on the machine itself.',
  { 200: jsonResponse('The state of the service', statusSchema), ...failures() },
)

export const eventsOperation: ZodOpenApiOperationObject = {
  operationId: 'events',
  security: [],
  tags: ['Service'],
  summary: 'Events of what is published (server-sent events)',
  description:
    'generation: another generation is current. today: the open day has changed. market: a snapshot of the markets was taken. The current state is sent at once; with Last-Event-ID, only what changed since that event, also if another server sent it, or after a restart.',
  requestParams: {
    header: z.object({ 'Last-Event-ID': z.string().optional().meta({ description: 'Id of the last received event' }) }),
  },
  responses: {
    200: {
      description: 'Events, until either side ends the connection',
      content: {
        'text/event-stream': {
          schema: z.object({ id: z.string().optional(), event: z.string().optional(), data: z.string() }),
          examples: {
            generation: {
              value: {
                id: '20260101T003000000Z-930000-0123abcd..',
                event: 'generation',
                data: '{"generation":"20260101T003000000Z-930000-0123abcd","published_at":"2026-01-01T00:30:00.000Z","last_date":"2025-12-31","tip_height":930000,"tip_hash":"…","fetch":"/v1/status"}',
              },
            },
          },
        },
      },
    },
    ...failures(),
  },
}

const signature = z.object({
  'webhook-id': z.string().meta({ description: 'Id of the message; repeated messages have the same' }),
  'webhook-timestamp': z.string().meta({ description: 'Time of sending, in seconds since 1970' }),
  'webhook-signature': z.string().meta({
    description:
      'v1, and the base64 HMAC-SHA256 of id, timestamp and body joined by full stops; one per valid secret, separated by spaces (Standard Webhooks)',
  }),
})

/** By event type. */
export const webhookOperations = Object.fromEntries(
  eventNames.map((event) => {
    const data = eventData[event]
    const schema = z.object({ type: z.literal(event), timestamp: z.iso.datetime(), data })
    const post: ZodOpenApiOperationObject = {
      operationId: `${event}Webhook`,
      tags: ['Webhooks'],
      summary: data.meta()?.description ?? event,
      description: `Sent to webhooks of POST ${accountActions.createWebhook.path} that subscribe to this event. Failed deliveries are repeated for a day, only the newest of each event.`,
      security: [],
      requestParams: { header: signature },
      requestBody: { required: true, content: jsonContent(schema) },
      responses: {
        '2XX': { description: 'The event is accepted' },
        410: { description: 'No further events are wanted: the webhook is disabled' },
        default: { description: 'The event is sent again later; redirects are not followed' },
      },
    }
    return [event, { post }]
  }),
)

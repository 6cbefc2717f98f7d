import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { accountActions } from '#contract/accounts/actions.ts'
import { eventData, eventNames } from '#contract/events.ts'
import { failures } from './common.ts'
import { exampleOf } from './examples.ts'

export const eventsOperation: ZodOpenApiOperationObject = {
  operationId: 'events',
  security: [],
  tags: ['Service'],
  summary: 'Events of what is published (server-sent events)',
  description:
    'generation: another generation is current. today: the open day has changed. market: a snapshot of the markets was taken. The current state is sent at once; with Last-Event-ID, only what changed since that event, even by another server or after a restart.',
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

/** Requests sent to webhooks, by event type. */
export const webhookOperations = Object.fromEntries(
  eventNames.map((event) => {
    const data = eventData[event]
    const schema = z.object({ type: z.literal(event), timestamp: z.iso.datetime(), data })
    const post: ZodOpenApiOperationObject = {
      operationId: `${event}Webhook`,
      tags: ['Account'],
      summary: data.meta()?.description ?? event,
      description: `Sent to webhooks of POST ${accountActions.createWebhook.path} that subscribe to this event. Failed deliveries are repeated for a day, only the newest of each event.`,
      security: [],
      requestParams: { header: signature },
      requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(schema) } } },
      responses: {
        '2XX': { description: 'The event is accepted' },
        410: { description: 'No further events are wanted: the webhook is disabled' },
        default: { description: 'The event is sent again later; redirects are not followed' },
      },
    }
    return [event, { post }]
  }),
)

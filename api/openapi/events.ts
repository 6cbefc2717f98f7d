import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { failures } from './failures.ts'

export const eventsOperation: ZodOpenApiOperationObject = {
  operationId: 'events',
  security: [],
  tags: ['Service'],
  summary: 'What is new, told as it is published (server-sent events)',
  description:
    'generation: another generation is current. today: the open day has changed. market: a snapshot of the markets was taken. What is the case is told at once; with Last-Event-ID only what differs from what that event told, also by another server or after a restart.',
  requestParams: {
    header: z.object({ 'Last-Event-ID': z.string().optional().meta({ description: 'Of the last event that came' }) }),
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

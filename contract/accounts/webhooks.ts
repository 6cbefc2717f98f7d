import { z } from 'zod'
import { eventNames } from '../events.ts'
import { shortText } from '../field-schemas.ts'

const time = z.iso.datetime()
const fields = {
  name: shortText(100),
  url: z.url('must be a URL').max(500, 'must have at most 500 characters').meta({
    description: 'Address that receives events: https, a public address, port 443 or 1024 and above',
    example: 'https://example.org/coinstrata',
  }),
  events: z
    .array(z.enum(eventNames, { error: `must be some of ${eventNames.join(', ')}` }), { error: 'must be a list' })
    .min(1, 'must not be empty')
    .max(eventNames.length, 'must name each event once')
    .refine((names) => new Set(names).size === names.length, 'must name each event once'),
}

export const newWebhookBody = z.strictObject({ ...fields, events: fields.events.default(['generation']) })

const shown = {
  id: z.string(),
  name: z.string(),
  url: z.string(),
  events: z.array(z.enum(eventNames)),
  created_at: time,
  delivered_at: time.nullable().meta({ description: 'When an event was last taken' }),
  failing_since: time
    .nullable()
    .meta({ description: 'Time since which no event was accepted; null if the last one was' }),
  retry_at: time.nullable().meta({ description: 'Time of the next attempt' }),
  problem: z.string().nullable().meta({ description: 'Why the last attempt failed' }),
  waiting: z.int().meta({ description: 'Events that are not delivered yet; of each kind only the newest is' }),
  disabled_at: time
    .nullable()
    .meta({ description: 'Given up after a day of failures, or a 410; a test that is taken enables it again' }),
}
export const webhookRow = z.strictObject(shown).meta({ id: 'Webhook' })
export const newWebhookRow = z.strictObject({
  ...shown,
  secret: z.string().meta({ description: 'Signs events; shown this once and never again' }),
})
export const webhookTestRow = z.strictObject({
  taken: z.boolean(),
  problem: z.string().nullable().meta({ description: 'Why it was not taken' }),
})

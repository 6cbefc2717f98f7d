import { z } from 'zod'
import { isoDate, value } from './envelope.ts'
import { integerWithin, numberWithin, oneOf, shortText } from './field-schemas.ts'

const time = z.iso.datetime()
const level = z.number({ error: 'must be a number' }).meta({ example: 3.5 })

/** Each is true, false or unknown on a day; an alert fires when it becomes true. */
export const alertCondition = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('above'), value: level }).meta({ description: 'The value is above a level' }),
      z.strictObject({ kind: z.literal('below'), value: level }).meta({ description: 'The value is below a level' }),
      z
        .strictObject({ kind: z.literal('outside'), low: level, high: level })
        .refine(({ low, high }) => low < high, { path: ['high'], error: 'must be above low' })
        .meta({ description: 'The value is below low or above high' }),
      z
        .strictObject({
          kind: z.literal('change'),
          percent: z.number({ error: 'must be a number' }).positive('must be above 0').meta({ example: 10 }),
          days: integerWithin([1, 365], 'must be a whole number of days').meta({ example: 7 }),
          direction: z.enum(['rise', 'fall', 'either'], { error: 'must be rise, fall or either' }).default('either'),
        })
        .meta({ description: 'The value differs by more than percent from that of any of so many days before' }),
      z
        .strictObject({ kind: z.literal('all_time_high') })
        .meta({ description: 'The value is above all earlier ones that you can see' }),
      z
        .strictObject({
          kind: z.literal('percentile'),
          percentile: numberWithin([1, 99]).meta({ example: 95 }),
        })
        .meta({
          description: 'The value exceeds this percentile of those up to its day, of which there are 100 or more',
        }),
    ],
    { error: 'must have a kind: above, below, outside, change, all_time_high or percentile' },
  )
  .meta({ id: 'AlertCondition' })
export type AlertCondition = z.output<typeof alertCondition>

/** By receiving service. */
export const webhookFormats = ['json', 'slack', 'discord', 'telegram', 'ntfy'] as const
export type WebhookFormat = (typeof webhookFormats)[number]
const format = oneOf(webhookFormats)

const watched = {
  metric: shortText(200)
    .optional()
    .meta({ description: 'Id of a metric; give either this or formula', example: 'mvrv' }),
  formula: shortText(1_000).optional().meta({ description: 'Formula over metrics, as in /v1/series' }),
  condition: alertCondition,
}
const watchesOne = ({ metric, formula }: { readonly metric?: unknown; readonly formula?: unknown }): boolean =>
  (metric === undefined) !== (formula === undefined)
const oneOfTwo = { path: ['metric'], error: 'must be given, or else formula, but not both' }

export const alertTrialBody = z.strictObject(watched).refine(watchesOne, oneOfTwo)
export type Watched = z.output<typeof alertTrialBody>

const settings = {
  email: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .meta({ description: 'Send mail to the account, or to ALERTS_TO under open access' }),
  webhook: z
    .strictObject({
      url: z.url('must be a URL').max(500, 'must have at most 500 characters').meta({
        description:
          'As for POST /v1/webhooks. For telegram: https://api.telegram.org/bot<token>/sendMessage?chat_id=<id>',
        example: 'https://ntfy.sh/my-secret-topic',
      }),
      format,
    })
    .nullable()
    .optional()
    .meta({ description: 'Needs tier pro' }),
}
export const newAlertBody = z.strictObject({ ...watched, ...settings }).refine(watchesOne, oneOfTwo)
/** Absent fields stay. Metric and formula replace each other. */
export const alertChangeBody = z
  .strictObject({
    ...watched,
    ...settings,
    active: z.boolean({ error: 'must be true or false' }).meta({ description: 'false turns the alert off' }),
  })
  .partial()

const alertFields = {
  id: z.string(),
  summary: z.string().meta({ description: 'What fires it, in words', example: 'mvrv is above 3.5' }),
  metric: z.string().nullable(),
  formula: z.string().nullable(),
  condition: alertCondition,
  email: z.boolean(),
  webhook: z
    .strictObject({ host: z.string().meta({ description: 'Of its URL, which may be secret' }), format })
    .nullable(),
  active: z.boolean(),
  created_at: time,
  is_met: z.boolean().nullable().meta({ description: 'Newest known state of the condition' }),
  as_of: isoDate.nullable().meta({ description: 'Day of that state' }),
  value: value.meta({ description: 'Value of that day' }),
  evaluated_at: time,
  paused: z.string().nullable().meta({ description: 'Why it cannot fire now; null if it can' }),
  fired: z.int().meta({ description: 'How often it has fired' }),
  last_fired_at: time.nullable(),
  problem: z.string().nullable().meta({ description: 'Why its newest message is not delivered' }),
}
export const alertRow = z.strictObject(alertFields).meta({ id: 'Alert' })
export type AlertRow = z.output<typeof alertRow>
export const changedAlertRow = z.strictObject({
  ...alertFields,
  secret: z.string().nullable().meta({
    description:
      'Signs requests of format json as those of POST /v1/webhooks; new with each new webhook, shown this once and never again',
  }),
})

export const alertTrialRow = z
  .strictObject({
    summary: alertFields.summary,
    count: z.int().meta({ description: 'How often it would have fired' }),
    fired: z.array(z.strictObject({ date: isoDate, value })).meta({ description: 'When, oldest first' }),
    from: isoDate.nullable().meta({ description: 'First day on which the condition is known; null if it never is' }),
    to: isoDate.nullable().meta({ description: 'Last such day' }),
    is_met: alertFields.is_met,
    value,
    each_block: z.boolean().meta({
      description: 'It is also evaluated after each block: all its metrics are levels that /v1/today has',
    }),
    paused: alertFields.paused,
  })
  .meta({ id: 'AlertTrial' })
export type AlertTrial = z.output<typeof alertTrialRow>

export const alertEventKinds = ['fired', 'paused', 'test'] as const
export const alertChannels = ['email', 'webhook'] as const
export type AlertChannel = (typeof alertChannels)[number]

export const alertEventRow = z
  .strictObject({
    id: z.string().meta({ description: 'The same in all copies: Message-ID of mails, webhook-id of requests' }),
    kind: z.enum(alertEventKinds),
    date: isoDate.nullable().meta({ description: 'Day of the value' }),
    value,
    height: z
      .int()
      .nullable()
      .meta({ description: 'Block after which the open day had the value; null for a closed day' }),
    text: z.string(),
    created_at: time,
    deliveries: z.array(
      z.strictObject({
        channel: z.enum(alertChannels),
        delivered_at: time.nullable(),
        attempts: z.int(),
        retry_at: time.nullable().meta({ description: 'Time of the next attempt; null after the last one' }),
        problem: z.string().nullable().meta({ description: 'Why the last attempt failed' }),
      }),
    ),
  })
  .meta({ id: 'AlertEvent' })
export type AlertEvent = z.output<typeof alertEventRow>

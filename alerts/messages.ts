import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import { memoize } from '#base/memoize.ts'
import type { AlertCondition, alertEventKinds, Watched, WebhookFormat } from '#contract/alerts.ts'
import { shorten } from '#contract/api-error.ts'
import { type Tier, tiers } from '#contract/tiers.ts'
import type { AlertState, Crossing } from './alert-state.ts'

/** Creating one takes a hundred times as long as formatting a number. */
const numberFormat = memoize(
  (maximumSignificantDigits: number) => new Intl.NumberFormat('en-US', { maximumSignificantDigits }),
)
const formatNumber = (value: number, digits = 15): string => numberFormat(digits).format(value)

/** A sentence without its full stop, such as: mvrv is above 3.5. */
export function describeAlert({ metric, formula, condition }: Watched, tier: Tier): string {
  const { historyDays } = tiers[tier]
  const isCut = Number.isFinite(historyDays)
  return `${shorten(metric ?? formula ?? '')} ${describeCondition(condition, isCut ? ` of the last ${historyDays} days` : '', isCut)}`
}

function describeCondition(condition: AlertCondition, ofDays: string, isCut: boolean): string {
  switch (condition.kind) {
    case 'above':
    case 'below':
      return `is ${condition.kind} ${formatNumber(condition.value)}`
    case 'outside':
      return `is below ${formatNumber(condition.low)} or above ${formatNumber(condition.high)}`
    case 'change': {
      const verb = { rise: 'rose by', fall: 'fell by', either: 'changed by' }[condition.direction]
      const days = condition.days === 1 ? 'a day' : `${condition.days} days`
      return `${verb} more than ${formatNumber(condition.percent)} % within ${days}`
    }
    case 'all_time_high':
      return isCut ? `is at a new high${ofDays}` : 'is at a new all-time high'
    case 'percentile':
      return `exceeds percentile ${formatNumber(condition.percentile)}${ofDays}`
  }
}

export const eventContent = z.strictObject({
  title: z.string(),
  text: z.string(),
  date: z.string().nullable(),
  value: z.number().nullable(),
  height: z.int().nullable(),
})
export type EventContent = z.infer<typeof eventContent>

export const describeState = (title: string, text: string, { asOf, value }: AlertState): EventContent => ({
  title,
  text,
  date: asOf === null ? null : isoDate(asOf),
  value,
  height: null,
})

export function describeCrossing(summary: string, { day, value, height }: Crossing): EventContent {
  const date = isoDate(day)
  const when = height === null ? `on ${date}` : `after block ${formatNumber(height)} (${date}, not over yet)`
  return { title: summary, text: `${summary}: ${formatNumber(value, 6)} ${when}.`, date, value, height }
}

export interface Message extends EventContent {
  readonly eventId: string
  readonly alertId: string
  readonly kind: (typeof alertEventKinds)[number]
  readonly createdAt: string
  /** Page of what it watches, if the service knows its address. */
  readonly link: string | undefined
}

interface WebhookRequest {
  readonly url: string
  readonly body: object
}

const withLink = ({ text, link }: Message): string => (link === undefined ? text : `${text}\n${link}`)
const htmlEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** As receivers document them. `url` is the webhook's. */
export const webhookRequests: Readonly<Record<WebhookFormat, (message: Message, url: URL) => WebhookRequest>> = {
  json: ({ kind, eventId, alertId, title: _, link = null, createdAt, ...data }, { href: url }) => ({
    url,
    body: {
      type: `alert.${kind}`,
      timestamp: createdAt,
      data: { event: eventId, alert: alertId, ...data, link },
    },
  }),
  // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
  slack: (message, { href: url }) => ({
    url,
    body: { text: withLink(message).replaceAll(/[&<>]/g, (one) => htmlEntities[one]!), mrkdwn: false },
  }),
  // https://discord.com/developers/docs/resources/webhook#execute-webhook: Markdown, at most 2,000
  // characters
  discord: (message, { href: url }) => ({
    url,
    body: {
      content: withLink({ ...message, text: message.text.replaceAll(/[\\*_~`|<>]/g, '\\$&') }),
      allowed_mentions: { parse: [] },
    },
  }),
  // https://core.telegram.org/bots/api#sendmessage
  telegram: (message, url) => {
    const { searchParams } = url
    const target = new URL(url)
    target.search = ''
    return { url: target.href, body: { ...Object.fromEntries(searchParams), text: withLink(message) } }
  },
  // https://docs.ntfy.sh/publish/#publish-as-json: to the address above the topic
  ntfy: ({ title, text, link }, url) => {
    const topic = url.pathname.split('/').at(-1)
    const target = new URL('.', url)
    target.search = url.search
    return { url: target.href, body: { topic, title, message: text, ...(link !== undefined && { click: link }) } }
  },
}

/** Undefined if the URL suits the format. */
export function findUrlProblem(format: WebhookFormat, url: URL): string | undefined {
  if (format === 'telegram' && !url.searchParams.has('chat_id')) return 'must end with ?chat_id=, the id of your chat'
  if (format === 'ntfy' && !/\/[-\w]{1,64}$/.test(url.pathname)) return 'must end with the name of a topic'
  return undefined
}

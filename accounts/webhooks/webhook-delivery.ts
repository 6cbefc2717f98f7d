import type { Logger } from '#base/log.ts'
import type { EventName } from '#contract/events.ts'
import { sendChecked, UnreachableError } from './checked-request.ts'
import { DeliveryLoop, type DeliveryTimes, delivered, failed, type Outcome } from './delivery-loop.ts'
import { createSignatureHeaders } from './signature.ts'
import type { TargetPolicy } from './target.ts'
import { createMessageId, type Delivery, type EventState, type Webhooks } from './webhooks.ts'

interface DeliveryParts {
  readonly webhooks: Webhooks
  readonly readEvents: () => Promise<{ readonly state: EventState; readonly eventData: (event: EventName) => object }>
  readonly policy: TargetPolicy
  readonly times: DeliveryTimes
  readonly version: string
  readonly log: Logger
}

export class WebhookDelivery extends DeliveryLoop<Delivery> {
  readonly parts: DeliveryParts
  #announced = ''

  constructor(parts: DeliveryParts) {
    super({ ...parts, queue: parts.webhooks, what: 'events to webhooks' })
    this.parts = parts
  }

  async test(webhookId: string, url: string): Promise<Outcome> {
    const message = { id: createMessageId(), webhook_id: webhookId, url, body: createBody('test', {}) }
    const outcome = await this.send(message)
    if (outcome.isDelivered) await this.parts.webhooks.markDelivered(message)
    return outcome
  }

  protected async enqueue(): Promise<void> {
    const { readEvents, webhooks } = this.parts
    const { state, eventData } = await readEvents()
    const id = JSON.stringify(state)
    if (id === this.#announced) return
    await webhooks.announce(state, (event) => createBody(event, eventData(event)))
    this.#announced = id
  }

  protected async send({ id, webhook_id, url, body }: Omit<Delivery, 'attempts' | 'since'>): Promise<Outcome> {
    const secrets = await this.parts.webhooks.activeSecrets(webhook_id)
    return sendMessage({ id, url, body, secrets }, this.parts, this.stop.signal)
  }
}

const createBody = (type: EventName | 'test', data: object): string =>
  JSON.stringify({ type, timestamp: new Date().toISOString(), data })

interface Message {
  readonly id: string
  readonly url: string
  readonly body: string
  /** Not signed without. */
  readonly secrets?: readonly Uint8Array[] | undefined
}

/** Sends a message to a checked address; does not read the response body. */
export async function sendMessage(
  { id, url, body, secrets }: Message,
  { policy, times: { attemptMs }, version }: Pick<DeliveryParts, 'policy' | 'times' | 'version'>,
  stop: AbortSignal,
): Promise<Outcome> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(attemptMs)])
  const headers = {
    'user-agent': `Coinstrata/${version}`,
    ...(secrets ? createSignatureHeaders(id, Date.now(), body, secrets) : { 'webhook-id': id }),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }
  try {
    const request = { url: new URL(url), method: 'POST', headers, body } as const
    const response = await sendChecked(request, policy, signal)
    response.body.destroy()
    const { status } = response
    if (status >= 200 && status < 300) return delivered
    const hint = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
    return failed(`it answered ${status}${hint}`, status === 410)
  } catch (error) {
    if (signal.aborted) return failed(`it did not answer within ${attemptMs / 1000} seconds`)
    if (error instanceof UnreachableError) return failed(error.message)
    throw error
  }
}

import type { Logger } from '#base/log.ts'
import type { EventName } from '#contract/events.ts'
import { sendChecked, UnreachableError } from './checked-request.ts'
import { DeliveryLoop } from './delivery-loop.ts'
import { createSignatureHeaders } from './signature.ts'
import type { TargetPolicy } from './target.ts'
import { createMessageId, type Delivery, type EventState, type Webhooks } from './webhooks.ts'

export interface DeliveryTimes {
  readonly pollMs: number
  readonly attemptMs: number
  /** Wait before the second attempt; it doubles with each further one. */
  readonly firstRetryMs: number
}
export const defaultTimes: DeliveryTimes = { pollMs: 1_000, attemptMs: 10_000, firstRetryMs: 10_000 }

export interface DeliveryParts {
  readonly webhooks: Webhooks
  readonly readEvents: () => Promise<{ readonly state: EventState; readonly eventData: (event: EventName) => object }>
  readonly policy: TargetPolicy
  readonly times: DeliveryTimes
  readonly version: string
  readonly log: Logger
}

export interface Outcome {
  readonly isDelivered: boolean
  readonly problem: string | null
  /** The receiver answered 410 Gone. */
  readonly isGone: boolean
}

export class WebhookDelivery {
  readonly #parts: DeliveryParts
  readonly #loop: DeliveryLoop<Delivery>
  #announced = ''

  constructor(parts: DeliveryParts) {
    const { webhooks, times, log } = parts
    this.#parts = parts
    this.#loop = new DeliveryLoop({
      pollMs: times.pollMs,
      enqueue: () => this.#announce(),
      claim: (max) => webhooks.claim(max),
      attempt: (delivery, stop) => this.#attempt(delivery, stop),
      log,
      what: 'events to webhooks',
    })
  }

  start(): void {
    this.#loop.start()
  }

  /** Aborts current attempts; the next process repeats them. */
  close(): Promise<void> {
    return this.#loop.close()
  }

  async test(webhookId: string, url: string): Promise<Outcome> {
    const { webhooks } = this.#parts
    const outcome = await this.#send({
      id: createMessageId(),
      webhook_id: webhookId,
      url,
      body: createBody('test', {}),
    })
    if (outcome.isDelivered) await webhooks.markDelivered(webhookId, undefined)
    return outcome
  }

  async #announce(): Promise<void> {
    const { readEvents, webhooks } = this.#parts
    const { state, eventData } = await readEvents()
    const id = JSON.stringify(state)
    if (id === this.#announced) return
    await webhooks.announce(state, (event) => createBody(event, eventData(event)))
    this.#announced = id
  }

  async #attempt(delivery: Delivery, stop: AbortSignal): Promise<void> {
    const { webhooks, times } = this.#parts
    const { isDelivered, problem, isGone } = await this.#send(delivery)
    if (isDelivered) await webhooks.markDelivered(delivery.webhook_id, delivery)
    else if (stop.aborted) await webhooks.release(delivery)
    else await webhooks.markFailed(delivery.webhook_id, problem ?? '', isGone, times.firstRetryMs)
  }

  async #send({ id, webhook_id, url, body }: Delivery): Promise<Outcome> {
    const { webhooks, policy, times: pace, version } = this.#parts
    const headers = {
      'user-agent': `Coinstrata/${version}`,
      ...createSignatureHeaders(id, Date.now(), body, await webhooks.activeSecrets(webhook_id)),
    }
    return sendMessage({ url, headers, body }, policy, pace.attemptMs, this.#loop.stopSignal)
  }
}

const createBody = (type: EventName | 'test', data: object): string =>
  JSON.stringify({ type, timestamp: new Date().toISOString(), data })

interface Message {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const failed = (problem: string): Outcome => ({ isDelivered: false, problem, isGone: false })

/** Sends a message to a checked address; does not read the response body. */
export async function sendMessage(
  { url, headers, body }: Message,
  policy: TargetPolicy,
  timeoutMs: number,
  stop: AbortSignal,
): Promise<Outcome> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
  const length = String(Buffer.byteLength(body))
  const all = { ...headers, 'content-type': 'application/json', 'content-length': length }
  try {
    const request = { url: new URL(url), method: 'POST', headers: all, body } as const
    const response = await sendChecked(request, policy, signal)
    response.body.destroy()
    const { status } = response
    if (status >= 200 && status < 300) return { isDelivered: true, problem: null, isGone: false }
    const hint = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
    return { isDelivered: false, problem: `it answered ${status}${hint}`, isGone: status === 410 }
  } catch (error) {
    if (signal.aborted) return failed(`it did not answer within ${timeoutMs / 1000} seconds`)
    if (error instanceof UnreachableError) return failed(error.message)
    throw error
  }
}

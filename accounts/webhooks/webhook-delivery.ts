import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#base/log.ts'
import type { EventName } from '#contract/events.ts'
import { type Outcome, post } from './post.ts'
import { signatureHeaders } from './signature.ts'
import type { TargetPolicy } from './target.ts'
import { type Delivery, type EventState, messageId, type Webhooks } from './webhooks.ts'

/** Milliseconds. */
export interface Pace {
  /** Between two looks for what is new and what is due. */
  readonly look: number
  /** What an attempt may take in all. */
  readonly attempt: number
  /** Before the second attempt; before each further one twice as long. */
  readonly firstWait: number
}
export const defaultPace: Pace = { look: 1_000, attempt: 10_000, firstWait: 10_000 }

const mostAtOnce = 8

export interface DeliveryParts {
  readonly webhooks: Webhooks
  /** Reads what the events are about now, with the data to send for each. */
  readonly readEvents: () => Promise<{ readonly state: EventState; readonly dataOf: (event: EventName) => object }>
  readonly policy: TargetPolicy
  readonly pace: Pace
  readonly version: string
  readonly log: Logger
}

/** Announces events to webhooks, and delivers what is due. */
export class WebhookDelivery {
  readonly #parts: DeliveryParts
  readonly #stop = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  #announced = ''
  #isFailing = false
  #round: Promise<void> | undefined

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  /** Begins to deliver. */
  start(): void {
    this.#round ??= this.#keepLooking()
  }

  /** Breaks off what is under way, which is then delivered by the next process. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#round
    await Promise.all(this.#underWay)
  }

  /** Sends an event of type test. */
  async test(webhookId: string, url: string): Promise<Outcome> {
    const { webhooks } = this.#parts
    const outcome = await this.#send({ id: messageId(), webhook_id: webhookId, url, body: bodyOf('test', {}) })
    if (outcome.taken) await webhooks.settle(webhookId, undefined)
    return outcome
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await this.#announce()
        await this.#deliver()
        this.#isFailing = false
      } catch (err) {
        // A full disk, or another process that holds the file for long.
        if (!this.#isFailing) this.#parts.log.error({ err }, 'webhooks cannot be told; it is tried again')
        this.#isFailing = true
      }
      await sleep(this.#parts.pace.look, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  async #announce(): Promise<void> {
    const { readEvents, webhooks } = this.#parts
    const { state, dataOf } = await readEvents()
    const id = JSON.stringify(state)
    if (id === this.#announced) return
    await webhooks.announce(state, (event) => bodyOf(event, dataOf(event)))
    this.#announced = id
  }

  async #deliver(): Promise<void> {
    const { webhooks } = this.#parts
    if (this.#stop.signal.aborted || this.#underWay.size >= mostAtOnce) return
    for (const delivery of await webhooks.take(mostAtOnce - this.#underWay.size)) {
      const attempt = this.#attempt(delivery).finally(() => this.#underWay.delete(attempt))
      this.#underWay.add(attempt)
    }
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { webhooks, pace, log } = this.#parts
    try {
      const { taken, problem, isGone } = await this.#send(delivery)
      if (taken) await webhooks.settle(delivery.webhook_id, delivery)
      else if (this.#stop.signal.aborted) await webhooks.giveBack(delivery)
      else await webhooks.fail(delivery.webhook_id, problem ?? '', isGone, pace.firstWait)
    } catch (err) {
      log.error({ err, webhook: delivery.webhook_id }, 'what came of a webhook cannot be noted; it is sent again')
    }
  }

  async #send({ id, webhook_id, url, body }: Delivery): Promise<Outcome> {
    const { webhooks, policy, pace, version } = this.#parts
    const headers = {
      'user-agent': `Coinstrata/${version}`,
      ...signatureHeaders(id, Date.now(), body, await webhooks.secretsOf(webhook_id)),
    }
    return post({ url, headers, body }, policy, pace.attempt, this.#stop.signal)
  }
}

const bodyOf = (type: EventName | 'test', data: object): string =>
  JSON.stringify({ type, timestamp: new Date().toISOString(), data })

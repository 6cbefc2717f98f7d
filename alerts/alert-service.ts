import { randomBytes } from 'node:crypto'
import type { SecretsKey } from '#accounts/secrets-key.ts'
import { DeliveryLoop, type DeliveryTimes, delivered, failed, type Outcome } from '#accounts/webhooks/delivery-loop.ts'
import type { TargetPolicy } from '#accounts/webhooks/target.ts'
import { sendMessage } from '#accounts/webhooks/webhook-delivery.ts'
import { isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import type { Logger } from '#base/log.ts'
import type { Mailer } from '#base/mailer.ts'
import { ownTurn } from '#base/own-turn.ts'
import { type AlertChannel, type AlertCondition, alertChannels, type Watched } from '#contract/alerts.ts'
import { ApiError } from '#contract/api-error.ts'
import { pages } from '#contract/pages.ts'
import { paths } from '#contract/paths.ts'
import { type Tier, tiers } from '#contract/tiers.ts'
import type { CallerWork } from '#limits/admission.ts'
import { type AlertState, advance } from './alert-state.ts'
import { type Alert, type AlertDelivery, type Alerts, type NewEvent, operator, parseState } from './alerts.ts'
import { describeAlert, describeCrossing, describeState, type Message, webhookRequests } from './messages.ts'
import type { WatchedSeries } from './watched-series.ts'

interface AlertParts {
  readonly alerts: Alerts
  readonly isOpen: boolean
  /** Changes with the data; undefined without any. */
  readonly readVersion: () => Promise<string | undefined>
  /** Why the newest published day is too old; undefined if it is not. */
  readonly readStaleness: () => Promise<string | undefined>
  readonly readSeries: (tier: Tier, watched: Watched, work?: CallerWork) => Promise<WatchedSeries>
  readonly mailer: Mailer | undefined
  /** Receiver of the operator's mail. */
  readonly mailTo: string | undefined
  /** Undefined if webhooks are off. */
  readonly policy: TargetPolicy | undefined
  readonly publicUrl: string | undefined
  /** Seals the ids of alerts in links that need no sign-in. */
  readonly secretsKey: SecretsKey
  readonly times: DeliveryTimes
  readonly version: string
  readonly log: Logger
}

/** Alerts are also evaluated without new data, which may have become stale. */
const checkIntervalMs = 60_000
/** Shorter pauses, such as after a restart, are not reported. */
const pauseNoticeMs = 3_600_000

/** Evaluates alerts after each publication and block, and sends their messages, until closed. */
export class AlertService extends DeliveryLoop<AlertDelivery> {
  readonly parts: AlertParts
  #evaluated: string | undefined
  #checkAt = 0

  constructor(parts: AlertParts) {
    super({ ...parts, queue: parts.alerts, what: 'messages of alerts' })
    this.parts = parts
  }

  /** Set up by the operator. */
  get channels(): AlertChannel[] {
    const { isOpen, mailer, mailTo, policy } = this.parts
    const canMail = mailer !== undefined && (!isOpen || mailTo !== undefined)
    return alertChannels.filter((channel) => (channel === 'email' ? canMail : policy !== undefined))
  }

  /** As `advance`, but also paused if the service is stale. */
  async advance(condition: AlertCondition, series: WatchedSeries, before?: AlertState) {
    const { state, crossings } = advance(condition, series, before)
    // A value of the open day is not stale.
    const staleness = series.height === null ? await this.parts.readStaleness() : undefined
    return { state: { ...state, paused: state.paused ?? staleness ?? null }, crossings }
  }

  async test(alert: Alert): Promise<void> {
    const text = `This is a test of your alert: ${describeAlert(alert.definition, alert.tier)}.`
    await this.parts.alerts.enqueue(alert, {
      id: `${alert.id}.test-${randomBytes(6).toString('hex')}`,
      kind: 'test',
      content: describeState('Test of an alert', text, parseState(alert)),
    })
  }

  /** Ends the mail of the alert whose mail had this link; false if none had it. */
  async stopMail(token: string): Promise<boolean> {
    try {
      const id = Buffer.from(this.parts.secretsKey.decrypt(Buffer.from(token, 'base64url'), operator)).toString()
      return await this.parts.alerts.stopMail(id)
    } catch (error) {
      if (error instanceof CoinstrataError && error.code === 'secrets_key_wrong') return false
      throw error
    }
  }

  /** Undefined if the key of secrets is lost: mail goes without the link then. */
  #stopMailUrl(alertId: string): string | undefined {
    const { secretsKey, publicUrl } = this.parts
    try {
      const token = Buffer.from(secretsKey.encrypt(Buffer.from(alertId), operator)).toString('base64url')
      return `${publicUrl}${paths.stopMail.replace('{token}', token)}`
    } catch (error) {
      if (error instanceof CoinstrataError && error.code === 'secrets_key_wrong') return undefined
      throw error
    }
  }

  protected async enqueue(): Promise<void> {
    const { alerts, readVersion, readStaleness } = this.parts
    const version = await readVersion()
    const now = Date.now()
    if (version === undefined || (version === this.#evaluated && now < this.#checkAt)) return
    const evaluated = (await readStaleness()) === undefined ? version : `${version} stale`
    for await (const alert of alerts.due(evaluated, now)) {
      await ownTurn()
      if (this.stop.signal.aborted) return
      await this.#evaluate(alert, evaluated)
    }
    this.#evaluated = version
    this.#checkAt = now + checkIntervalMs
  }

  async #evaluate(alert: Alert, evaluated: string): Promise<void> {
    const { id, revision, tier, definition, notice_at } = alert
    const before = parseState(alert)
    const summary = describeAlert(definition, tier)
    const { state, crossings } = await this.#advance(alert, before)
    const events: NewEvent[] = crossings.map((crossing) => ({
      id: `${id}.${revision}.${isoDate(crossing.day)}`,
      kind: 'fired',
      content: describeCrossing(summary, crossing),
    }))
    const now = Date.now()
    let noticeAt = state.paused === null ? null : before.paused === null ? now + pauseNoticeMs : notice_at
    if (noticeAt !== null && noticeAt <= now) {
      const text = `Your alert "${summary}" is paused: ${state.paused}.`
      const content = describeState(`Paused: ${summary}`, text, state)
      events.push({ id: `${id}.${revision}.paused-${noticeAt}`, kind: 'paused', content })
      noticeAt = null
    }
    await this.parts.alerts.settle(alert, evaluated, state, noticeAt, events, now)
  }

  async #advance({ id, tier, definition, place }: Alert, before: AlertState): Promise<ReturnType<typeof advance>> {
    const { readSeries, log } = this.parts
    const pause = (paused: string) => ({ state: { ...before, paused }, crossings: [] })
    if (place > tiers[tier].alerts)
      return pause(`tier ${tier} has ${tiers[tier].alerts} alerts, and this is a later one`)
    try {
      return await this.advance(definition.condition, await readSeries(tier, definition), before)
    } catch (error) {
      // The metric is gone or withheld, or data are damaged.
      if (error instanceof ApiError || error instanceof CoinstrataError) return pause(error.message)
      log.error({ err: error, alert: id }, 'an alert cannot be evaluated')
      return pause('it cannot be evaluated; the log of the service has the reason')
    }
  }

  protected send(delivery: AlertDelivery): Promise<Outcome> {
    const { publicUrl } = this.parts
    const { id: eventId, alert_id: alertId, kind, content, created_at: createdAt } = delivery
    const { metric, formula = '' } = delivery.definition
    const page = metric === undefined ? `workbench?metrics=${encodeURIComponent(formula)}` : `metrics/${metric}`
    const link = publicUrl && `${publicUrl}/${page}`
    const message = { ...content, eventId, alertId, kind, createdAt, link }
    return delivery.channel === 'email' ? this.#mail(delivery, message) : this.#post(delivery, message)
  }

  async #mail({ email, definition }: AlertDelivery, message: Message): Promise<Outcome> {
    const { mailer, isOpen, mailTo, publicUrl = 'http://localhost' } = this.parts
    const { eventId, alertId, title: subject, text, link } = message
    const to = isOpen ? mailTo : email
    if (!definition.email) return failed('the mail was turned off', true)
    if (!mailer) return failed('this service sends no mail (MAIL_URL)', true)
    if (to == null) return failed(isOpen ? 'ALERTS_TO is not set' : 'nobody has verified the address', true)
    try {
      const unsubscribeUrl = this.#stopMailUrl(alertId)
      await mailer.sendMail({
        to,
        subject,
        text: `${text}\n\nIts chart: ${link}\nTo change or remove the alert: ${publicUrl}${pages.alerts}?alert=${alertId}\n`,
        messageId: `${eventId}@${new URL(publicUrl).hostname}`,
        ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
      })
      return delivered
    } catch (error) {
      if (error instanceof CoinstrataError) return failed(error.message, error.code === 'mail_refused')
      throw error
    }
  }

  async #post({ definition, secret }: AlertDelivery, message: Message): Promise<Outcome> {
    const { policy, times, version } = this.parts
    const { webhook } = definition
    if (!policy) return failed('the operator has turned webhooks off (WEBHOOKS=off)', true)
    if (!webhook) return failed('the webhook was removed', true)
    const { url, body } = webhookRequests[webhook.format](message, new URL(webhook.url))
    const secrets = webhook.format === 'json' && secret ? [secret] : undefined
    const sent = { id: message.eventId, url, body: JSON.stringify(body), secrets }
    return sendMessage(sent, { policy, times, version }, this.stop.signal)
  }
}

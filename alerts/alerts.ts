import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import {
  type AccountsDatabase,
  columnsOf,
  countRows,
  insertRow,
  jsonText,
  type Statements,
  Store,
  timeText,
  type Values,
} from '#accounts/database/statements.ts'
import { claimMs, type Queue } from '#accounts/webhooks/delivery-loop.ts'
import { msPerDay } from '#base/days.ts'
import { alertChannels, alertCondition, alertEventKinds, webhookFormats } from '#contract/alerts.ts'
import { accountTiers, tiers } from '#contract/tiers.ts'
import { type AlertState, alertStateSchema } from './alert-state.ts'
import { type EventContent, eventContent } from './messages.ts'

/** Owner of alerts under open access; others are account ids. */
export const operator = 0
/** Messages waiting or being sent at one time, per owner and channel. */
const maxPerOwner = 4
const maxEvents = 100
const secretBytes = 32

const flag = z.int().transform((number) => number === 1)

const definitionSchema = z.strictObject({
  metric: z.string().optional(),
  formula: z.string().optional(),
  condition: alertCondition,
  email: z.boolean(),
  webhook: z.strictObject({ url: z.string(), format: z.enum(webhookFormats) }).nullable(),
})
export type AlertDefinition = z.infer<typeof definitionSchema>

const alertSchema = z.object({
  id: z.string(),
  owner: z.int(),
  tier: z.enum(accountTiers),
  definition: jsonText(definitionSchema),
  active: flag,
  revision: z.int(),
  created_at: timeText,
  state: z.string(),
  evaluated_at: timeText,
  notice_at: z.int().nullable(),
  /** Place among the owner's alerts, oldest first, from 1. */
  place: z.int(),
  fired: z.int(),
  last_fired_at: timeText.nullable(),
  problem: z.string().nullable(),
})
/** `state` is JSON, as stored; `notice_at` is in ms since 1970. */
export type Alert = z.infer<typeof alertSchema>
export const parseState = ({ state }: Alert): AlertState => alertStateSchema.parse(JSON.parse(state))

const storedDefinition = alertSchema.pick({ definition: true })

const ownedBy = 'coalesce(alerts.account_id, 0) = $owner'
const firings = "FROM alert_events WHERE alert_id = alerts.id AND kind = 'fired'"
const select = `SELECT alerts.id AS id, coalesce(account_id, 0) AS owner, coalesce(tier, 'enterprise') AS tier, definition, active,
    revision, alerts.created_at AS created_at, state, evaluated, evaluated_at, notice_at,
    row_number() OVER (PARTITION BY account_id ORDER BY alerts.created_at, alerts.id) AS place,
    (SELECT count(*) ${firings}) AS fired, (SELECT max(created_at) ${firings}) AS last_fired_at,
    (SELECT min(problem) FROM alert_deliveries WHERE event_id =
      (SELECT id FROM alert_events WHERE alert_id = alerts.id ORDER BY created_at DESC, id DESC LIMIT 1)) AS problem
  FROM alerts LEFT JOIN accounts ON accounts.id = account_id`

const eventSchema = z.object({
  id: z.string(),
  kind: z.enum(alertEventKinds),
  content: jsonText(eventContent),
  created_at: timeText,
})
const deliveryStateSchema = z.object({
  event_id: z.string(),
  channel: z.enum(alertChannels),
  attempts: z.int(),
  delivered_at: timeText.nullable(),
  retry_at: timeText.nullable(),
  problem: z.string().nullable(),
})

const quotaSchema = z.object({ sent: z.int() })
const deliverySchema = eventSchema.extend({
  alert_id: z.string(),
  channel: z.enum(alertChannels),
  attempts: z.int(),
  since: z.int(),
  definition: jsonText(definitionSchema),
  secret: z.instanceof(Uint8Array).nullable(),
  /** Only if verified. */
  email: z.string().nullable(),
})
/** A message for one channel. */
export type AlertDelivery = z.infer<typeof deliverySchema>

export interface NewEvent {
  /** Unique: each occurrence is stored once. */
  readonly id: string
  readonly kind: (typeof alertEventKinds)[number]
  readonly content: EventContent
}

/**
 * Alerts with state, events and queued messages. Several processes may evaluate and send at once.
 */
export class Alerts extends Store implements Queue<AlertDelivery> {
  /** Selects the alerts that this service evaluates and sends. */
  readonly #isServed: string

  constructor(database: AccountsDatabase, isOpen: boolean) {
    super(database)
    this.#isServed = isOpen ? 'account_id IS NULL' : 'account_id IS NOT NULL'
  }

  list(owner: number): Promise<Alert[]> {
    return this.database.all(alertSchema, `${select} WHERE ${ownedBy} ORDER BY place DESC`, { owner })
  }

  find(owner: number, id: string): Promise<Alert | undefined> {
    const sql = `SELECT * FROM (${select} WHERE ${ownedBy}) AS own WHERE id = $id`
    return this.database.get(alertSchema, sql, { owner, id })
  }

  /** Returns id and webhook secret; undefined if the owner has `max` alerts. */
  create(owner: number, definition: AlertDefinition, state: AlertState, max: number, now = Date.now()) {
    return this.database.transaction(async (statements) => {
      if ((await countRows(statements, `alerts WHERE ${ownedBy}`, { owner })) >= max) return undefined
      const id = `al_${randomBytes(6).toString('hex')}`
      const secret = definition.webhook?.format === 'json' ? randomBytes(secretBytes) : null
      await insertRow(statements, 'alerts', {
        id,
        account_id: owner || null,
        definition: JSON.stringify(definition),
        secret,
        created_at: now,
        state: JSON.stringify(state),
        evaluated_at: now,
      })
      return { id, secret }
    })
  }

  /** `state` starts a new revision with its own events. Returns the secret of a new webhook. */
  async change(
    { id }: Pick<Alert, 'id'>,
    definition: AlertDefinition,
    active: boolean,
    { hasNewWebhook, state }: { readonly hasNewWebhook: boolean; readonly state: AlertState | undefined },
    now = Date.now(),
  ): Promise<Uint8Array | null> {
    const secret = hasNewWebhook && definition.webhook?.format === 'json' ? randomBytes(secretBytes) : null
    await this.database.run(
      `UPDATE alerts SET definition = $definition, active = $active, secret = coalesce($secret, secret),
         state = coalesce($state, state), revision = revision + $restarts, evaluated_at = $now,
         evaluated = CASE WHEN $restarts = 1 THEN '' ELSE evaluated END,
         notice_at = CASE WHEN $restarts = 1 THEN NULL ELSE notice_at END
       WHERE id = $id`,
      {
        id,
        definition: JSON.stringify(definition),
        active: Number(active),
        secret,
        now,
        restarts: Number(state !== undefined),
        state: state === undefined ? null : JSON.stringify(state),
      },
    )
    return secret
  }

  /** False if there is no such alert. */
  stopMail(id: string): Promise<boolean> {
    return this.database.transaction(async (statements) => {
      const found = await statements.get(storedDefinition, 'SELECT definition FROM alerts WHERE id = $id', { id })
      if (!found) return false
      const definition = JSON.stringify({ ...found.definition, email: false })
      return (await statements.run('UPDATE alerts SET definition = $definition WHERE id = $id', { id, definition })) > 0
    })
  }

  async remove(owner: number, id: string): Promise<boolean> {
    return (await this.database.run(`DELETE FROM alerts WHERE id = $id AND ${ownedBy}`, { id, owner })) > 0
  }

  /**
   * Active alerts not yet evaluated with this state of the data, or with a pause to report. Reads
   * those of one owner at a time.
   */
  async *due(evaluated: string, now = Date.now()): AsyncGenerator<Alert> {
    const isDue = 'active = 1 AND (evaluated <> $evaluated OR notice_at <= $now)'
    const owners = `SELECT DISTINCT coalesce(account_id, 0) AS owner FROM alerts WHERE ${this.#isServed} AND ${isDue} ORDER BY owner`
    const sql = `SELECT * FROM (${select} WHERE ${this.#isServed} AND ${ownedBy}) AS served WHERE ${isDue} ORDER BY place`
    for (const { owner } of await this.database.all(alertSchema.pick({ owner: true }), owners, { evaluated, now }))
      yield* await this.database.all(alertSchema, sql, { evaluated, now, owner })
  }

  /**
   * Stores an evaluation and queues messages of its events, unless the alert has changed since it
   * was read.
   */
  settle(
    alert: Alert,
    evaluated: string,
    state: AlertState,
    noticeAt: number | null,
    events: readonly NewEvent[],
    now = Date.now(),
  ): Promise<void> {
    return this.database.transaction(async (statements) => {
      const isCurrent = await statements.run(
        `UPDATE alerts SET state = $state, evaluated = $evaluated, evaluated_at = $now, notice_at = $noticeAt
         WHERE id = $id AND revision = $revision AND state = $before`,
        {
          id: alert.id,
          revision: alert.revision,
          before: alert.state,
          state: JSON.stringify(state),
          evaluated,
          noticeAt,
          now,
        },
      )
      if (isCurrent > 0) for (const event of events) await enqueue(statements, alert, event, now)
    })
  }

  async enqueue(alert: Alert, event: NewEvent, now = Date.now()): Promise<void> {
    await this.database.transaction((statements) => enqueue(statements, alert, event, now))
  }

  /** Newest first, with the state of their deliveries. */
  async events({ id }: Pick<Alert, 'id'>) {
    const newest = 'FROM alert_events WHERE alert_id = $id ORDER BY created_at DESC, id DESC LIMIT $max'
    const values = { id, max: maxEvents }
    const events = await this.database.all(eventSchema, `SELECT ${columnsOf(eventSchema)} ${newest}`, values)
    const deliveries = await this.database.all(
      deliveryStateSchema,
      `SELECT ${columnsOf(deliveryStateSchema)} FROM alert_deliveries
       WHERE event_id IN (SELECT id ${newest}) ORDER BY channel`,
      values,
    )
    const byEvent = Map.groupBy(deliveries, ({ event_id }) => event_id)
    return events.map((event) => ({ ...event, deliveries: byEvent.get(event.id) ?? [] }))
  }

  /** Returns due messages, a few per owner and channel, and blocks other claims on them. */
  async claim(max: number, claimedMs = claimMs, now = Date.now()): Promise<AlertDelivery[]> {
    const isDue = 'retry_at <= $now AND taken_until <= $now'
    // Mostly nothing is due, which needs no lock.
    if ((await countRows(this.database, `alert_deliveries WHERE ${isDue}`, { now })) === 0) return []
    return this.database.transaction(async (statements) => {
      const deliveries = await statements.all(
        deliverySchema,
        `SELECT * FROM
           (SELECT event_id AS id, channel, attempts, kind, content, alert_events.created_at AS created_at,
              alert_events.created_at AS since, alert_id, definition, secret,
              CASE WHEN verified_at IS NOT NULL THEN email END AS email, retry_at, taken_until,
              row_number() OVER (PARTITION BY account_id, channel ORDER BY
                CASE WHEN taken_until > $now THEN 0 WHEN retry_at <= $now THEN 1 ELSE 2 END,
                alert_deliveries.created_at, event_id) AS place
            FROM alert_deliveries JOIN alert_events ON alert_events.id = event_id JOIN alerts ON alerts.id = alert_id
              LEFT JOIN accounts ON accounts.id = account_id
            WHERE retry_at IS NOT NULL AND ${this.#isServed}) AS waiting
         WHERE place <= ${maxPerOwner} AND ${isDue} ORDER BY created_at, id LIMIT $max`,
        { now, max },
      )
      const until = now + claimedMs
      for (const delivery of deliveries) await changeDelivery(statements, delivery, 'taken_until = $until', { until })
      return deliveries
    })
  }

  release(delivery: AlertDelivery): Promise<void> {
    return changeDelivery(this.database, delivery, 'taken_until = 0')
  }

  markDelivered(delivery: AlertDelivery, now = Date.now()): Promise<void> {
    const changes = 'delivered_at = $now, attempts = attempts + 1, retry_at = NULL, problem = NULL'
    return changeDelivery(this.database, delivery, changes, { now })
  }

  markFailed(delivery: AlertDelivery, problem: string, retryAt: number | null): Promise<void> {
    const changes = 'attempts = attempts + 1, retry_at = $retryAt, taken_until = 0, problem = $problem'
    return changeDelivery(this.database, delivery, changes, { retryAt, problem })
  }
}

async function enqueue(
  statements: Statements,
  alert: Alert,
  { id, kind, content }: NewEvent,
  now: number,
): Promise<void> {
  const event = { id, alert_id: alert.id, kind, content: JSON.stringify(content), created_at: now }
  const isNew = await insertRow(statements, 'alert_events', event, 'ON CONFLICT (id) DO NOTHING')
  if (isNew === 0) return
  const { owner, tier, definition } = alert
  const { grade, alertMessages } = tiers[tier]
  const day = Math.floor(now / msPerDay)
  await statements.run('DELETE FROM alert_quotas WHERE day <> $day', { day })
  // Not counted from the deliveries, which are deleted with their alert.
  const quota = await statements.get(quotaSchema, 'SELECT sent FROM alert_quotas WHERE owner = $owner', { owner })
  let sent = quota?.sent ?? 0
  for (const channel of alertChannels) {
    if (channel === 'email' ? !definition.email : definition.webhook === null) continue
    const problem =
      channel === 'webhook' && grade < tiers.pro.grade
        ? 'webhooks need tier pro'
        : sent >= alertMessages
          ? `tier ${tier} has ${alertMessages} messages a day`
          : null
    const retryAt = problem === null ? now : null
    if (problem === null) sent++
    await insertRow(statements, 'alert_deliveries', {
      event_id: id,
      channel,
      created_at: now,
      retry_at: retryAt,
      problem,
    })
  }
  await insertRow(statements, 'alert_quotas', { owner, day, sent }, 'ON CONFLICT (owner) DO UPDATE SET sent = $sent')
}

async function changeDelivery(
  statements: Statements,
  { id, channel }: AlertDelivery,
  changes: string,
  values: Values = {},
): Promise<void> {
  const sql = `UPDATE alert_deliveries SET ${changes} WHERE event_id = $id AND channel = $channel`
  await statements.run(sql, { id, channel, ...values })
}

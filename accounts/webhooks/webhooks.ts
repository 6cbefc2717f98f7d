import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type EventName, eventNames } from '#contract/events.ts'
import { accountTiers, tiers } from '#contract/tiers.ts'
import { type AccountsDatabase, countRows, deleteOwned, type Statements } from '../database/statements.ts'

export const maxWebhooks = 10
const secretBytes = 32
/** Time for which events are also signed with the previous secret. */
const oldSecretMs = 86_400_000
/** A webhook that fails for this long is disabled. */
export const maxFailingMs = 86_400_000
const maxRetryMs = 3_600_000
/**
 * Longer than an attempt takes. If its process ends meanwhile, another one repeats the attempt
 * after this time.
 */
export const claimMs = 60_000

const webhookSchema = z.object({
  id: z.string(),
  account_id: z.int(),
  name: z.string(),
  url: z.string(),
  events: z.string().transform((text) => eventNames.filter((name) => text.split(' ').includes(name))),
  created_at: z.int(),
  delivered_at: z.int().nullable(),
  failing_since: z.int().nullable(),
  failures: z.int(),
  retry_at: z.int().nullable(),
  problem: z.string().nullable(),
  disabled_at: z.int().nullable(),
  waiting: z.int(),
})
/** Times are in ms since 1970. */
export type Webhook = z.infer<typeof webhookSchema>

const columns = `id, account_id, name, url, events, created_at, delivered_at, failing_since, failures, retry_at, problem,
  disabled_at, (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = webhooks.id) AS waiting`

const bytes = z.instanceof(Uint8Array)
const secretsSchema = z.object({ secret: bytes, earlier_secret: bytes.nullable(), earlier_until: z.int() })
const deliverySchema = z.object({ id: z.string(), webhook_id: z.string(), url: z.string(), body: z.string() })
/** An event queued for a webhook. All attempts have the same id. */
export type Delivery = z.infer<typeof deliverySchema>

/** Identifies the newest occurrence of each event; empty before the first. */
export type EventState = Readonly<Record<EventName, string>>

const stateSchema = z.object({ event: z.string(), state: z.string() })

const entitledTiers = accountTiers.filter((tier) => tiers[tier].grade >= tiers.pro.grade).map((tier) => `'${tier}'`)

/**
 * Webhooks and their queued deliveries, stored so that a new process continues where another one
 * ended, and several processes share the deliveries. Only the newest occurrence of an event is
 * queued per webhook; it supersedes earlier ones.
 */
export class Webhooks {
  readonly #database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.#database = database
  }

  /**
   * Returns undefined if the account already has `maxWebhooks`. The secret is stored unhashed,
   * since it signs events.
   */
  add(
    accountId: number,
    { name, url, events }: Pick<Webhook, 'name' | 'url'> & { readonly events: readonly EventName[] },
  ): Promise<{ readonly webhook: Webhook; readonly secret: Uint8Array } | undefined> {
    const secret = randomBytes(secretBytes)
    return this.#database.transaction(async (statements) => {
      const count = await countRows(statements, 'webhooks WHERE account_id = $accountId', { accountId })
      if (count >= maxWebhooks) return undefined
      const webhook = await statements.get(
        webhookSchema,
        `INSERT INTO webhooks (id, account_id, name, url, events, secret, created_at)
         VALUES ($id, $accountId, $name, $url, $events, $secret, $now) RETURNING ${columns}`,
        {
          id: `wh_${randomBytes(6).toString('hex')}`,
          accountId,
          name,
          url,
          events: events.join(' '),
          secret,
          now: Date.now(),
        },
      )
      return { webhook: webhook!, secret }
    })
  }

  list(accountId: number): Promise<Webhook[]> {
    const sql = `SELECT ${columns} FROM webhooks WHERE account_id = $accountId ORDER BY created_at DESC, rowid DESC`
    return this.#database.all(webhookSchema, sql, { accountId })
  }

  async find(accountId: number, id: string): Promise<Webhook | undefined> {
    return (await this.list(accountId)).find((webhook) => webhook.id === id)
  }

  remove(accountId: number, id: string): Promise<boolean> {
    return deleteOwned(this.#database, 'webhooks', accountId, id)
  }

  /** Returns a new secret. Events are also signed with the previous one for a day. */
  async rotate(id: string, now = Date.now()): Promise<Uint8Array> {
    const secret = randomBytes(secretBytes)
    await this.#database.run(
      'UPDATE webhooks SET earlier_secret = secret, earlier_until = $until, secret = $secret WHERE id = $id',
      { until: now + oldSecretMs, secret, id },
    )
    return secret
  }

  async activeSecrets(id: string, now = Date.now()): Promise<readonly Uint8Array[]> {
    const sql = 'SELECT secret, earlier_secret, earlier_until FROM webhooks WHERE id = $id'
    const row = await this.#database.get(secretsSchema, sql, { id })
    if (!row) return []
    const { secret, earlier_secret, earlier_until } = row
    return earlier_secret && earlier_until > now ? [secret, earlier_secret] : [secret]
  }

  /**
   * Queues the events between the last announced state and `state`. The first call only stores the
   * state.
   */
  announce(state: EventState, createBody: (event: EventName) => string, now = Date.now()): Promise<void> {
    return this.#database.transaction(async (statements) => {
      const rows = await statements.all(stateSchema, 'SELECT event, state FROM announced_events')
      const announced = new Map(rows.map((row) => [row.event, row.state]))
      for (const event of eventNames) {
        const before = announced.get(event)
        if (before === state[event] || (before !== undefined && state[event] === '')) continue
        await statements.run(
          `INSERT INTO announced_events (event, state) VALUES ($event, $state)
           ON CONFLICT (event) DO UPDATE SET state = excluded.state`,
          { event, state: state[event] },
        )
        if (before !== undefined) await enqueue(statements, event, createBody(event), now)
      }
    })
  }

  /**
   * Returns deliveries that are due, at most one per webhook, and blocks other claims on those
   * webhooks for a minute.
   */
  claim(max: number, now = Date.now()): Promise<Delivery[]> {
    return this.#database.transaction(async (statements) => {
      const deliveries = await statements.all(
        deliverySchema,
        `SELECT id, webhook_id, url, body FROM
           (SELECT webhook_deliveries.id AS id, webhook_id, url, body, webhook_deliveries.created_at AS since,
              row_number() OVER (PARTITION BY webhook_id ORDER BY webhook_deliveries.created_at) AS place
            FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_id
            WHERE disabled_at IS NULL AND coalesce(retry_at, 0) <= $now AND taken_until <= $now) AS due
         WHERE place = 1 ORDER BY since LIMIT $max`,
        { now, max },
      )
      for (const { webhook_id } of deliveries) await claimUntil(statements, webhook_id, now + claimMs)
      return deliveries
    })
  }

  /** Gives up a claim without an attempt, such as at the end of the process. */
  release({ webhook_id }: Delivery): Promise<void> {
    return claimUntil(this.#database, webhook_id, 0)
  }

  /** `delivery` is undefined for a test event. */
  markDelivered(webhookId: string, delivery: Delivery | undefined, now = Date.now()): Promise<void> {
    return this.#database.transaction(async (statements) => {
      if (delivery) await statements.run('DELETE FROM webhook_deliveries WHERE id = $id', { id: delivery.id })
      await statements.run(
        `UPDATE webhooks SET delivered_at = $now, failures = 0, failing_since = NULL, retry_at = NULL, problem = NULL,
           disabled_at = NULL, taken_until = 0 WHERE id = $webhookId`,
        { now, webhookId },
      )
    })
  }

  /**
   * Doubles the wait for the next attempt, up to an hour. Disables the webhook after a day of
   * failures, or if `isGone`.
   */
  markFailed(
    webhookId: string,
    problem: string,
    isGone: boolean,
    firstRetryMs: number,
    now = Date.now(),
  ): Promise<void> {
    return this.#database.transaction(async (statements) => {
      const sql = `SELECT ${columns} FROM webhooks WHERE id = $webhookId`
      const webhook = await statements.get(webhookSchema, sql, { webhookId })
      if (!webhook) return
      const { failures, failing_since } = webhook
      const since = failing_since ?? now
      const retryAt = now + retryWaitMs(failures, firstRetryMs)
      const isOver = isGone || now - since >= maxFailingMs
      await statements.run(
        `UPDATE webhooks SET failures = failures + 1, failing_since = $since, retry_at = $retryAt, problem = $problem,
           disabled_at = $disabledAt, taken_until = 0 WHERE id = $webhookId`,
        { since, retryAt: isOver ? null : retryAt, problem, disabledAt: isOver ? now : null, webhookId },
      )
      if (isOver) await statements.run('DELETE FROM webhook_deliveries WHERE webhook_id = $webhookId', { webhookId })
    })
  }
}

/**
 * Wait before the next attempt: it doubles with each failure, up to an hour. Varies, to spread what
 * failed together.
 */
export function retryWaitMs(failures: number, firstRetryMs: number): number {
  const wait = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures, 30))
  return Math.round(wait * (0.8 + 0.4 * Math.random()))
}

async function enqueue(statements: Statements, event: EventName, body: string, now: number): Promise<void> {
  const subscribers = await statements.all(
    webhookSchema.pick({ id: true, events: true }),
    `SELECT webhooks.id AS id, events FROM webhooks JOIN accounts ON accounts.id = account_id
     WHERE disabled_at IS NULL AND tier IN (${entitledTiers.join(', ')})`,
  )
  for (const { id, events } of subscribers) {
    if (!events.includes(event)) continue
    await statements.run(
      `INSERT INTO webhook_deliveries (id, webhook_id, event, body, created_at)
       VALUES ($id, $webhookId, $event, $body, $now)
       ON CONFLICT (webhook_id, event) DO UPDATE
         SET id = excluded.id, body = excluded.body, created_at = excluded.created_at`,
      { id: createMessageId(), webhookId: id, event, body, now },
    )
  }
}

async function claimUntil(statements: Statements, webhookId: string, time: number): Promise<void> {
  await statements.run('UPDATE webhooks SET taken_until = $time WHERE id = $webhookId', { time, webhookId })
}

/** Receivers recognise repeated deliveries by this id. */
export const createMessageId = (): string => `msg_${randomBytes(12).toString('hex')}`
